"""The robot's time: ROS time as far as it passes; steady time where its clock stands or is set.

A simulation may be paused, be faster than the world, and set its clock; a motion that was started
for ten seconds ends all the same.
"""

from __future__ import annotations

# No simulation is followed that is faster (rover.speed_factor has the same limit), ...
FASTEST = 100.0
# ... except for a step as large as this: /clock comes in steps, and two readings may be close.
STEP_S = 2.0
# A clock that stands still for this long, in steady s, counts as lost.
STANDSTILL_S = 2.0


def passed_between(stamps_s: float, arrivals_s: float, simulated: bool) -> float:
    """Return the time in s that has surely passed between two measurements.

    Their stamps show it, but their clock may have been set forward between them: in real time, no
    more has passed than between their arrivals.
    """
    return stamps_s if simulated else min(stamps_s, arrivals_s)


def is_leap(step_s: float, waited_s: float) -> bool:
    """Return whether a clock was set: no simulation advances so far in so many steady s."""
    return step_s > STEP_S + FASTEST * waited_s


class RobotTime:
    """Seconds of ROS time that have passed: monotonic, without jumps.

    Where the ROS clock is set, and while it stands still for longer than `STANDSTILL_S`, steady
    time is used instead: a timed motion ends even if /clock fails. The first /clock sets it, at
    any value: ROS time is zero before (https://design.ros2.org/articles/clock_and_time.html).
    """

    def __init__(self, ros: float, steady: float) -> None:
        self._ros, self._steady = ros, steady
        self._still_s = 0.0
        self._passed = 0.0

    def passed(self, ros: float, steady: float) -> float:
        """Return the robot's time in s at these readings; to be called periodically."""
        before, step, waited = self._ros, ros - self._ros, steady - self._steady
        self._ros, self._steady = ros, steady
        if step == 0.0:
            self._still_s += waited
            self._passed += min(waited, max(self._still_s - STANDSTILL_S, 0.0))
        else:
            self._still_s = 0.0
            is_set = before == 0.0 or step < 0.0 or is_leap(step, waited)
            self._passed += waited if is_set else step
        return self._passed
