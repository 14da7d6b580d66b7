"""Whatever happens to messages, what executive or navigator withdraw ends in 0.5 s for good.

The world of these tests is test/support/three_borders.py. That it would notice is shown by taking
away, one at a time, what the promise rests on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import settings
import pytest
from three_borders import ThreeBorders, live_through_many

from curiosity_adapter.setpoint_motions import NavigationGoals
from gates.permit_rules import HeartbeatTimeout, PermitRules

pytestmark = pytest.mark.long

TestThreeBorders = ThreeBorders.TestCase
TestThreeBorders.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=25
)

LIVES = 10


def test_goals_are_driven_all_the_same() -> None:
    assert live_through_many(LIVES) >= LIVES


@pytest.mark.parametrize(
    ('where', 'what', 'instead', 'then', 'seen_in'),
    [
        (HeartbeatTimeout, 'ends_motion', lambda _self, _now: False, 'the rover rolls on', 25),
        (NavigationGoals, '_names_motion', lambda _self, _number: True, 'the rover rolls on', 0),
        (
            PermitRules,
            '_is_used',
            lambda _self: False,
            'a permit started two (navigation goals|motions)',
            33,
        ),
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
        live_through_many(150, seen_in)
