"""Whatever happens to messages, a withdrawn motion ends in 0.5 s and starts nothing later.

The world of these tests is test/support/two_borders.py. That it would notice is shown by taking
away, one at a time, what the promise rests on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import settings
import pytest
from two_borders import START_LATE_S, TwoBorders, live_through_many

from curiosity_adapter.permit_and_deadman import Permission
from curiosity_adapter.start_and_stop_requests import MotionRequests, OwedStop
from gates.permit_rules import PermitRules

pytestmark = pytest.mark.long

TestTwoBorders = TwoBorders.TestCase
TestTwoBorders.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=25
)


@pytest.mark.parametrize(
    ('happens', 'before_s', 'lasts_s'),
    [
        ('control_dies', 0.0, 3.0),
        ('control_stands_still', 0.0, 3.0),
        ('the_adapter_stands_still', 0.5, 5.0),
    ],
)
def test_a_start_that_came_late_is_stopped_although_another_one_does_not_run(
    happens: str, before_s: float, lasts_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = TwoBorders()
    world.begin(0)

    def in_time_and_starts_late_again(latest_s: float) -> list[float]:
        again = [world.now + 2.0] if latest_s == START_LATE_S else []
        return [world.now, *again]

    monkeypatch.setattr(world, 'fates', in_time_and_starts_late_again)
    world.pass_time(1.0)
    world.drive('move_forward', 0.5, 1.5 - before_s, called_off=True)
    assert not world.rolling
    if before_s:
        getattr(world, happens)(lasts_s)
    while not world.stray:
        world.pass_time(0.01)
    assert world.rolling
    if not before_s:
        getattr(world, happens)(lasts_s)
    world.pass_time(before_s + lasts_s)
    assert not world.rolling
    world.teardown()


def a_stop_is_sent_until_it_is_answered(stops: Any, now: float) -> bool:
    return bool(stops.owed and now - stops._last_sent_at > stops._retry_s)


def a_stop_takes_the_service_only(requests: Any) -> None:
    if requests._stops.due(requests._clock()):
        requests.send_stop()


@pytest.mark.parametrize(
    ('where', 'what', 'instead', 'then', 'seen_in'),
    [
        (Permission, 'withdrawal', lambda _self, _motion: None, 'the rover rolls on', 55),
        (Permission, 'silence', lambda _self, _motion, _now: None, 'the rover rolls on', 33),
        (PermitRules, '_is_used', lambda _self: False, 'a permit started two motions', 22),
        (OwedStop, 'due', a_stop_is_sent_until_it_is_answered, 'the rover rolls on', 5),
        (MotionRequests, 'send_due_stop', a_stop_takes_the_service_only, 'the rover rolls on', 41),
    ],
)
def test_the_promise_rests_on_each_of_these(
    where: type,
    what: str,
    instead: Callable[..., Any],
    then: str,
    seen_in: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, what, instead)
    with pytest.raises(AssertionError, match=then):
        live_through_many(300, seen_in)
