"""Killed at any moment, with any part of what waited on disk: no act twice, and nothing lost."""

from __future__ import annotations

from drawn_lives import DrawnLives
import pytest
from shares import share

pytestmark = pytest.mark.long

RUNS = share(15, 30)  # 400 were run by hand


@pytest.mark.parametrize('seed', range(RUNS))
def test_whenever_it_is_killed_nothing_is_done_twice_and_nothing_is_lost(seed: int) -> None:
    lives = DrawnLives(seed)
    lives.play()
    lives.finish()
    assert not lives.faults, lives.faults
    twice = {each: count for each, count in lives.sent.items() if count > 1}
    assert not twice, twice
    ends = lives.ends()
    assert set(ends) >= lives.goals(), 'who comes and goes within a tick was never open'
    assert set(ends.values()) <= {1}
