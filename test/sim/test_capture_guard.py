"""When a capture is refused, and how the age of things is judged."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from statuses import status_of

from curiosity_sim.capture_guard import CaptureGuard, Freshness
from rover_common.reason import sentence_of

MOVING = {'moving': True, 'mast_is_open': True}
CLOSED = {'moving': False, 'mast_is_open': False}
READY = {'moving': False, 'mast_is_open': True}
UNKNOWN = {'moving': False, 'mast_is_open': None}


@pytest.mark.parametrize(
    ('variant', 'status', 'reason'),
    [
        ('B', MOVING, 'Move in progress'),
        ('B', CLOSED, 'Mast is closed'),
        ('B', READY, ''),
        ('B', UNKNOWN, ''),
        ('A', MOVING, 'Move in progress'),
        ('A', CLOSED, ''),
        ('B', {**CLOSED, 'moving': True}, 'Move in progress'),
        ('B', {}, ''),
    ],
)
def test_reasons(variant: Literal['A', 'B'], status: dict[str, Any], reason: str) -> None:
    guard = CaptureGuard(variant, max_age=1.5)
    guard.update(status_of(status), now=10.0)
    assert sentence_of(guard.refusal(now=11.0)) == reason


def test_silence_does_not_refuse() -> None:
    guard = CaptureGuard('B', max_age=1.5)
    assert guard.refusal(now=0.0) is None
    guard.update(status_of(MOVING), now=10.0)
    assert guard.refusal(now=11.6) is None


def test_the_same_mark_is_no_news() -> None:
    freshness = Freshness(max_age=2.0)
    assert freshness.is_stale(0.0)
    freshness.note('a', 1.0)
    freshness.note('a', 2.5)
    assert not freshness.is_stale(3.0)
    assert freshness.is_stale(3.1)
    freshness.note('b', 4.0)
    assert freshness.age(4.5) == 0.5
