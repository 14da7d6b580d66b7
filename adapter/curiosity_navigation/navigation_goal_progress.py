"""One navigation goal: its path, the motion being driven, its progress and deviation, its end.

Lengths in m, angles in rad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
import math

from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.path_planner import NavigationGoal
from curiosity_navigation.vehicle_model import SIDES, Segment, VehicleModel
from rover_common.geometry.planar_motion import Pose2D
from rover_common.reason import Reason


class PathTracker:
    """Compares the rover's places with the segment that it drives.

    Progress on a straight line is the distance along it; on an arc it is the turn of the rover
    times the radius, so that the rover ends with the heading that the next segment needs.

    Args:
        segment: The segment being driven.
        start: Where the rover stood.
        vehicle: Its motions.
    """

    def __init__(self, segment: Segment, start: Pose2D, vehicle: VehicleModel) -> None:
        self.segment = segment
        self._start = start
        self._vehicle = vehicle
        self._side = SIDES[segment.motion]
        self._yaw = start.yaw
        self._turned = 0.0
        self.place = start

    def update(self, place: Pose2D) -> None:
        """Takes the present pose."""
        self._turned += math.remainder(place.yaw - self._yaw, math.tau)
        self._yaw, self.place = place.yaw, place

    @property
    def progress(self) -> float:
        """How much of the segment is driven; negative if the rover went the other way."""
        if self._side:
            return self._side * self._turned * self._vehicle.radius_m
        dx, dy = self.place.x - self._start.x, self.place.y - self._start.y
        return dx * math.cos(self._start.yaw) + dy * math.sin(self._start.yaw)

    @property
    def left(self) -> float:
        """How much of the segment is still to drive."""
        return max(0.0, self.segment.length - self.progress)

    @property
    def deviation(self) -> float:
        """Distance from where the rover should be after its progress."""
        driven = Segment(self.segment.motion, self.progress)
        expected = self._vehicle.after(self._start, driven)
        return self.place.distance(expected.x, expected.y)

    @property
    def ahead(self) -> tuple[Segment, ...]:
        """The rest of the segment, from the present pose; empty at its end."""
        return (Segment(self.segment.motion, self.left),) if self.left else ()


# Less progress than this is none.
PROGRESS_M = 0.1
# The rover has passed the goal when it is so much further away than it was.
PAST_M = 0.02


class EndCode(Enum):
    """How a goal ended; the values are those of `error_code` in NavigateToPose.action."""

    ARRIVED = ''
    REJECTED = 'NAV_GOAL_REJECTED'  # the rover did not move for it
    BLOCKED = 'NAV_BLOCKED'  # no path, or no progress
    TIMED_OUT = 'NAV_TIMEOUT'
    STOPPED = 'NAV_STOPPED'  # by move_stop, the deadman, a limit, or for lack of data
    CANCELLED = 'NAV_CANCELLED'


@dataclass(frozen=True)
class End:
    """How a goal ended, in one sentence; `unstopped`: the failed stop that it names."""

    code: EndCode
    message: str
    unstopped: Reason[Cause] | None = None


@dataclass(frozen=True)
class Outcome:
    """The end of a goal, with the distance to it in m; -1 if the position is not known."""

    code: EndCode
    message: str
    distance: float


class NavigationTask:
    """A goal that is pursued. Times in s of the rover's time, lengths in m."""

    def __init__(self, goal: NavigationGoal, cancelled: Callable[[], bool]) -> None:
        self.goal = goal
        self.cancelled = cancelled
        self.path: tuple[Segment, ...] = ()
        self.planned = False
        self.places: tuple[Pose2D, ...] = ()  # of the path as it was planned last
        self.deadline = math.inf
        self.tracker: PathTracker | None = None
        self.off_path = False
        self.jumps = 0  # of the world frame, before the motion
        self.change_count = 0  # of the obstacle monitor, seen so far
        self.motion_began_at = math.inf
        self.progressed_at = math.inf, math.inf  # the rover's time, steady time
        self.nearest = math.inf  # to the goal, while within its tolerances
        self._progress = 0.0

    @property
    def ahead(self) -> tuple[Segment, ...]:
        """What is still to drive."""
        return (*self.tracker.ahead, *self.path) if self.tracker else self.path

    def begin(
        self, tracker: PathTracker, rest: tuple[Segment, ...], now: float, jumps: int
    ) -> None:
        """A motion begins; `rest` is what follows it."""
        self.tracker, self.path = tracker, rest
        self.off_path = False
        self.jumps = jumps
        self._progress, self.motion_began_at = 0.0, now
        self.progressed_at = math.inf, math.inf  # until the rover has confirmed it

    def passes_by(self, place: Pose2D, tolerance_m: float, tolerance_rad: float) -> bool:
        """Whether the rover, at this place now, has just been nearest to the goal."""
        distance, off = self.goal.misses(place)
        if distance > tolerance_m or off > tolerance_rad:
            self.nearest = math.inf
            return False
        self.nearest = min(self.nearest, distance)
        return distance > self.nearest + PAST_M

    def note_progress(self, progress: float, now: float, steady: float) -> None:
        """The motion has come so far."""
        if progress >= self._progress + PROGRESS_M:
            self._progress, self.progressed_at = progress, (now, steady)

    def end_motion(self, rolls_on_m: float) -> None:
        """The motion is over, with the stop still to come; what it leaves is driven next.

        A path that the rover is off is planned anew.
        """
        left = max(self.tracker.left - rolls_on_m, 0.0) if self.tracker else 0.0
        if self.off_path:
            self.path = ()
        elif self.tracker and left > PROGRESS_M:
            self.path = (Segment(self.tracker.segment.motion, left), *self.path)
        self.tracker = None
