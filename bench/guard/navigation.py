"""The navigator's process in a case: the shipped one, with the simulation's rangefinder."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any

from fakes.common import FakeFuture
import numpy as np

from bench.guard.site import Site
from curiosity_navigation.adapter_client import SETPOINT_PERIOD_S
from curiosity_navigation.adapter_status_monitor import read_status
from curiosity_navigation.costmap import Scan
from curiosity_navigation.navigation_goal_progress import EndCode, Outcome
from curiosity_navigation.navigator import NavigatorParts
from curiosity_navigation.path_planner import NavigationGoal
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast_geometry import head_pose, lidar_pose
from curiosity_sim.rover.world import make_world
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.geometry.transforms import Transform
from rover_common.setpoint import Setpoint

SCAN_STEPS = 10
assert SETPOINT_PERIOD_S == 0.05  # one setpoint for each step of the site


class InPlace(Executor):
    """Plans at once, so that a case does not depend on the speed of the machine."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Does the work before it returns."""
        done: Future[Any] = Future()
        done.set_result(work(*args, **kwargs))
        return done


class Navigation:
    """The navigator beside a site; it pursues one goal at a time.

    Attributes:
        sleeps: Until when its process stands still.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lidar = Lidar(make_world(site.config.curiosity.rover))
        self._waiter = ConditionWaiter(lambda: site.now, FakeFuture)
        self._goal: Any = None
        self._cancelled = False
        self.sleeps = 0.0
        self.parts = NavigatorParts(
            site.config,
            self._publish,
            self._waiter,
            InPlace(),
            Clocks(lambda: site.now + site.ros_offset, lambda: site.now),
            lambda: site.now,
            on_change=lambda: None,
        )
        self.parts.keep_out.update(site.config.executive.keep_out)
        site.listeners.append(self._on_status)

    def pursue(self, goal: NavigationGoal, ended: Callable[[Outcome], None]) -> None:
        """Begins a goal."""
        self._cancelled = False

        async def run() -> None:
            outcome = await self.parts.navigator.run(goal, lambda: self._cancelled)
            self._goal = None
            ended(outcome)

        if self._goal is None:
            self._goal = run()
        else:
            ended(Outcome(EndCode.REJECTED, 'Move in progress', -1.0))

    def close(self) -> None:
        """The process is gone; a goal that waits for the adapter cannot end any more."""
        if self._goal is not None:
            with suppress(RuntimeError):
                self._goal.close()

    def cancel(self) -> None:
        """The goal was withdrawn."""
        self._cancelled = True

    def step(self) -> None:
        """What the process does in one step of the site."""
        site = self._site
        if site.now < self.sleeps:
            return
        if site.pose is not None:
            self.parts.watch(site.pose)
            if self._goal is not None and site.steps % SCAN_STEPS == 0:
                self._scan(site.pose)
        self.parts.adapter.repeat_setpoint()
        self._waiter.evaluate()
        if self._goal is not None:
            try:
                self._goal.send(None)
            except StopIteration:
                self._goal = None

    def _publish(self, setpoint: Setpoint) -> None:
        site = self._site
        site.reach_adapter(lambda: site.parts.receive_setpoint(setpoint, site.now))

    def _on_status(self, status: AdapterStatus) -> None:
        self.parts.adapter.update_status(read_status(status, self.parts.adapter.run_id))

    def _scan(self, base: Transform) -> None:
        rover, lidar = self._site.rover, self._lidar
        if rover.mast.moving:
            return
        ranges = lidar.scan(lidar_pose(rover.pose, rover.mast, rover.attitude))
        step = float(lidar.angles[1] - lidar.angles[0])
        scan = Scan(
            float(lidar.angles[0]),
            step,
            lidar.range_min,
            lidar.range_max,
            np.asarray(ranges, dtype=np.float64),
        )
        head = head_pose(rover.mast)
        turned = lidar_pose(rover.pose, rover.mast, rover.attitude).yaw - rover.pose.yaw
        mounted = Transform.planar(head.x, head.y, turned)
        raised = Transform(mounted.x, mounted.y, head.z, qz=mounted.qz, qw=mounted.qw)
        self.parts.obstacle_monitor.update(scan, base, raised)
