"""Measures a timed motion by poses, and compares it with the requested one.

The adapter knows the requests that it received itself. It does not know other callers of the
robot's services, nor whether something holds the robot: poses show both
(docs/decisions/0075-a-drive-is-measured.md). Lengths in m. Times in s of the poses' own stamps,
from the pose before the motion: neither late poses nor another clock change the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
import math

from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.motion_shown_by_poses import step_between
from bt_executive.core.robot_state import Pose
from rover_common.config.settings import GuardSettings
from rover_common.robot_time import RobotTime

SLACK_M, SLACK_SHARE = 0.3, 0.2  # beyond its whole length: then it was another motion
SLACK_RAD = 0.3  # the same of a turn


def driven_along(motion: MotionAhead, began: Pose, ended: Pose) -> float | None:
    """Return the length of the motion's path from one pose to another.

    None if the poses do not fit the motion: backwards, further than all of it, or off its arc.
    """
    across, ahead = ended.x - began.x, ended.y - began.y
    chord = math.hypot(across, ahead)
    forward = across * math.cos(began.yaw) + ahead * math.sin(began.yaw)
    radius = abs(motion.radius_m)
    if chord > 2.0 * radius > 0.0:
        return None
    length = 2.0 * radius * math.asin(chord / (2.0 * radius)) if radius else chord
    whole = motion.speed_m_s * motion.seconds
    too_far = length > whole + SLACK_M + SLACK_SHARE * whole
    backwards = forward < 0.0 and chord > SLACK_M
    return None if too_far or backwards else min(length, whole)


def turned_along(angle_rad: float, began: Pose, ended: Pose) -> float | None:
    """Return how much of a turn on the spot is between two poses, without its sign.

    None if the poses do not fit the turn (off its spot, or further than all of it), or are
    ambiguous: after a full circle the robot stands as before.
    """
    whole = abs(angle_rad)
    if whole > math.tau - 2.0 * SLACK_RAD:
        return None
    if math.hypot(ended.x - began.x, ended.y - began.y) > SLACK_M:
        return None
    turned = math.copysign(1.0, angle_rad) * (ended.yaw - began.yaw) % math.tau
    if turned > math.tau - SLACK_RAD:
        return 0.0  # a little the other way
    return min(turned, whole) if turned <= whole + SLACK_RAD else None


MOVED_M = 0.02  # beyond the noise of a pose at rest: the robot has begun to move
# A step between two poses beyond this, plus this many times that of the motion, is a jump of the
# frame.
JUMP_M, JUMP_RAD, JUMP_SHARE = 0.3, 0.1, 3.0
TURN_RAD_S = 0.1  # of a robot that should drive straight
# Tolerance of the heading besides `guards.heading_tolerance_rad`: by the metre, and as a share of
# the arc's own turn.
DRIFT_RAD_M, DRIFT_SHARE = 0.01, 0.15


@dataclass(frozen=True)
class _Point:
    """The distance driven ahead and the angle turned at a time."""

    at: float
    driven_m: float = 0.0
    turned_rad: float = 0.0


class DriveMeter:
    """Measures one motion of robot.yaml by its poses; nothing is measured if its speed is 0."""

    def __init__(self, motion: MotionAhead) -> None:
        self._motion = motion
        self._track: list[_Point] = []
        self._time = RobotTime(0.0, 0.0)
        self._pose = Pose()
        self._moves_since: float | None = None
        self.pose_at = -math.inf  # arrival of the latest pose, steady s

    @property
    def measures(self) -> bool:
        """Returns whether there was a pose before the motion, and its speed is known."""
        return bool(self._track and self._motion.speed_m_s)

    @property
    def complete(self) -> bool:
        """Returns whether the latest pose is of the motion's end, or later."""
        return self._track[-1].at >= self._end

    @property
    def driven_m(self) -> float:
        """Returns the distance driven up to the latest pose; negative: backwards."""
        return self._track[-1].driven_m

    @property
    def expected_m(self) -> float:
        """Returns the length of the whole motion on firm ground."""
        return self._motion.speed_m_s * self._motion.seconds

    def begin(self, pose: Pose, stamp: float, pose_at: float) -> None:
        """Sets the pose before the motion. `stamp` in s, `pose_at` in steady s."""
        self._time = RobotTime(stamp, pose_at)
        self._track = [_Point(0.0)]
        self._pose, self.pose_at = pose, pose_at

    def update(self, pose: Pose, stamp: float, pose_at: float) -> None:
        """Adds the latest pose if it is new; ignored without a pose before the motion."""
        if self._track and pose_at != self.pose_at:
            self._add(pose, self._time.passed(stamp, pose_at))
            self._pose, self.pose_at = pose, pose_at

    def fault(self, limits: GuardSettings) -> str | None:
        """Returns why the running motion is not the requested one; None: it is."""
        if not self.measures:
            return None
        now = self._point(min(self._track[-1].at, self._end))
        if self._moves_since is None:
            if now.at - self._first_at <= limits.set_out_s:
                return None
            return _held(f'did not start to move within {limits.set_out_s:g} s')
        before = now.at - limits.standstill_s
        if before >= self._moves_since:
            least = limits.drive_least * self._motion.speed_m_s * limits.standstill_s
            if now.driven_m - self._point(before).driven_m < least:
                return _held(f'stands after {self.driven_m:.1f} m')
        return self._wrong_turn(now, limits)

    def verdict(self, limits: GuardSettings) -> str | None:
        """Returns why the `complete` motion was not the requested one; None: it was."""
        fault = self.fault(limits)
        if fault:
            return fault
        driven_m, expected_m = self._point(self._end).driven_m, self.expected_m
        if driven_m < limits.drive_least * expected_m or self._never_moved:
            return _held(f'moved {driven_m:.2g} m where about {expected_m:.2g} m were expected')
        if driven_m > limits.drive_most * expected_m + MOVED_M:
            return (
                f'the robot moved {driven_m:.2g} m where about {expected_m:.2g} m were expected: '
                'somebody else drove it, or its speed is not that of robot.yaml'
            )
        return None

    @property
    def _never_moved(self) -> bool:
        return self._moves_since is None and self.expected_m >= 2.0 * MOVED_M

    @property
    def _first_at(self) -> float:
        """Returns the time of the first pose after the request; infinite before."""
        return self._track[1].at if len(self._track) > 1 else math.inf

    @property
    def _end(self) -> float:
        began = self._first_at if self._moves_since is None else self._moves_since
        return began + self._motion.seconds

    def _add(self, pose: Pose, at: float) -> None:
        last, speed = self._track[-1], self._motion.speed_m_s
        passed = at - last.at
        step = step_between(self._pose.planar, pose.planar)
        radius = abs(self._motion.radius_m)
        turns_rad_s = max(speed / radius if radius else 0.0, TURN_RAD_S)
        jumped = (
            step.distance_m > JUMP_M + JUMP_SHARE * speed * passed
            or abs(step.turned_rad) > JUMP_RAD + JUMP_SHARE * turns_rad_s * passed
        )
        point = replace(last, at=at)
        if not jumped:
            point = _Point(at, last.driven_m + step.ahead_m, last.turned_rad + step.turned_rad)
        self._track.append(point)
        if self._moves_since is None and point.driven_m >= MOVED_M:
            self._moves_since = at - min(point.driven_m / speed, passed) if speed else at

    def _point(self, at: float) -> _Point:
        """Returns the point at a time, interpolated between two poses."""
        for after, before in pairwise(reversed(self._track)):
            if before.at <= at:
                part = (at - before.at) / (after.at - before.at) if after.at > before.at else 1.0
                return _Point(
                    at,
                    before.driven_m + part * (after.driven_m - before.driven_m),
                    before.turned_rad + part * (after.turned_rad - before.turned_rad),
                )
        return self._track[0]

    def _wrong_turn(self, point: _Point, limits: GuardSettings) -> str | None:
        expected = point.driven_m / self._motion.radius_m if self._motion.radius_m else 0.0
        drift = DRIFT_RAD_M * abs(point.driven_m) + DRIFT_SHARE * abs(expected)
        if abs(point.turned_rad - expected) <= limits.heading_tolerance_rad + drift:
            return None
        return (
            f'the robot has turned by {math.degrees(point.turned_rad):.0f}° where about '
            f'{math.degrees(expected):.0f}° were expected: somebody else turns it, or it slides'
        )


def _held(what: str) -> str:
    return f'the robot {what}: something holds it, or somebody else stopped it'
