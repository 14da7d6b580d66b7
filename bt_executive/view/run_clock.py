"""The clock of a run: seconds since its begin, for console, page, report and film."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
import math

from bt_executive.client.front_end_events import ClientEvent, RunStarted, StateReceived
from rover_common.geometry.transforms import SET_BACK_S
from rover_common.trace_event import TraceEvent

# Of the system's clock: after a smaller step back what is shown is soon in order again.
CLOCK_BACK_S = 60.0
EPOCH_FROM_S = 1e9  # ROS seconds below it count from the start of a simulation


class RunClock:
    """The current ROS time, and the begin of the run. Times are ROS seconds.

    Args:
        system: Returns system time in s.
        began: Begin of the run, if known; the executive may report an earlier one.
        simulated: Whether ROS time is simulated. Then the latest reported time is the current one,
            and the begin is that of the executive; before its report, the first reported time.
            Poses that are older than those before begin another simulation.

    Attributes:
        resets: How often time has begun anew: with another simulation, or since the system's clock
            was set back by more than `CLOCK_BACK_S`.
    """

    def __init__(
        self, system: Callable[[], float], began: float | None = None, simulated: bool = False
    ) -> None:
        self._system = None if simulated else system
        self.resets = 0
        self._newest = self._pose_stamp = 0.0
        self._reported_start = self._latest_start = math.inf  # the earliest, and the latest report
        self._began = math.inf if began is None or simulated else began

    @property
    def now(self) -> float:
        """The current time; 0.0 before the first report of a simulated one."""
        return self._newest if self._system is None else self._system()

    @property
    def is_known(self) -> bool:
        """Whether the begin of the run is known."""
        return self._began < math.inf

    def apply(self, event: ClientEvent) -> bool:
        """Applies an event; returns whether the begin of the run changed."""
        before = self._began
        if self._system is not None:
            self._follow_system(self._system())
        match event:
            case RunStarted(ts) if self._system is None:
                self._latest_start = ts
                self._began = self._reported_start = min(self._reported_start, ts)
            case RunStarted(ts) if ts > 0.0:
                self._began = min(self._began, ts)
            case TraceEvent(ts=ts):
                self._report(ts)
            case StateReceived(state):
                self._follow(state.robot.pose_stamp)
                self._report(state.robot.pose_stamp)
        return self._began != before

    def began(self, first: float = math.inf) -> float:
        """Return the begin of the run. `first`: the first time that is shown."""
        return min(first, self._began)

    def seconds(self, ts: float | None = None) -> float:
        """Return seconds since the begin, at `ts` or now; 0.0 if the begin is not known."""
        return (self.now if ts is None else ts) - self._began if self.is_known else 0.0

    def _follow(self, pose_stamp: float) -> None:
        """Begins anew with a simulation that has begun anew."""
        if self._system is not None or pose_stamp <= 0.0:
            return
        if pose_stamp < self._pose_stamp - SET_BACK_S:
            is_before = self._latest_start <= pose_stamp + SET_BACK_S
            self._began = self._reported_start = self._latest_start if is_before else math.inf
            self._newest = 0.0
            self.resets += 1
        self._pose_stamp = pose_stamp

    def _follow_system(self, now: float) -> None:
        """Takes the begin of the run with the clock when that is set back."""
        back_s, self._newest = self._newest - now, now
        if back_s > CLOCK_BACK_S:
            self._began -= back_s
            self.resets += 1

    def _report(self, ts: float) -> None:
        if self._system is None and ts > 0.0:
            self._newest = max(self._newest, ts)
            if self._reported_start == math.inf:
                self._began = min(self._began, ts)


def time_of_day(ts: float) -> str:
    """Return the local time of day of ROS seconds; empty for simulated and invalid times."""
    if ts >= EPOCH_FROM_S:
        with suppress(OverflowError, OSError, ValueError):
            return datetime.fromtimestamp(ts).strftime('%H:%M:%S')
    return ''
