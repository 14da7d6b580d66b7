"""The processes of a case over ROS, and the robot and a stranger's clients in this one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import GoalEnd, KeepOutZones
from geometry_msgs.msg import Twist
from std_msgs.msg import String
from std_srvs.srv import Empty, SetBool, Trigger

from bench._driven_system import DrivenSystem, task_id
from bench.guard.play import SETTINGS, the_model
from bench.guard.site import STEP_S, Truth, truth_of
from bt_executive.ros.goal_validation_ends_and_keepalives import LATEST_ENDS
from curiosity_sim.rover_node import RoverNode
from rover_common.config.load import load_config
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions

PROCESSES = ('curiosity_adapter', 'executive')


class WatchedRover(RoverNode):
    """The simulated rover, whose true state is noted in each step of a case."""

    def __init__(self, options: NodeOptions) -> None:
        self.track: list[Truth] = []
        self.passed = 0.0
        self.mast = options.config.curiosity.mast
        super().__init__(options)

    @property
    def body(self) -> Any:
        """The physics."""
        return self._rover

    @property
    def truth(self) -> Truth:
        """What it really does now."""
        return truth_of(self._rover, self._time.now_s, 0.0, self.mast)

    def _step(self, last: bool) -> None:
        super()._step(last)
        if self._time.now_s - self.passed >= STEP_S - 1e-9:
            self.passed = self._time.now_s
            self.track.append(self.truth)


class RosSystem(DrivenSystem):
    """Executive and adapter as processes, the robot and a stranger's clients here."""

    def __init__(self, folder: Path) -> None:
        settings = [*SETTINGS, f'planner.base_url={the_model().url}']
        os.environ.setdefault('OPENAI_API_KEY', 'none')  # loopback asks for none
        super().__init__(folder, PROCESSES, settings)
        self.rover = WatchedRover(NodeOptions(load_config(None, settings), None))
        self._nodes.append(self.rover)
        self._executor.add_node(self.rover)
        node = self._node
        self.wheels = node.create_publisher(Twist, '/cmd_vel', 10)
        self.events = node.create_publisher(String, '/safety_events', 10)
        self.zones = node.create_publisher(KeepOutZones, '/keep_out_zones', LATCHED)
        self.manual = node.create_client(SetBool, '/adapter/manual_mode')
        self._clients: dict[str, Any] = {}
        # A goal outlives its executive, and its action does not.
        self.ends: dict[str, GoalEnd] = {}
        self.listen(GoalEnd, 'executive/goal_ends', self._ended, LATEST_ENDS)

    def call(self, name: str) -> None:
        """Call a service of the robot or of the adapter, as any node can."""
        type_ = Trigger if name.startswith('/adapter/') else Empty
        if name not in self._clients:
            self._clients[name] = self._node.create_client(type_, name)
        client = self._clients[name]
        self.until(client.service_is_ready, name)
        client.call_async(type_.Request())

    def pursue_goal(self, goal: ExecuteGoal.Goal) -> str:
        """Send a goal until it is accepted; return its id among the ends."""
        return task_id(self._accepted(lambda: goal))

    def _ended(self, end: GoalEnd) -> None:
        self.ends[end.task_id] = end

    def offer(self, goal: ExecuteGoal.Goal) -> None:
        """Send a goal once, without regard to its result."""
        self._goals.send_goal_async(goal)
