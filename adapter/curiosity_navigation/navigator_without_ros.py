"""The navigator's parts, put together. Nothing here knows ROS."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
import uuid

from curiosity_navigation.adapter_client import AdapterClient
from curiosity_navigation.costmap import ObstacleMonitor
from curiosity_navigation.drive_monitor import GoalMonitor
from curiosity_navigation.navigator import Navigator
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.setpoint import Setpoint


class Parts:
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
        self.poses = MotionMonitor(config.curiosity.motion)
        self.keep_out = KeepOut(())
        run_id = uuid.uuid4().hex
        self.adapter = AdapterClient(run_id, publish, waiter, clocks, system_time, config)
        self.obstacle_monitor = ObstacleMonitor(config, self.poses, self.keep_out, clocks.steady)
        watch = GoalMonitor(config, self.adapter, self.poses, self.obstacle_monitor, clocks)
        self.navigator = Navigator(config, self.adapter, watch, waiter, planning, on_change)

    def watch(self, pose: Transform | None) -> None:
        """Takes the latest pose."""
        self.poses.update(pose, self._clocks())
