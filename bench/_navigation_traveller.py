"""Sends goals to the adapter's action and follows where the rover really is."""

from __future__ import annotations

from collections.abc import Callable
import json
import time
from typing import Any

from bt_executive_interfaces.action import NavigateToPose
from bt_executive_interfaces.msg import AdapterStatus
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import Trigger

from rover_common.config.settings import Topics
from rover_common.geometry.planar_motion import Pose2D
from rover_common.geometry.transforms import Transform
from rover_common.ros.node_topic_and_enclave_names import relative_name

GAP = 'no setpoint from the navigator'  # at 8 times real time, a pause of 50 ms
GAPS = 3  # in one goal
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Traveller(Node):
    """Waits by spinning itself. Places in m and rad, of the rover's own odometry.

    Attributes:
        gaps: How many drives were stopped since the navigator was late.
    """

    def __init__(self, topics: Topics) -> None:
        super().__init__('traveller')
        self.track: list[Pose2D] = []
        self.status: dict[str, Any] = {}
        self.stamp = 0.0  # of the odometry, s
        self.gaps = 0
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)
        names = topics.adapter
        self.create_subscription(Odometry, relative_name(topics.rover.odometry), self._take, 100)
        self.create_subscription(
            AdapterStatus, relative_name(names.status.name), self._take_status, LATCHED
        )
        self._goals = ActionClient(
            self, NavigateToPose, relative_name(names.navigate_to_pose.name)
        )
        self._close = self.create_client(Trigger, relative_name(names.mast_close.name))

    def until(self, condition: Callable[[], object], bound_s: float, what: str) -> None:
        """Spins until the condition holds; TimeoutError after `bound_s` of steady time."""
        deadline = time.monotonic() + bound_s
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f'{what}: not within {bound_s:g} s')
            self._executor.spin_once(timeout_sec=0.05)

    def get_ready(self) -> None:
        """Waits for the adapter and closes the mast."""
        self.until(self._goals.server_is_ready, 90.0, 'the action')
        self.until(self._close.service_is_ready, 30.0, 'the service that closes the mast')
        self.until(lambda: self.track and self.status.get('rover_x') is not None, 30.0, 'poses')
        self.until(lambda: self.status.get('mast') != 'unknown', 30.0, 'the mast')
        while self.status.get('mast') != 'closed':  # a trajectory that comes too early is lost
            answer = self._close.call_async(Trigger.Request())
            self.until(answer.done, 30.0, 'the mast')
            if answer.result().success:
                self.until(lambda: self.status.get('mast') == 'closed', 30.0, 'the closed mast')

    def go(self, x: float, y: float, bound_s: float) -> NavigateToPose.Result:
        """Sends a goal and waits for its end; again after a gap, as the executive does."""
        for _ in range(GAPS):
            result = self._go(x, y, bound_s)
            if GAP not in result.message:
                break
            self.gaps += 1
        return result

    def _go(self, x: float, y: float, bound_s: float) -> NavigateToPose.Result:
        accepted = self._goals.send_goal_async(NavigateToPose.Goal(x=x, y=y))
        self.until(accepted.done, 30.0, 'the acceptance')
        answer = accepted.result().get_result_async()
        self.until(answer.done, bound_s, 'the result')
        return answer.result().result

    def close(self) -> None:
        """Leaves the graph."""
        self._executor.shutdown()
        self.destroy_node()

    def _take(self, message: Odometry) -> None:
        pose, stamp = message.pose.pose, message.header.stamp
        turn = pose.orientation
        yaw = Transform(qx=turn.x, qy=turn.y, qz=turn.z, qw=turn.w).yaw
        self.stamp = stamp.sec + stamp.nanosec * 1e-9
        self.track.append(Pose2D(pose.position.x, pose.position.y, yaw))

    def _take_status(self, message: AdapterStatus) -> None:
        self.status = json.loads(message.details)
