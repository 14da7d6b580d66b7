"""Whatever happened in a run, its recording gives the same events, verdicts and calls again."""

from __future__ import annotations

from pathlib import Path

import pytest
from shares import share
from varied_runs import VariedRun

from bt_executive.replay.recorded_run import open_run
from bt_executive.replay.replay_of_process import replay

pytestmark = pytest.mark.long

RUNS = share(6, 100)


@pytest.mark.parametrize('seed', range(RUNS))
def test_what_was_recorded_is_replayed_identically(seed: int, tmp_path: Path) -> None:
    VariedRun(tmp_path, seed).play()
    run = open_run(tmp_path)
    for moment in replay(run, run.config):
        assert moment.difference is None, moment.difference
