"""Whether a timed motion moves the robot as its entry in skills.yaml says: by what was measured.

The adapter knows who asked it for a stop. It does not know who asked the robot's own services,
nor whether something holds the robot. That is seen by how far the robot has come, and by how much
it has turned. Lengths in m, times in s of the robot's time, at the stamps of its poses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
import math

from bt_executive.core.gauges import TREMBLE_M
from bt_executive.core.guards import MotionAhead
from bt_executive.core.state import RobotState
from rover_common.clocks import Now
from rover_common.config.settings import GuardSettings

# A pose whose stamp is further from ROS time is of another clock, or the clock was set.
OTHER_CLOCK_S = 60.0
# So long may pass from the answer to the first metres.
SETTING_OUT_S = 1.5


def measured_at(robot: RobotState, now: Now) -> float | None:
    """When the robot was where its latest pose says, in s of the robot's time; None: no pose."""
    if robot.pose_at is None:
        return None
    age = now.ros - robot.pose_stamp
    return now.robot - (
        max(age, 0.0) if abs(age) < OTHER_CLOCK_S else now.silent_for(robot.pose_at)
    )


@dataclass(frozen=True)
class DriveProgress:
    """How far a motion has come.

    `began`: when it was confirmed. `moved_at`: when the robot had last come `TREMBLE_M` further.
    `yaw`: its heading in rad before.
    """

    motion: MotionAhead
    yaw: float
    began: float
    moved_at: float
    driven_m: float = 0.0

    def seen(self, at: float, driven_m: float) -> DriveProgress:
        """Of a pose at that time, `driven_m` after the motion began."""
        if driven_m == self.driven_m:
            return self
        return replace(self, driven_m=driven_m, moved_at=max(at, self.moved_at))

    def fault(self, at: float, yaw: float, limits: GuardSettings) -> str | None:
        """Why this is not the motion that was asked for; None if it is, as far as is seen.

        `at`, `yaw`: of the latest pose.
        """
        if not self.motion.speed_m_s:
            return None  # the entry does not say how fast
        if at - self.moved_at > self._longest_rest_s(limits):
            return (
                f'the robot stands since it came {self.driven_m:.1f} m: something holds it, or '
                'somebody else stopped it'
            )
        return self._wrong_turn(yaw, limits)

    @property
    def expected_m(self) -> float:
        """How far it comes on firm ground."""
        return self.motion.speed_m_s * self.motion.seconds

    def contradiction(self, at: float, limits: GuardSettings) -> str | None:
        """Why the motion that has ended was another one, by its length; None if it was not.

        `at`: of a pose after its end. A robot that slips all the time has moved all the same.
        """
        speed, due_m = self.motion.speed_m_s, self.expected_m
        if not speed:
            return None
        least = limits.drive_least * due_m - TREMBLE_M
        most = limits.drive_most * max(due_m, speed * (at - self.began)) + TREMBLE_M
        unmoved = not self.driven_m and due_m >= 2.0 * TREMBLE_M
        if least <= self.driven_m <= most and not unmoved:
            return None
        return (
            f'the robot came {self.driven_m:.1f} m where about {due_m:.2g} m were due: something '
            'holds it, its speed is not that of skills.yaml, or somebody else drove it'
        )

    def _longest_rest_s(self, limits: GuardSettings) -> float:
        """Standing for longer is no pause between two steps of so fast a motion."""
        passed = self.moved_at - self.began
        if not self.driven_m or passed <= 0.0:
            return max(SETTING_OUT_S, 2.0 * TREMBLE_M / self.motion.speed_m_s)
        return limits.standstill_s + 2.0 * TREMBLE_M * passed / self.driven_m

    def _wrong_turn(self, yaw: float, limits: GuardSettings) -> str | None:
        radius = self.motion.radius_m
        due = self.driven_m / radius if radius else 0.0
        unsure = TREMBLE_M / abs(radius) if radius else 0.0
        turned = math.remainder(yaw - self.yaw, math.tau)
        if abs(math.remainder(turned - due, math.tau)) <= limits.heading_tolerance_rad + unsure:
            return None
        return (
            f'the robot has turned by {math.degrees(turned):.0f}° where about '
            f'{math.degrees(due):.0f}° were due: its wheels slip, or somebody else turns it'
        )
