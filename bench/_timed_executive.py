"""The executive, which also writes down what each tick took: BENCH_TICKS names the file."""

from __future__ import annotations

import os
from pathlib import Path
import struct
import time
from typing import NamedTuple

from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.ros import executive_node
from rover_common.ros.run_node import run_node

VARIABLE = 'BENCH_TICKS'
ROW = struct.Struct('ddd')


class Tick(NamedTuple):
    """Steady time of its begin, its length; processor time of its thread since the last one."""

    began_s: float
    length_s: float
    processor_s: float


class WrittenTicks(TickStatistics):
    """Writes after each tick, so that the tick itself is as long as ever."""

    def __init__(self, period_s: float) -> None:
        super().__init__(period_s)
        self._used_s = 0.0
        self._file = os.open(os.environ[VARIABLE], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def count(self, started_at: float, ended_at: float) -> None:
        """Enters a tick."""
        super().count(started_at, ended_at)
        used_s, self._used_s = self._used_s, time.thread_time()
        os.write(self._file, ROW.pack(started_at, ended_at - started_at, self._used_s - used_s))


def ticks_between(path: Path, began: float, ended: float) -> list[Tick]:
    """The ticks that began in this stretch of steady time, in s."""
    ticks = (Tick(*row) for row in ROW.iter_unpack(path.read_bytes()))
    return [tick for tick in ticks if began <= tick.began_s < ended]


if __name__ == '__main__':
    vars(executive_node)['TickStatistics'] = WrittenTicks
    run_node(executive_node.ExecutiveNode)
