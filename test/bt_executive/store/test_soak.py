"""Goal after goal in one process; `python -m bench.soak` does the same ten thousand times."""

from __future__ import annotations

from pathlib import Path

import pytest
from shares import share

from bench.soak import Soak, growth, left_in
from bt_executive.approval import approval_registry

pytestmark = pytest.mark.long
BATCHES, GOALS = 6, share(70, 200)
MAX_MB = 1.0  # a third of what they write
MOST_REQUESTS = 20  # as many as have ended in the first batch: what is kept of them is full
# Blocks of memory that stay for each goal. In so few goals the counts differ by some hundred at
# random, 0.6 for each goal; one kept record of a goal is 6.
MOST_BLOCKS = 3.0


def test_nothing_grows_with_the_goals_and_each_has_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval_registry, 'MAX_ENDED', MOST_REQUESTS)
    path = tmp_path / 'journal.sqlite'
    soak = Soak(path, MAX_MB)
    for _ in range(BATCHES):
        soak.pursue(GOALS)
    soak.close()
    assert soak.faults == []
    assert soak.store.ended == soak.asked == BATCHES * GOALS
    assert list(left_in(path)) == []
    assert growth(soak.marks) <= MOST_BLOCKS
    assert path.stat().st_size <= 2 * MAX_MB * 1e6


def test_a_goal_without_an_end_is_seen(tmp_path: Path) -> None:
    """The soak has teeth."""
    path = tmp_path / 'journal.sqlite'
    soak = Soak(path, MAX_MB)
    soak.world.ask(1)
    soak.step()
    soak.close()
    assert list(left_in(path))
