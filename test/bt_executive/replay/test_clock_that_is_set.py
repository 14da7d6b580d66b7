"""A clock that is set or stands still between quiet ticks, of which a recording has no line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, TreeBench


def wait(it: TreeBench, times: int) -> None:
    """Waits for 1.2 s, with inputs in the first tick only."""
    for _ in range(times):
        it.status()
        it.tick(12, after=0.1)


@pytest.mark.parametrize(('speed', 'jump'), [(1.0, -50.0), (1.0, 50.0), (0.0, 0.0)])
def test_the_deadline_of_a_goal_is_moved_in_the_same_tick(
    command: Any, bench: MakeBench, tmp_path: Path, speed: float, jump: float
) -> None:
    it = bench(*[None] * 500)
    run = RecordedRun(tmp_path, it)
    it.goal('look', deadline=it.moment.ros + 20.0)
    wait(it, 2)
    it.run_clock(speed, jump=jump)
    wait(it, 4)
    it.run_clock(1.0)
    wait(it, 2)
    (task,) = it.context.state.tasks.queue
    assert task.deadline is not None
    assert 10.0 < task.deadline - it.moment.ros < 16.0
    it.executive.shut_down()
    run.close()
    code, out, _ = command(tmp_path)
    assert (code, 'identical' in out) == (0, True), out
