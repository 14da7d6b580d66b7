"""Which goals an action gate cancels, whatever becomes of the messages."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from gates.action_gate import MAY_BE_SILENT_S, ActionGate
from gates.goals_to_cancel import CANCEL_AGAIN_S, LATE_S
from rover_common.permit import EndingCode, Heartbeat, Permit

NOW, SYSTEM, LIMIT_S = 100.0, 7000.0, 0.3
MINE, NEXT, FOREIGN = 'aa', 'bb', 'cc'


def gate(max_age_s: float | None = None) -> ActionGate:
    return ActionGate('arm', LIMIT_S, max_age_s)


def heartbeat(sequence: int, goal: str = MINE, number: int = 1, at: float = NOW) -> Heartbeat:
    permits = (Permit('pick', number, 'arm', goal),) if number else ()
    return Heartbeat('an executive', sequence, SYSTEM + at - NOW, gates=permits)


def hear(subject: ActionGate, heard: Heartbeat, now: float = NOW) -> None:
    subject.receive(heard, SYSTEM + now - NOW, now)


def cancels(subject: ActionGate, now: float) -> tuple[str, ...]:
    subject.update(now)
    return subject.goals.to_cancel(subject.held_goal(now), now)


def test_a_goal_with_a_young_permit_goes_on() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.goals.update_status({MINE: True, FOREIGN: True})
    assert cancels(subject, NOW + 0.2) == ()
    assert subject.moving(NOW) is True


# What reaches the gate, in this order, as (sequence, permit, when sent, when read); what it
# cancels 0.05 s after the last.
MESSAGES: dict[str, tuple[list[tuple[int, int, float, float]], bool]] = {
    'none': ([], False),
    'in order': ([(1, 1, 0.0, 0.0), (2, 1, 0.2, 0.2)], False),
    'withdrawn': ([(1, 1, 0.0, 0.0), (2, 0, 0.1, 0.1)], True),
    'the withdrawal is doubled': ([(1, 1, 0.0, 0.0), (2, 0, 0.1, 0.1), (2, 0, 0.1, 0.15)], True),
    'the withdrawal overtakes': ([(2, 0, 0.1, 0.1), (1, 1, 0.0, 0.12)], False),
    'a permit comes doubled after its withdrawal': (
        [(1, 1, 0.0, 0.0), (2, 0, 0.1, 0.1), (1, 1, 0.0, 0.12)],
        True,
    ),
    'the withdrawal is lost, and silence follows': ([(1, 1, 0.0, 0.0), (2, 1, 0.3, 0.7)], True),
    'late, and old when it is read': ([(1, 1, 0.0, 0.5)], False),
    'a gap, then the same permit again': ([(1, 1, 0.0, 0.0), (5, 1, 0.5, 0.5)], True),
}


@pytest.mark.parametrize('case', MESSAGES)
def test_late_lost_doubled_and_reordered_heartbeats(case: str) -> None:
    subject = gate()
    messages, cancelled = MESSAGES[case]
    now = NOW
    for sequence, number, sent, read in messages:
        now = NOW + read
        hear(subject, heartbeat(sequence, number=number, at=NOW + sent), now)
    subject.goals.update_status({MINE: True, FOREIGN: True})
    assert cancels(subject, now + 0.05) == ((MINE,) if cancelled else ())


def test_a_silent_executive_ends_its_goal_and_no_heartbeat_brings_it_back() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.goals.update_status({MINE: True})
    assert cancels(subject, NOW + 0.31) == (MINE,)
    assert subject.ending is not None
    assert subject.ending.code is EndingCode.GAP
    hear(subject, heartbeat(2, at=NOW + 0.4), NOW + 0.4)
    assert cancels(subject, NOW + 0.4 + CANCEL_AGAIN_S) == (MINE,), 'it is cancelled again'
    hear(subject, heartbeat(3, NEXT, 2, at=NOW + 0.7), NOW + 0.7)
    subject.goals.update_status({MINE: False, NEXT: True})
    assert cancels(subject, NOW + 0.8) == ()


def test_after_a_stop_the_same_permit_is_of_no_use() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.stop('asked')
    hear(subject, heartbeat(2))
    assert cancels(subject, NOW) == (MINE,)


def test_a_goal_that_the_server_accepts_after_the_death_of_its_executive_is_cancelled() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    assert cancels(subject, NOW + 0.4) == (MINE,)
    subject.goals.note_unknown(MINE, NOW + 0.4)  # it may be on its way
    assert subject.moving(NOW + 0.5) is None
    assert cancels(subject, NOW + 0.4 + CANCEL_AGAIN_S) == (MINE,), 'it is cancelled again'
    subject.goals.note_unknown(MINE, NOW + LATE_S + 0.1)
    assert subject.moving(NOW + LATE_S + 0.1) is False
    subject.goals.update_status({MINE: True})
    assert cancels(subject, NOW + 9.6) == (MINE,)
    assert subject.moving(NOW + 9.6) is True
    subject.goals.note_unknown(MINE, NOW + 9.7)  # another process serves the action since
    assert subject.moving(NOW + 9.7) is False


def test_a_goal_that_is_being_cancelled_has_not_ended() -> None:
    """rcl answers ERROR_GOAL_TERMINATED to the second cancel, however long the goal goes on."""
    subject = gate()
    hear(subject, heartbeat(1))
    subject.goals.update_status({MINE: True})
    hear(subject, heartbeat(2, number=0))
    assert cancels(subject, NOW) == (MINE,)
    subject.goals.update_status({MINE: True})  # it is being cancelled
    assert cancels(subject, NOW + CANCEL_AGAIN_S) == (MINE,)
    subject.goals.note_ended(MINE)
    assert subject.moving(NOW + CANCEL_AGAIN_S) is True
    subject.goals.update_status({MINE: False})
    assert subject.moving(NOW + CANCEL_AGAIN_S) is False


def test_the_server_may_list_a_goal_before_a_heartbeat_names_it() -> None:
    """A list comes once, when something changes."""
    subject = gate()
    subject.goals.update_status({MINE: True, FOREIGN: True})
    hear(subject, heartbeat(1))
    assert subject.moving(NOW) is True
    hear(subject, heartbeat(2, number=0))
    assert cancels(subject, NOW) == (MINE,)


def test_a_server_that_was_started_again_has_lost_its_goals() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.goals.update_status({MINE: True})
    hear(subject, heartbeat(2, number=0))
    subject.goals.update_status({FOREIGN: True})
    assert cancels(subject, NOW) == ()
    assert subject.moving(NOW) is False


@given(
    st.lists(st.sampled_from([{}, {FOREIGN: True}, {FOREIGN: False}, {MINE: True}]), max_size=6)
)
def test_of_two_servers_the_list_of_one_ends_nothing_at_the_other(
    lists: list[dict[str, bool]],
) -> None:
    """The arm went on with nobody's permission after the other server had listed its own goals."""
    subject = gate()
    hear(subject, heartbeat(1))
    subject.goals.update_status({MINE: True}, alone=False)
    for each in lists:
        subject.goals.update_status(each, alone=False)
    assert subject.moving(NOW) is True
    hear(subject, heartbeat(2, number=0))
    assert cancels(subject, NOW) == (MINE,)
    subject.goals.note_ended(MINE)  # to every cancel but the first
    assert cancels(subject, NOW + CANCEL_AGAIN_S) == (MINE,)
    subject.goals.update_status({MINE: False}, alone=False)
    assert (cancels(subject, NOW + 2 * CANCEL_AGAIN_S), subject.moving(NOW)) == ((), False)


def test_it_is_not_known_whether_it_moves_while_nothing_says_so() -> None:
    subject = gate(max_age_s=1.0)
    assert subject.moving(NOW) is None
    assert subject.why_unknown(NOW) == 'no message for 1 s says whether it moves'
    subject.measure(False, NOW)
    assert subject.moving(NOW) is False
    hear(subject, heartbeat(1))
    assert subject.moving(NOW) is None, 'the server has said nothing of the goal'
    subject.goals.update_status({MINE: False})
    assert subject.moving(NOW) is False
    subject.measure(True, NOW + 0.1)
    assert subject.moving(NOW + 0.1) is True
    assert subject.moving(NOW + 1.2) is None
    subject.measure(False, NOW + 1.2)
    subject.invalidate('nothing publishes /busy')
    assert subject.moving(NOW + 1.2) is None
    assert subject.why_unknown(NOW + 1.2) == 'nothing publishes /busy'


def test_what_was_measured_before_a_goal_ended_shows_no_standstill() -> None:
    """The arm was to stop, went on, and its stop was confirmed by a message from before it."""
    subject = gate(max_age_s=3600.0)
    subject.measure(False, NOW)
    hear(subject, heartbeat(1), NOW + 0.1)
    subject.goals.update_status({MINE: True})
    hear(subject, heartbeat(2, number=0, at=NOW + 0.4), NOW + 0.4)
    subject.goals.update_status({MINE: False})
    assert subject.moving(NOW + 0.5) is None
    assert 'from after the end' in subject.why_unknown(NOW + 0.5)
    subject.measure(True, NOW + 0.6)
    assert subject.moving(NOW + 0.6) is True
    subject.measure(False, NOW + 0.7)
    assert subject.moving(NOW + 0.7) is False


def test_a_topic_that_says_what_has_changed_is_not_waited_for_for_ever() -> None:
    subject = gate(max_age_s=3600.0)
    subject.measure(False, NOW)
    hear(subject, heartbeat(1), NOW + 0.1)
    subject.goals.update_status({MINE: False})  # it was rejected
    assert subject.moving(NOW + 0.2) is None
    assert subject.moving(NOW + 0.2 + MAY_BE_SILENT_S) is False


EVENTS = st.one_of(
    st.tuples(st.just('heartbeat'), st.integers(0, 8), st.integers(0, 2), st.floats(-1.0, 1.0)),
    st.tuples(st.just('status'), st.booleans(), st.booleans()),
    st.tuples(st.just('stop')),
    st.tuples(st.just('pass'), st.floats(0.0, 0.5)),
)


@given(st.lists(EVENTS, max_size=30))
def test_only_named_goals_are_cancelled_and_all_of_them_that_nothing_permits(
    events: list[tuple[Any, ...]],
) -> None:
    subject, now, named = gate(), NOW, set()
    goals = {1: MINE, 2: NEXT}
    for name, *values in events:
        if name == 'heartbeat':
            sequence, number, old = values
            heard = heartbeat(sequence, goals.get(number, ''), number, now - old)
            if not subject.receive(heard, SYSTEM + now - NOW, now) and number:
                named.add(goals[number])
        elif name == 'status':
            subject.goals.update_status({MINE: values[0], NEXT: values[1], FOREIGN: True})
        elif name == 'stop':
            subject.stop('asked')
        else:
            now += values[0]
        now += CANCEL_AGAIN_S  # what was cancelled before may be cancelled again
        due = cancels(subject, now)
        assert set(due) <= named
        held = subject.held_goal(now)
        assert held not in due
        age = (now - NOW) - (subject.heartbeat.sent_at - SYSTEM)
        assert not held or age <= LIMIT_S + 1e-6
