"""Drives to a place: plans a path, drives it motion by motion, and replans where necessary.

The rover stands still between two motions. So every motion begins at the measured pose, under all
guards of the adapter, and a status in which the rover stands proves that the last motion ended.
`NavigatorParts` connects all of it; nothing here knows ROS.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
import math
from threading import Event
import uuid

from curiosity_navigation.adapter_client import AdapterClient
from curiosity_navigation.costmap import ObstacleMonitor
from curiosity_navigation.drive_monitor import SAMPLE_M, GoalMonitor
from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.navigation_goal_progress import (
    End,
    EndCode,
    NavigationTask,
    Outcome,
    PathTracker,
)
from curiosity_navigation.path_planner import NavigationGoal, NoPath, Plan, replan
from curiosity_navigation.vehicle_model import Segment, VehicleModel, total_length
from rover_common import adapter_status
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.planar_motion import Pose2D
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.reason import Reason
from rover_common.setpoint import Setpoint

GOAL_UNDER_WAY = Reason(Cause.GOAL_UNDER_WAY, adapter_status.MOVE_IN_PROGRESS)
SETTLE_S = 2.0


@dataclass(frozen=True)
class NavigationProgress:
    """The remaining path: m, and s of the rover's time."""

    distance_left: float
    time_left: float


@dataclass(frozen=True)
class Preview:
    """A path that is planned but not driven: its places, with its length and time."""

    places: tuple[Pose2D, ...]
    plan: Plan


class Navigator:
    """Drives to one goal at a time. Everything but the planning runs in one thread.

    Args:
        config: The whole configuration.
        adapter: Starts and stops motions.
        watch: Monitors the drive.
        waiter: Awaits conditions.
        planning: Runs the planner; it must not block the navigator's thread.
        on_change: Called when there is a new plan, before a motion of it is requested, and when
            the goal is over.
    """

    def __init__(
        self,
        config: Config,
        adapter: AdapterClient,
        watch: GoalMonitor,
        waiter: ConditionWaiter,
        planning: Executor,
        on_change: Callable[[], None],
    ) -> None:
        self._settings = config.curiosity.navigation
        self._vehicle = VehicleModel.of(self._settings)
        self._adapter = adapter
        self._watch = watch
        self._waiter = waiter
        self._planning = planning
        self._on_change = on_change
        self._task: NavigationTask | None = None
        self._previews = False

    @property
    def progress(self) -> NavigationProgress | None:
        """The remaining path; None while there is no plan."""
        task = self._task
        if task is None or not task.planned:
            return None
        ahead = task.ahead
        return NavigationProgress(total_length(ahead), self._vehicle.seconds(ahead))

    @property
    def places(self) -> tuple[Pose2D, ...]:
        """The places of the latest plan, from its begin; empty between goals."""
        return self._task.places if self._task else ()

    async def run(self, goal: NavigationGoal, cancelled: Callable[[], bool]) -> Outcome:
        """Drives to the goal; returns when the rover has stopped, or does not confirm its stop."""
        reason = _rejection(goal) or (GOAL_UNDER_WAY if self._task else None)
        if reason:
            return self._outcome(goal, End(EndCode.REJECTED, reason.sentence))
        self._task = NavigationTask(goal, cancelled)
        try:
            reason = await self._adapter.begin_navigation(cancelled) or await self._unready(goal)
            if reason is None:
                end = await self._travel(self._task)
            else:
                code = EndCode.CANCELLED if cancelled() else EndCode.REJECTED
                end = End(code, reason.sentence)
        finally:
            unconfirmed = None if self._adapter.at_rest else await self._pause()
            await self._adapter.end_navigation()
            self._task = None
            self._on_change()
        if unconfirmed and unconfirmed != end.unstopped:
            message = f'{end.message}, but the stop was not confirmed: {unconfirmed.sentence}'
            code = EndCode.STOPPED if end.code is EndCode.ARRIVED else end.code
            end = End(code, message)
        return self._outcome(goal, end)

    async def preview(self, goal: NavigationGoal) -> Preview | Reason[Cause]:
        """Return the path that a drive would take if it began now, or why there is none.

        The adapter gets no request. A goal that begins meanwhile needs the planner, and ends the
        preview.
        """
        reason = _rejection(goal) or (GOAL_UNDER_WAY if self._task else None)
        if reason is None and self._previews:
            reason = Reason(Cause.GOAL_UNDER_WAY, 'Another path is being planned: ask again')
        if reason:
            return reason
        self._previews = True
        try:
            return await self._unready(goal) or await self._preview(goal)
        finally:
            self._previews = False

    async def _preview(self, goal: NavigationGoal) -> Preview | Reason[Cause]:
        here, over = self._watch.here(), Event()
        if here is None:
            return Reason(Cause.POSITION_UNKNOWN, 'The position is not known any more')
        if self._is_reached(goal, here):
            return Preview((here,), Plan((), 0.0))
        job = self._planning.submit(
            replan, here, goal, (), self._watch.costmap(), self._vehicle, over.is_set
        )
        await self._waiter.until(lambda: job.done() or self._task is not None, math.inf)
        if self._task is not None:
            over.set()
            return GOAL_UNDER_WAY
        found = job.result()
        if isinstance(found, NoPath):
            return Reason(Cause.NO_PATH, found.reason)
        return Preview(tuple(self._vehicle.places(here, found.segments, SAMPLE_M)), found)

    async def _unready(self, goal: NavigationGoal) -> Reason[Cause] | None:
        """Return why no path can be planned; None if one can. Waits briefly for sensor data."""
        await self._waiter.until(self._watch.knows_enough, SETTLE_S)
        return self._watch.unready(goal)

    async def _travel(self, task: NavigationTask) -> End:
        while True:
            end = await self._come_to_rest(task) or await self._wait_for_scan(task)
            here = self._watch.here()
            if end or here is None:
                return end or End(EndCode.STOPPED, 'The position is not known any more')
            if self._is_reached(task.goal, here):
                distance, _ = task.goal.misses(here)
                return End(EndCode.ARRIVED, f'Arrived, {distance:.2f} m from the goal')
            jumps = self._watch.jumps
            end = await self._plan(task, here)
            if end is None and self._watch.jumps == jumps:
                end = await self._drive(task)
            if end:
                return end

    def _is_reached(self, goal: NavigationGoal, here: Pose2D) -> bool:
        distance, off = goal.misses(here)
        limits = self._settings
        return distance <= limits.tolerance_m and off <= limits.heading_tolerance_rad

    async def _come_to_rest(self, task: NavigationTask) -> End | None:
        """Waits until the rover stands; returns what ends the task, or that it rolls on."""
        watch, began = self._watch, self._watch.now

        def rolls_on() -> bool:
            return watch.now.since(began) >= SETTLE_S and not watch.stands_still()

        await self._waiter.until(
            lambda: watch.stands_still() or rolls_on() or watch.interruption(task) is not None,
            math.inf,
        )
        end = watch.interruption(task)
        if end is None and rolls_on():
            return End(EndCode.STOPPED, 'The rover does not come to rest')
        return end

    async def _wait_for_scan(self, task: NavigationTask) -> End | None:
        """Waits for a scan if the world frame has jumped; returns what ends the task."""
        watch = self._watch
        await self._waiter.until(
            lambda: watch.knows_enough() or watch.interruption(task) is not None,
            max(SETTLE_S, self._settings.scan.max_age_s),
        )
        end, reason = watch.interruption(task), watch.unknown
        return end or (End(EndCode.STOPPED, reason.sentence) if reason else None)

    async def _plan(self, task: NavigationTask, here: Pose2D) -> End | None:
        end = self._watch.strayed(task, here)
        if end:
            return end
        began, path = self._watch.now.robot, task.path
        while True:
            change_count = self._watch.change_count
            found = await self._find_path(task, here, path)
            if isinstance(found, End):
                return found
            if found.segments == path or self._watch.change_count == change_count:
                break
            path = found.segments  # planned by what was known before the search
        task.change_count = self._watch.change_count
        self._apply_plan(task, found, here, began)
        return None

    async def _find_path(
        self, task: NavigationTask, here: Pose2D, path: tuple[Segment, ...]
    ) -> Plan | End:
        """Return the path, if it is clear by what is known now, or a new one, or what ends it."""
        costmap, over = self._watch.costmap(), Event()
        job = self._planning.submit(
            replan, here, task.goal, path, costmap, self._vehicle, over.is_set
        )
        await self._waiter.until(
            lambda: job.done() or self._watch.interruption(task) is not None, math.inf
        )
        end = self._watch.interruption(task)
        if end:
            over.set()  # the thread is needed for the next goal
            return end
        found = job.result()
        if isinstance(found, NoPath):
            rejected = found.at_goal and not task.planned
            return End(EndCode.REJECTED if rejected else EndCode.BLOCKED, found.reason)
        return found

    def _apply_plan(self, task: NavigationTask, plan: Plan, here: Pose2D, began: float) -> None:
        task.path = plan.segments
        task.places = tuple(self._vehicle.places(here, plan.segments, SAMPLE_M))
        now = self._watch.now.robot
        if task.planned:
            task.deadline += now - began
        else:
            limits = self._settings
            task.planned = True
            task.deadline = now + limits.timeout_factor * plan.seconds + limits.timeout_slack_s
        self._on_change()

    async def _drive(self, task: NavigationTask) -> End | None:
        """Drives the first motion of the path, and keeps the rest in the task."""
        segment, rest = task.path[0], task.path[1:]
        here = self._watch.here()
        if here is None:
            return End(EndCode.STOPPED, 'The position is not known any more')
        task.begin(
            PathTracker(segment, here, self._vehicle),
            rest,
            self._watch.now.robot,
            self._watch.jumps,
        )
        reason = await self._adapter.start(segment.motion, lambda: self._watch.motion_over(task))
        if reason:
            return self._watch.interruption(task) or End(EndCode.STOPPED, reason.sentence)
        now = self._watch.now
        task.progressed_at = now.robot, now.steady
        await self._waiter.until(lambda: self._watch.motion_over(task), math.inf)
        end = self._watch.interruption(task) or self._watch.stuck(task)
        task.end_motion(self._watch.rolls_on(segment))
        reason = await self._pause()
        return end or (End(EndCode.STOPPED, reason.sentence, reason) if reason else None)

    async def _pause(self) -> Reason[Cause] | None:
        reason = await self._adapter.pause()
        self._watch.expect_rest()
        return reason

    def _outcome(self, goal: NavigationGoal, end: End) -> Outcome:
        here = self._watch.here()
        is_measurable = here is not None and math.isfinite(goal.x) and math.isfinite(goal.y)
        distance = here.distance(goal.x, goal.y) if here and is_measurable else -1.0
        return Outcome(end.code, end.message, distance)


def _rejection(goal: NavigationGoal) -> Reason[Cause] | None:
    heading = 0.0 if goal.heading is None else goal.heading
    if not all(math.isfinite(each) for each in (goal.x, goal.y, heading)):
        fault = f'The goal is not a place: x {goal.x}, y {goal.y}, heading {heading}'
        return Reason(Cause.GOAL_NOT_USABLE, fault)
    if abs(heading) > math.tau:
        fault = f'The heading {heading:g} is not within [-2 pi, 2 pi] rad'
        return Reason(Cause.GOAL_NOT_USABLE, fault)
    return None


class NavigatorParts:
    """Everything that decides.

    Args:
        config: The whole configuration.
        publish: Sends a setpoint to the adapter.
        waiter: Where to wait.
        planning: Where paths are planned.
        clocks: Reads the clocks.
        system_time: System time in s.
        on_change: Called when there is a new plan, and when a goal is over.
    """

    def __init__(
        self,
        config: Config,
        publish: Callable[[Setpoint], None],
        waiter: ConditionWaiter,
        planning: Executor,
        clocks: Clocks,
        system_time: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._clocks = clocks
        self.poses = MotionMonitor(config.curiosity.motion, config.executive.use_sim_time)
        self.keep_out = KeepOut(())
        run_id = uuid.uuid4().hex
        self.adapter = AdapterClient(run_id, publish, waiter, clocks, system_time, config)
        self.obstacle_monitor = ObstacleMonitor(config, self.poses, self.keep_out, clocks.steady)
        watch = GoalMonitor(config, self.adapter, self.poses, self.obstacle_monitor, clocks)
        self.navigator = Navigator(config, self.adapter, watch, waiter, planning, on_change)

    def watch(self, pose: Transform | None) -> None:
        """Takes the latest pose."""
        self.poses.update(pose, self._clocks())
