"""Stops against a rover that takes requests on its services in any order."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
import pytest

from curiosity_adapter.start_and_stop_requests import OwedStop

RETRY_S = 0.5
FORGET_S = 3.0


def test_a_stop_is_owed_from_the_beginning_until_it_is_answered() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    assert stops.due(0.0)
    number = stops.sent(0.0)
    assert not stops.due(0.1)
    assert stops.due(0.6)
    assert stops.answered(number)
    assert not stops.due(9.0)
    assert stops.quiet(0.7)


def test_a_stop_sent_before_the_start_was_answered_proves_nothing() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    assert stops.answered(stops.sent(0.0))
    stops.start_sent(0.5)
    stops.owe()
    early = stops.sent(1.0)
    stops.start_settled()
    assert stops.due(1.0)
    sure = stops.sent(1.0)
    assert not stops.answered_too_early, 'nothing was answered'
    assert not stops.answered(early)
    assert stops.answered_too_early
    assert stops.answered(sure)
    assert not stops.answered_too_early


def test_stops_go_on_for_as_long_as_a_start_may_still_come() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    assert stops.answered(stops.sent(0.0))
    stops.start_sent(1.0)
    stops.start_settled()
    assert not stops.due(1.5), 'it drives'
    stops.owe()
    assert stops.answered(stops.sent(2.0))
    assert not stops.due(2.4)
    assert stops.due(2.6), 'a copy of the start may come'
    assert stops.answered(stops.sent(3.9))
    assert stops.due(60.0), 'however long nobody looked: it may have come at 3.95'
    assert stops.answered(stops.sent(60.0))
    assert not stops.due(90.0)


def test_while_a_stop_has_no_answer_the_rover_may_roll_unless_it_drives_as_it_should() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    assert stops.unanswered(0.0)
    assert stops.answered(stops.sent(0.0))
    assert not stops.unanswered(0.1)
    stops.start_sent(1.0)
    stops.start_settled()
    assert not stops.unanswered(1.1)
    stops.owe()
    assert stops.unanswered(1.2)
    assert stops.answered(stops.sent(1.2))
    assert not stops.unanswered(1.3)
    again = stops.sent(2.0)  # a late start may have come before it
    assert stops.unanswered(2.0)
    assert stops.unanswered(2.0 + FORGET_S)
    assert not stops.unanswered(2.1 + FORGET_S)
    assert stops.answered(again)
    assert not stops.unanswered(2.0)


def test_a_late_answer_to_a_start_says_nothing_of_the_next_one_that_is_open() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    assert stops.answered(stops.sent(0.0))
    stops.start_sent(1.0)
    stops.start_settled()  # given up
    stops.owe()
    assert stops.answered(stops.sent(4.0))
    stops.start_sent(5.0)
    stops.late_start_answered()  # the first one, while the second is open
    assert not stops.answered(stops.sent(5.1)), 'the second may come after this stop'
    stops.start_settled()
    assert stops.owed
    assert stops.answered(stops.sent(5.3))


def test_a_stop_without_an_answer_is_forgotten() -> None:
    stops = OwedStop(RETRY_S, FORGET_S)
    first, lost = stops.sent(0.0), stops.sent(0.0)
    assert stops.answered(first)
    assert lost > first
    assert not stops.quiet(FORGET_S)
    assert stops.quiet(FORGET_S + 0.1)


class RoverOfAnyOrder(RuleBasedStateMachine):
    """The rover takes requests, and answers travel, in any order that services allow.

    Starts are named s0, s1, …; stops by their number. Each service is first come, first served.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.stops = OwedStop(RETRY_S, FORGET_S)
        self.requests: list[str | int] = []
        self.answers: list[str | int] = []
        self.rolling = True  # a predecessor died while it was driving
        self.believed_still = False
        self.starts = 0
        self.awaited = ''
        self.given_up: set[str] = set()

    def send_stop(self) -> None:
        self.requests.append(self.stops.sent(self.now))

    @precondition(lambda self: self.believed_still and self.stops.quiet(self.now))
    @rule()
    def start(self) -> None:
        self.awaited, self.starts = f's{self.starts}', self.starts + 1
        self.believed_still = False
        self.stops.start_sent(self.now)
        self.requests.append(self.awaited)

    @precondition(lambda self: self.awaited)
    @rule()
    def give_the_start_up(self) -> None:
        self.given_up.add(self.awaited)
        self.awaited = ''
        self.stops.start_settled()
        self.stops.owe()

    @rule()
    def ask_for_a_stop(self) -> None:
        self.stops.owe()
        self.send_stop()

    @rule(passed=st.floats(0.0, 1.0))
    def time_passes(self, passed: float) -> None:
        self.now += passed
        if self.stops.due(self.now):
            self.send_stop()

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def the_rover_takes_a_request(self, data: st.DataObject) -> None:
        request = self.take(self.requests, data)
        self.rolling = isinstance(request, str)
        self.answers.append(request)

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def an_answer_comes(self, data: st.DataObject) -> None:
        answer = self.take(self.answers, data)
        if isinstance(answer, int):
            self.believed_still = self.stops.answered(answer) or self.believed_still
        elif answer == self.awaited:
            self.awaited = ''
            self.stops.start_settled()
        else:
            self.given_up.remove(answer)
            self.believed_still = False
            self.stops.late_start_answered()

    def take(self, queue: list[str | int], data: st.DataObject) -> str | int:
        stop = next((item for item in queue if isinstance(item, int)), None)
        start = next((item for item in queue if isinstance(item, str)), None)
        item = data.draw(st.sampled_from([each for each in (stop, start) if each is not None]))
        queue.remove(item)
        return item

    @invariant()
    def a_rover_that_is_believed_still_stands(self) -> None:
        if self.believed_still and not self.given_up:
            assert not self.rolling


TestRoverOfAnyOrder = pytest.mark.slow(RoverOfAnyOrder.TestCase)
