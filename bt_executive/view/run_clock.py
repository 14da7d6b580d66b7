"""The one clock of a run: seconds since it began, on console, page, report and film."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
import math

from bt_executive.client.front_end_events import ClientEvent, RunStarted, StateReceived
from rover_common.trace_event import TraceEvent

EPOCH_FROM_S = 1e9  # ROS seconds below it count from the start of a simulation


class RunClock:
    """What time it is for the robot, and since when the run counts. Times are ROS seconds.

    Args:
        system: System time in s.
        began: When the run did, as far as it is known; the executive may know better.
        simulated: Whether the robot's time is simulated. Then the newest that was reported is now,
            and the run began as its executive says; until then with the first.
    """

    def __init__(
        self, system: Callable[[], float], began: float | None = None, simulated: bool = False
    ) -> None:
        self._system = None if simulated else system
        self._newest = 0.0
        self._told = math.inf  # by an executive
        self._began = math.inf if began is None or simulated else began

    @property
    def now(self) -> float:
        """The time; 0.0 while nothing has reported a simulated one."""
        return self._newest if self._system is None else self._system()

    @property
    def is_known(self) -> bool:
        """Whether somebody has said when the run began."""
        return self._began < math.inf

    def apply(self, event: ClientEvent) -> bool:
        """Enters what happened; returns whether the run began at another time than was known."""
        before = self._began
        match event:
            case RunStarted(ts) if self._system is None:
                self._began = self._told = min(self._told, ts)
            case RunStarted(ts) if ts > 0.0:
                self._began = min(self._began, ts)
            case TraceEvent(ts=ts):
                self._report(ts)
            case StateReceived(state):
                self._report(state.robot.pose_stamp)
        return self._began != before

    def began(self, first: float = math.inf) -> float:
        """When the run did. `first`: the first moment of it that is shown."""
        return min(first, self._began)

    def seconds(self, ts: float | None = None) -> float:
        """Of the run, at a moment or now; 0.0 while its begin is not known."""
        return (self.now if ts is None else ts) - self._began if self.is_known else 0.0

    def _report(self, ts: float) -> None:
        if self._system is None and ts > 0.0:
            self._newest = max(self._newest, ts)
            if self._told == math.inf:
                self._began = min(self._began, ts)


def time_of_day(ts: float) -> str:
    """Here, of ROS seconds; empty of a simulated time and of one that is no date."""
    if ts >= EPOCH_FROM_S:
        with suppress(OverflowError, OSError, ValueError):
            return datetime.fromtimestamp(ts).strftime('%H:%M:%S')
    return ''
