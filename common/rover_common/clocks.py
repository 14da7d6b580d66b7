"""Two clocks: what happens in the robot's world, and whether processes are alive.

A drive of ten seconds is ten seconds of the robot's time, however fast a simulation passes. A
process that has not answered for a second has not, however much simulated time that was. Who
counts in which: docs/decisions/0010-two-clocks.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
import math

# No simulation is followed that is faster (rover.speed_factor has the same limit), ...
FASTEST = 100.0
# ... except for a step as large as this: /clock comes in steps, and two readings may be close.
STEP_S = 2.0
# A clock that stands still for so long, in steady s, counts as lost.
STANDSTILL_S = 2.0


@dataclass(frozen=True)
class Now:
    """One moment on every clock, in s.

    Attributes:
        ros: ROS time, for stamps. It may be set at any time.
        robot: The robot's time: ROS time as far as it passes, see `RobotTime`.
        steady: Steady time of this machine.
        awake_since: Steady time at which this process last went on after it had stood still:
            suspended, or on a machine that did not let it run.
    """

    ros: float
    robot: float
    steady: float
    awake_since: float = -math.inf

    @classmethod
    def at(cls, seconds: float) -> Now:
        """The same on every clock, as without simulation."""
        return cls(seconds, seconds, seconds)

    def later(self, robot: float, steady: float) -> Now:
        """This moment and so many s of each clock's passing time."""
        return replace(self, robot=self.robot + robot, steady=self.steady + steady)

    def silent_for(self, seen_at: float) -> float:
        """For how long something was not seen, in steady s while this process was awake."""
        return self.steady - max(seen_at, self.awake_since)

    def since(self, earlier: Now) -> float:
        """What has passed on both clocks: the smaller of the two times, in s.

        For limits of what takes the robot's time and the time of messages: neither a fast nor a
        slow simulation uses them up too early.
        """
        return min(self.robot - earlier.robot, self.steady - earlier.steady)


@dataclass(frozen=True)
class Alarm:
    """When something is to be looked at again, at the latest, on each clock; infinite: never."""

    robot: float = math.inf
    steady: float = math.inf

    def or_at(self, robot: float = math.inf, steady: float = math.inf) -> Alarm:
        """The earlier one on each clock."""
        return Alarm(min(self.robot, robot), min(self.steady, steady))


class RobotTime:
    """Seconds of ROS time that have passed: never back, and no jump.

    Where the ROS clock is set, and where it has stood still for `STANDSTILL_S`, steady time is
    taken instead: a motion that is timed ends, whatever becomes of /clock.
    """

    def __init__(self, ros: float, steady: float) -> None:
        self._ros, self._steady = ros, steady
        self._still_s = 0.0
        self._passed = 0.0

    def passed(self, ros: float, steady: float) -> float:
        """The robot's time in s when the clocks show this; call it again and again."""
        step, waited = ros - self._ros, steady - self._steady
        self._ros, self._steady = ros, steady
        if step == 0.0:
            self._still_s += waited
            self._passed += min(waited, max(self._still_s - STANDSTILL_S, 0.0))
        else:
            self._still_s = 0.0
            self._passed += step if 0.0 < step <= STEP_S + FASTEST * waited else waited
        return self._passed


class Clocks:
    """Reads both clocks; one instance for one thread.

    Args:
        ros: Gives ROS time in s.
        steady: Gives steady time in s; an attribute, too, for who needs no other.
        longest_gap_s: Readings that are further apart mean that this process stood still.
    """

    def __init__(
        self,
        ros: Callable[[], float],
        steady: Callable[[], float],
        longest_gap_s: float = math.inf,
    ) -> None:
        self._ros, self.steady = ros, steady
        self._longest_gap_s = longest_gap_s
        self._read_at, self._awake_since = steady(), -math.inf
        self._robot = RobotTime(ros(), self._read_at)

    def __call__(self) -> Now:
        """This moment."""
        ros, steady = self._ros(), self.steady()
        if steady - self._read_at > self._longest_gap_s:
            self._awake_since = steady
        self._read_at = steady
        return Now(ros, self._robot.passed(ros, steady), steady, self._awake_since)
