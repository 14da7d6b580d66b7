"""Monitors a drive: where the rover is, and what ends its motion or the whole goal."""

from __future__ import annotations

from collections.abc import Callable

from curiosity_navigation.adapter_client import CANCELLED, AdapterClient
from curiosity_navigation.costmap import Costmap, ObstacleMonitor
from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.navigation_goal_progress import End, EndCode, NavigationTask
from curiosity_navigation.path_planner import NavigationGoal
from curiosity_navigation.vehicle_model import Segment, VehicleModel
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.geometry.planar_motion import Pose2D
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.reason import Reason

# Points of the path ahead; an arc is off its chord by a centimetre.
SAMPLE_M = 0.75
# Share of motion.longest_s that one motion of a navigation goal takes at most.
PART_OF_LONGEST = 0.8
# Time until progress after a command is measured, however fast simulated time passes.
PROGRESS_DELAY_S = 2.0
# Multiple of navigation.farthest_m that the goal may be away on the way around an obstacle.
STRAYED = 1.5
# Share of navigation.tolerance_m within which the rover may stop as it passes by: it rolls on.
PASSING_SHARE = 0.7


class GoalMonitor:
    """Compares a task with the present readings. Lengths in m, angles in rad, world frame.

    Args:
        config: The whole configuration.
        adapter: Reports why a navigation goal was ended.
        poses: Where the rover is.
        obstacle_monitor: The obstacles around it.
        clocks: Reads the clocks.
    """

    def __init__(
        self,
        config: Config,
        adapter: AdapterClient,
        poses: MotionMonitor,
        obstacle_monitor: ObstacleMonitor,
        clocks: Callable[[], Now],
    ) -> None:
        self._settings = config.curiosity.navigation
        self._longest_s = PART_OF_LONGEST * config.curiosity.motion.longest_s
        self._max_tilt_rad = config.curiosity.motion.max_tilt_rad
        self._vehicle = VehicleModel.of(self._settings)
        self._adapter = adapter
        self._poses = poses
        self._obstacle_monitor = obstacle_monitor
        self._clocks = clocks

    @property
    def now(self) -> Now:
        """The present time."""
        return self._clocks()

    @property
    def jumps(self) -> int:
        """How often the world frame has jumped so far."""
        return self._poses.jumps

    @property
    def change_count(self) -> int:
        """How often the known surroundings have changed so far."""
        return self._obstacle_monitor.change_count

    def here(self) -> Pose2D | None:
        """Where the rover is; None if that is not known now."""
        return self._place(self._clocks())

    def stands_still(self) -> bool:
        """Return whether the rover is known to stand."""
        now = self._clocks()
        return self._place(now) is not None and self._poses.rolls(now.steady) is False

    def expect_rest(self) -> None:
        """The rover should stand still soon."""
        self._poses.expect_rest()

    def costmap(self) -> Costmap:
        """Return the present costmap."""
        return self._obstacle_monitor.costmap()

    def knows_enough(self) -> bool:
        """Return whether the position and the surroundings are known."""
        return self.here() is not None and self._obstacle_monitor.refusal() is None

    @property
    def unknown(self) -> Reason[Cause] | None:
        """Why no path can be planned in these surroundings; None if one can."""
        reason = self._obstacle_monitor.refusal()
        return reason and reason.prefixed('The surroundings are not known')

    def unready(self, goal: NavigationGoal) -> Reason[Cause] | None:
        """Why no path to the goal can be planned; None if one can."""
        here = self.here()
        if here is None:
            return Reason(
                Cause.POSITION_UNKNOWN, 'The position is not known: no transform has come lately'
            )
        if here.distance(goal.x, goal.y) > self._settings.farthest_m:
            return Reason(
                Cause.GOAL_TOO_FAR,
                f'The goal is {here.distance(goal.x, goal.y):.1f} m away, more than '
                f'{self._settings.farthest_m:g} m (navigation.farthest_m)',
            )
        return self.unknown

    def strayed(self, task: NavigationTask, here: Pose2D) -> End | None:
        """The end of a task whose goal is too far to be planned for, as after a jump of the frame.

        A plan takes time and memory with the square of the distance.
        """
        away_m, _ = task.goal.misses(here)
        farthest_m = STRAYED * self._settings.farthest_m
        if away_m <= farthest_m:
            return None
        return End(
            EndCode.BLOCKED,
            f'The goal is {away_m:.1f} m away now, more than {farthest_m:g} m ({STRAYED:g} times '
            'navigation.farthest_m): the position has jumped, or the path around is too long',
        )

    def motion_over(self, task: NavigationTask) -> bool:
        """Return whether the motion under way is to end; updates the progress of the task.

        A motion that leaves its path, or whose path is obstructed, is over for good.
        """
        if task.off_path:
            return True
        now = self._clocks()
        tracker, here = task.tracker, self._place(now)
        if tracker is None or here is None or self._poses.jumps != task.jumps:
            task.off_path = True
            return True
        tracker.update(here)
        task.note_progress(tracker.progress, now.robot, now.steady)
        if tracker.left <= self.rolls_on(tracker.segment) or self._passes_by(task, here):
            return True
        if now.robot - task.motion_began_at > self._longest_s:
            return True
        task.off_path = tracker.deviation > self._settings.deviation_m or self._obstructed(task)
        return task.off_path or bool(self._interruption(task, now) or self._stuck(task, now))

    def rolls_on(self, segment: Segment) -> float:
        """Return how far the rover moves after a stop was requested."""
        return self._vehicle.speed(segment.motion) * self._settings.stop_lead_s

    def stuck(self, task: NavigationTask) -> End | None:
        """Return the end of a task without progress; None if there is progress."""
        return self._stuck(task, self._clocks())

    def interruption(self, task: NavigationTask) -> End | None:
        """Return what ends the task now, whatever its path; None if it may go on."""
        return self._interruption(task, self._clocks())

    def _place(self, now: Now) -> Pose2D | None:
        pose = self._poses.pose(now.steady)
        return Pose2D(pose.x, pose.y, pose.yaw) if pose else None

    def _stuck(self, task: NavigationTask, now: Now) -> End | None:
        since, since_steady = task.progressed_at
        if (
            now.robot - since <= self._settings.stuck_s
            or now.steady - since_steady <= PROGRESS_DELAY_S
        ):
            return None
        return End(
            EndCode.BLOCKED,
            f'The rover has not moved for {self._settings.stuck_s:g} s although commanded: '
            'something holds it, or its wheels slip',
        )

    def _interruption(self, task: NavigationTask, now: Now) -> End | None:
        if task.cancelled():
            return End(EndCode.CANCELLED, CANCELLED.sentence)
        ended_by = self._adapter.ended_by
        if ended_by:
            latest = self._poses.latest
            leans = latest is not None and latest.tilt > self._max_tilt_rad
            return End(EndCode.BLOCKED if leans else EndCode.STOPPED, ended_by.sentence)
        if now.robot > task.deadline:
            return End(EndCode.TIMED_OUT, 'The drive took much longer than planned')
        if self._place(now) is None:
            return End(EndCode.STOPPED, 'The position is not known any more: no transform comes')
        reason = self._obstacle_monitor.silence()
        if reason is None:
            return None
        lost = reason.prefixed('The surroundings are not known any more')
        return End(EndCode.STOPPED, lost.sentence)

    def _passes_by(self, task: NavigationTask, here: Pose2D) -> bool:
        """Return whether the path passes so near to the goal that the rover may stop there."""
        limits = self._settings
        return task.passes_by(
            here, PASSING_SHARE * limits.tolerance_m, limits.heading_tolerance_rad
        )

    def _obstructed(self, task: NavigationTask) -> bool:
        """Return whether new scans or zones show an obstruction on the rest of the path."""
        tracker, change_count = task.tracker, self.change_count
        if tracker is None or change_count == task.change_count:
            return False
        task.change_count = change_count
        rest = self._vehicle.poses(tracker.place, task.ahead, SAMPLE_M)
        return self._obstacle_monitor.obstruction(rest) is not None
