"""The executive, which also writes down how long each tick took: BENCH_TICKS names the file."""

from __future__ import annotations

import os
from pathlib import Path
import struct

from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.ros import executive_node
from rover_common.ros.run_node import run_node

VARIABLE = 'BENCH_TICKS'
ROW = struct.Struct('dd')  # steady time of the tick's begin, its length in s


class WrittenTicks(TickStatistics):
    """Writes after each tick, so that the tick itself is as long as ever."""

    def __init__(self, period_s: float) -> None:
        super().__init__(period_s)
        self._file = os.open(os.environ[VARIABLE], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def count(self, started_at: float, ended_at: float) -> None:
        """Enters a tick."""
        super().count(started_at, ended_at)
        os.write(self._file, ROW.pack(started_at, ended_at - started_at))


def ticks_between(path: Path, began: float, ended: float) -> list[float]:
    """How long the ticks took that began in this stretch of steady time, in s."""
    rows = ROW.iter_unpack(path.read_bytes())
    return [length for at, length in rows if began <= at < ended]


if __name__ == '__main__':
    vars(executive_node)['TickStatistics'] = WrittenTicks
    run_node(executive_node.ExecutiveNode)
