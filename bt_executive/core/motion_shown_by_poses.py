"""The motion that poses show: distance, velocity, and motion that the adapter does not report.

Poses have noise and jumps. An adapter judges by odometry, which may repeat its last value; the
pose in the world often has another source, such as a camera or a map. Lengths in m, angles in rad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
import math
from typing import NamedTuple, TypeAlias

from bt_executive.core.inputs import PoseReceived
from bt_executive.core.robot_state import RobotState, Twist
from rover_common.geometry.planar_motion import Pose2D

# A step between two poses beyond both of these is a jump of the frame, not a drive.
JUMP_M, JUMP_M_S = 1.0, 2.0
# A robot may drive further than commanded by this share, as on a slope.
REACH_SHARE = 1.5
NOISE_M = 0.05  # of the pose of a robot that stands
GAP_S = 1.0  # of steady time between two steps, which then do not show every curve of the path


class Driven(NamedTuple):
    """What one pose adds, in m: measured, assumed beside it; and the length of a jump."""

    measured_m: float = 0.0
    assumed_m: float = 0.0
    jumped_m: float = 0.0


@dataclass(frozen=True)
class _TimedPoint:
    x: float
    y: float
    at: float  # arrival, steady s


class Odometer:
    """Measures the distance driven, in steps of at least `NOISE_M`.

    Commanded motion that is not measured yet is assumed to be driven: `pending_m`, until a pose
    shows the distance. A pose further away than the robot can have driven is a jump, as after a
    restart of the robot: it measures nothing.
    """

    def __init__(self) -> None:
        self._latest: _TimedPoint | None = None
        self._counted: _TimedPoint | None = None  # the end of the latest step
        self._reach_m = 0.0  # since the latest pose
        self.pending_m = 0.0  # since the latest counted pose

    def assume(
        self,
        speed_m_s: float,
        seconds: float,
        fastest_m_s: float | None = None,
        longest_s: float | None = None,
    ) -> None:
        """Adds a time in s for which the robot was commanded to drive.

        `fastest_m_s`: upper bound of the speed; by default `REACH_SHARE` of it. `longest_s`: upper
        bound of the time, where that is uncertain.
        """
        fastest = REACH_SHARE * speed_m_s if fastest_m_s is None else fastest_m_s
        self.pending_m += speed_m_s * seconds
        self._reach_m += fastest * (seconds if longest_s is None else longest_s)

    def add_pose(self, x: float, y: float, at: float) -> Driven:
        """Adds a pose; returns the distance driven since the previous ones.

        `x`, `y` in m; `at`: arrival in steady s.
        """
        fix, latest, counted = _TimedPoint(x, y, at), self._latest, self._counted
        reach_m, self._latest, self._reach_m = max(JUMP_M, self._reach_m), fix, 0.0
        if latest is None or counted is None:
            return self._restart(fix, 0.0)
        jumped_m = math.hypot(x - latest.x, y - latest.y)
        if not jumped_m < reach_m:
            rest_m = math.hypot(latest.x - counted.x, latest.y - counted.y)
            return self._restart(fix, jumped_m)._replace(measured_m=rest_m)
        step = math.hypot(x - counted.x, y - counted.y)
        if step < NOISE_M:
            return Driven()
        unseen = max(self.pending_m - step, 0.0) if at - counted.at > GAP_S else 0.0
        self._counted, self.pending_m = fix, 0.0
        return Driven(step, unseen)

    def _restart(self, fix: _TimedPoint, jumped_m: float) -> Driven:
        self._counted, assumed_m, self.pending_m = fix, self.pending_m, 0.0
        return Driven(0.0, assumed_m, jumped_m)


@dataclass(frozen=True)
class Step:
    """From one pose to the next: straight distance, distance along the mean heading, and turn."""

    distance_m: float
    ahead_m: float
    turned_rad: float


def step_between(before: Pose2D, after: Pose2D) -> Step:
    """Return the step between two poses, with the smaller turn; their differences are finite."""
    east, north = after.x - before.x, after.y - before.y
    turned = math.remainder(after.yaw - before.yaw, math.tau)
    heading = before.yaw + turned / 2.0
    ahead = east * math.cos(heading) + north * math.sin(heading)
    return Step(math.hypot(east, north), ahead, turned)


def velocity(robot: RobotState, seen: PoseReceived) -> Twist:
    """Return the mean velocity since the robot's last pose: m/s along its heading, and rad/s.

    Two poses with the same stamp, or with a jump of the frame between them, leave it unchanged.
    """
    before, passed = robot.pose.planar, seen.stamp - robot.pose_stamp
    differences = seen.x - before.x, seen.y - before.y, seen.yaw - before.yaw, passed
    valid = robot.pose_at is not None and all(map(math.isfinite, differences))
    if not valid or passed <= 0.0:
        return robot.twist
    step = step_between(before, Pose2D(seen.x, seen.y, seen.yaw))
    if _is_jump(step.distance_m, passed):
        return robot.twist
    return Twist(linear_x=step.ahead_m / passed, angular_z=step.turned_rad / passed)


def _is_jump(distance_m: float, passed_s: float) -> bool:
    """Return whether no drive is that fast: the frame has jumped."""
    return distance_m >= max(JUMP_M, JUMP_M_S * passed_s)


WINDOW_S = 1.0
PARTS = 4  # of the window, each with motion: neither a jump nor an earlier drive counts
TRACK_GAP_S = 0.5  # between two poses: a longer one shows nothing of the time between
LEAST_M, LEAST_RAD = 0.15, 0.15  # in the window; the noise of a pose at rest is smaller
SHARE = 0.5  # of an even motion, that each part of the window has at least


class Fix(NamedTuple):
    """A pose."""

    stamp: float
    x: float
    y: float
    yaw: float


Track: TypeAlias = tuple[Fix, ...]


def with_pose(track: Track, seen: PoseReceived) -> Track:
    """Return the poses of the window with a new one, without those before a gap."""
    fix = Fix(seen.stamp, seen.x, seen.y, seen.yaw)
    if not all(map(math.isfinite, fix)):
        return ()
    if not track or not 0.0 < fix.stamp - track[-1].stamp <= TRACK_GAP_S:
        return (fix,)
    begin = next((n for n, old in enumerate(track) if fix.stamp - old.stamp < WINDOW_S), None)
    return (fix,) if begin is None else (*track[max(begin - 1, 0) :], fix)


def shows_motion(track: Track) -> bool:
    """Return whether the robot moves throughout the window; False if the track is too short."""
    if not track or track[-1].stamp - track[0].stamp < WINDOW_S:
        return False
    first, last = track[0], track[-1]
    length = math.hypot(last.x - first.x, last.y - first.y)
    if length >= LEAST_M:
        east, north = (last.x - first.x) / length, (last.y - first.y) / length
        along = [(each.x - first.x) * east + (each.y - first.y) * north for each in track]
        return _is_steady(track, along)
    turned = [0.0]
    for before, after in pairwise(track):
        turned.append(turned[-1] + math.remainder(after.yaw - before.yaw, math.tau))
    return abs(turned[-1]) >= LEAST_RAD and _is_steady(track, turned)


def _is_steady(track: Track, covered: Sequence[float]) -> bool:
    """Return whether each part of the window has its share of the covered distance or angle."""
    begin, passed = track[0].stamp, track[-1].stamp - track[0].stamp
    at = [_covered_at(track, covered, begin + passed * n / PARTS) for n in range(PARTS + 1)]
    least = SHARE * covered[-1] / PARTS
    parts = [after - before for before, after in pairwise(at)]
    return all(abs(part) >= abs(least) and part * least > 0.0 for part in parts)


def _covered_at(track: Track, covered: Sequence[float], stamp: float) -> float:
    """Return the covered distance or angle at a time, interpolated between two poses."""
    after = next((n for n, each in enumerate(track) if each.stamp >= stamp), len(track) - 1)
    if after == 0:
        return covered[0]
    before = after - 1
    part = (stamp - track[before].stamp) / (track[after].stamp - track[before].stamp)
    return covered[before] + min(part, 1.0) * (covered[after] - covered[before])
