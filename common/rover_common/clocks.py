"""Two clocks: what happens in the robot's world, and whether processes are alive.

A drive of ten seconds is ten seconds of the robot's time, whatever the speed of a simulation. A
process that has not answered for a second has not, however much simulated time that was. Which
limit counts in which clock: docs/decisions/0010-two-clocks.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
import math
from typing import NamedTuple

from rover_common.robot_time import RobotTime

# So long after a standstill a process reads the messages that arrived meanwhile, in steady s.
READING_S = 0.5
# Number of standstills that are remembered as an excuse for silence.
MOST_STANDSTILLS = 64


class Standstill(NamedTuple):
    """This process did not run: it was suspended, or the machine had no time for it.

    Attributes:
        end: When it went on, in steady s.
        length_s: By how much the gap between two readings exceeded the usual one.
    """

    end: float
    length_s: float


def append_standstill(
    standstills: tuple[Standstill, ...], latest: Standstill
) -> tuple[Standstill, ...]:
    """Append a standstill; the oldest ones are dropped, so they no longer excuse silence."""
    return (*standstills, latest)[-MOST_STANDSTILLS:]


@dataclass(frozen=True)
class Now:
    """One moment on every clock, in s.

    Attributes:
        ros: ROS time, for stamps. It may be set at any time.
        robot: The robot's time: ROS time as far as it passes, see `RobotTime`.
        steady: Steady time of this machine.
        standstills: The latest standstills of this process, oldest first.
    """

    ros: float
    robot: float
    steady: float
    standstills: tuple[Standstill, ...] = ()

    @classmethod
    def at(cls, seconds: float) -> Now:
        """The same time on every clock, as without simulation."""
        return cls(seconds, seconds, seconds)

    def later(self, robot: float, steady: float) -> Now:
        """This moment plus so many s on the robot's and the steady clock."""
        return replace(self, robot=self.robot + robot, steady=self.steady + steady)

    @property
    def awake_for(self) -> float:
        """Time since the latest standstill of this process, in s."""
        return self.steady - self.standstills[-1].end if self.standstills else math.inf

    def silent_for(self, seen_at: float) -> float:
        """Time since something was last seen, in steady s, without this process's standstills.

        Only the standstills themselves are excused, and once the time to read the messages that
        arrived meanwhile: silence is found between consecutive pauses, too.
        """
        age = self.steady - seen_at
        missed = [each for each in self.standstills if each.end > seen_at]
        if not missed:
            return age
        asleep = sum(min(each.length_s, each.end - seen_at) for each in missed)
        reading = min(self.steady - missed[0].end, READING_S)
        return max(age - asleep - reading, 0.0)

    def since(self, earlier: Now) -> float:
        """Time that has passed on both clocks: the smaller of the two, in s.

        For limits of what takes the robot's time and the time of messages: neither a fast nor a
        slow simulation exceeds them too early.
        """
        return min(self.robot - earlier.robot, self.steady - earlier.steady)

    def exceeds(self, earlier: Now, limit_s: float) -> bool:
        """Whether a limit that began earlier is over, in s.

        After a suspension this process first reads what has arrived meanwhile; when it is
        suspended again and again, the limit counts its time awake.
        """
        if self.since(earlier) < limit_s:
            return False
        return self.awake_for >= READING_S or self.silent_for(earlier.steady) >= limit_s


@dataclass(frozen=True)
class Alarm:
    """The latest time at which to evaluate again, on each clock; infinite: never."""

    robot: float = math.inf
    steady: float = math.inf

    def or_at(self, robot: float = math.inf, steady: float = math.inf) -> Alarm:
        """The earlier one on each clock."""
        return Alarm(min(self.robot, robot), min(self.steady, steady))


class Clocks:
    """Reads both clocks; one instance for one thread.

    Args:
        ros: Returns ROS time in s.
        steady: Returns steady time in s; also an attribute, for callers that need no other clock.
        longest_gap_s: A longer gap between two readings is a standstill of this process.
        usual_gap_s: The usual gap, which is not counted as a standstill.
    """

    def __init__(
        self,
        ros: Callable[[], float],
        steady: Callable[[], float],
        longest_gap_s: float = math.inf,
        usual_gap_s: float = 0.0,
    ) -> None:
        self._ros, self.steady = ros, steady
        self._longest_gap_s, self._usual_gap_s = longest_gap_s, usual_gap_s
        self._read_at = steady()
        self._standstills: tuple[Standstill, ...] = ()
        self._robot = RobotTime(ros(), self._read_at)

    def __call__(self) -> Now:
        """This moment."""
        ros, steady = self._ros(), self.steady()
        gap = steady - self._read_at
        if gap > self._longest_gap_s:
            standstill = Standstill(steady, gap - self._usual_gap_s)
            self._standstills = append_standstill(self._standstills, standstill)
        self._read_at = steady
        return Now(ros, self._robot.passed(ros, steady), steady, self._standstills)
