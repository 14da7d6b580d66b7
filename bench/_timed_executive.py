"""The executive, which also writes down what each tick took: BENCH_TICKS names the file.

What depends on who looks (messages that are sent, the stream of the tree) is timed by itself, with
the rest of the same tick beside it: what slows the core, or empties its caches, slows both alike.
"""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import struct
import threading
import time
from typing import Any, NamedTuple

from rclpy.publisher import Publisher

from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.ros import executive_node
from bt_executive.ros.executive_publishers import ExecutiveOutputs
from bt_executive.ros.tree_stream.own_tree_host import OwnTreeHost
from rover_common.ros.run_node import run_node

VARIABLE = 'BENCH_TICKS'
ROW = struct.Struct('ddddd')
IN_TICK = (
    (OwnTreeHost, 'after_tick'),
    (ExecutiveOutputs, 'show_approvals'),
    (Publisher, 'publish'),
)
BETWEEN = ((ExecutiveOutputs, 'publish_between_ticks'),)  # heartbeat, state and diagnostics


class Tick(NamedTuple):
    """One of them, in s.

    Attributes:
        began_s: Steady time.
        length_s: Of the tick alone.
        processor_s: Of its thread, for it and for all since the one before.
        showing_s: Of that, for what depends on viewers, within the tick.
        sending_s: The same, between two ticks.
    """

    began_s: float
    length_s: float
    processor_s: float
    showing_s: float
    sending_s: float


class Spent(threading.local):
    """Processor time of this thread for what depends on viewers, by kind."""

    def __init__(self) -> None:
        self.seconds = [0.0, 0.0]
        self._is_inside = False

    def timed(self, do: Callable[..., Any], kind: int) -> Callable[..., Any]:
        """The same, timed; what is called within it counts once."""

        def wrapped(*arguments: Any, **named: Any) -> Any:
            if self._is_inside:
                return do(*arguments, **named)
            self._is_inside, began_s = True, time.thread_time()
            try:
                return do(*arguments, **named)
            finally:
                self._is_inside = False
                self.seconds[kind] += time.thread_time() - began_s

        return wrapped


class WrittenTicks(TickStatistics):
    """Writes after each tick, so that the tick itself is as long as ever."""

    spent = Spent()

    def __init__(self, period_s: float) -> None:
        super().__init__(period_s)
        self._before = [0.0, 0.0, 0.0]
        self._file = os.open(os.environ[VARIABLE], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def count(self, started_at: float, ended_at: float) -> None:
        """Enters a tick."""
        super().count(started_at, ended_at)
        now = [time.thread_time(), *self.spent.seconds]
        parts = (each - before for each, before in zip(now, self._before, strict=True))
        os.write(self._file, ROW.pack(started_at, ended_at - started_at, *parts))
        self._before = now


def ticks_between(path: Path, began: float, ended: float) -> list[Tick]:
    """The ticks that began in this stretch of steady time, in s."""
    ticks = (Tick(*row) for row in ROW.iter_unpack(path.read_bytes()))
    return [tick for tick in ticks if began <= tick.began_s < ended]


if __name__ == '__main__':
    for number, places in enumerate((IN_TICK, BETWEEN)):
        for kind, name in places:
            setattr(kind, name, WrittenTicks.spent.timed(getattr(kind, name), number))
    vars(executive_node)['TickStatistics'] = WrittenTicks
    run_node(executive_node.ExecutiveNode)
