"""Node `curiosity_control`: stands in for the demo's nodes `run_demo` and `move_mast`.

Serves (`std_srvs/srv/Empty`): move_forward, turn_left, turn_right, move_stop, mast_open,
mast_close, mast_rotate; names in topics.yaml, section `curiosity`.
Publishes: cmd_vel (`geometry_msgs/msg/Twist`) and the mast's trajectories
(`trajectory_msgs/msg/JointTrajectory`), and /diagnostics.

Like the demo it latches: the last motion is sent again at 10 Hz until move_stop, whoever asked
for it and whether or not the caller still lives. A trajectory is sent once, and is lost where
nobody listens; unlike the demo it waits for a listener first, no longer than `LISTENER_WAIT_S`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
import math
import time
from types import MappingProxyType

from geometry_msgs.msg import Twist
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Empty
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from curiosity_sim.ros.injected_service_faults import ServiceFaults
from curiosity_sim.rover.mast import JOINTS
from rover_common.diagnostic_status import Health, Part
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.timers import sleep

LATCH_PERIOD_S = 0.1
# Steady s. A rover that has just begun is found by its callers one after the other; shorter than
# the adapter waits for an answer (`motion.service_wait_s`).
LISTENER_WAIT_S = 2.0
LISTENER_POLL_S = 0.02
# Wheel speed in rad/s and steering number of the demo's run_demo.
MOTIONS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {'move_forward': (2.0, 0.0), 'turn_left': (1.0, 0.4), 'turn_right': (1.0, -0.4)}
)
# Points of the demo's move_mast: seconds from the start, then rad of the joints in JOINTS.
Points = Sequence[tuple[float, tuple[float, float, float]]]
TRAJECTORIES: Mapping[str, Points] = MappingProxyType(
    {
        'mast_open': [(1.0, (0.0, -0.5, 0.0))],
        'mast_close': [(1.0, (1.57, -1.57, 0.0))],
        'mast_rotate': [
            (2.0, (0.0, -1.57, 0.0)),
            (4.0, (0.0, -3.14, 0.0)),
            (6.0, (0.0, -6.28, 0.0)),
        ],
    }
)


class ControlNode(Node):
    """Turns the seven services into wheel commands and mast trajectories."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('curiosity_control', **options.node_arguments())
        topics = options.config.topics
        self._endpoints = topics.curiosity
        self._wheels = self.create_publisher(Twist, relative_name(topics.rover.cmd_vel), 10)
        self._mast = self.create_publisher(
            JointTrajectory, relative_name(topics.rover.mast_trajectory), 10
        )
        self._latched: Twist | None = None
        self._command = ''
        self._calls = ReentrantCallbackGroup()  # one that hangs must not hold up the others
        names = (*MOTIONS, *TRAJECTORIES, 'move_stop')
        self._faults = ServiceFaults(self, names, options.config.curiosity.rover)
        for name, (linear, angular) in MOTIONS.items():
            self._serve(name, self._starter(name, linear, angular))
        for name, points in TRAJECTORIES.items():
            self._serve(name, self._mover(name, points))
        self._serve('move_stop', self._stop)
        self._repeating = self.create_timer(LATCH_PERIOD_S, self._repeat, autostart=False)
        report_diagnostics(self, [Part('command', self._health), self._faults.part()])

    def _health(self) -> Health:
        return Health(reason=f'{self._command} is repeated' if self._latched else 'none')

    def _serve(self, name: str, action: Callable[[], Awaitable[None]]) -> None:
        async def answer(_request: Empty.Request, response: Empty.Response) -> Empty.Response:
            self.get_logger().info(f'{name} was asked for')
            if await self._faults.works(name):
                await action()
            await self._faults.delay(name)
            return response

        endpoint = relative_name(getattr(self._endpoints, name).name)
        self.create_service(Empty, endpoint, answer, callback_group=self._calls)

    def _starter(self, name: str, linear: float, angular: float) -> Callable[[], Awaitable[None]]:
        async def start() -> None:
            self._command, self._latched = name, Twist()
            self._latched.linear.x, self._latched.angular.z = linear, angular
            self._repeat()
            self._repeating.reset()

        return start

    def _mover(self, name: str, points: Points) -> Callable[[], Awaitable[None]]:
        trajectory = trajectory_to_ros(points)

        async def move() -> None:
            if await self._mast_is_found():
                self._mast.publish(trajectory)
            else:
                self.get_logger().warning(
                    f'{name} moves nothing: no subscriber of {self._mast.topic_name}. '
                    'Is the rover running?'
                )

        return move

    async def _mast_is_found(self) -> bool:
        """Whether the mast's trajectories have a subscriber; waits for it, within bounds."""
        deadline = time.monotonic() + LISTENER_WAIT_S
        while not self._mast.get_subscription_count():
            if time.monotonic() >= deadline:
                return False
            await sleep(self, LISTENER_POLL_S)
        return True

    def _repeat(self) -> None:
        if self._latched is not None:
            self._wheels.publish(self._latched)

    async def _stop(self) -> None:
        self._latched = None
        self._repeating.cancel()
        self._wheels.publish(Twist())


def trajectory_to_ros(points: Points) -> JointTrajectory:
    """A trajectory of all mast joints that starts when it is received."""
    message = JointTrajectory(joint_names=list(JOINTS))
    for seconds, positions in points:
        point = JointTrajectoryPoint(positions=list(positions))
        whole = math.floor(seconds)
        point.time_from_start.sec = whole
        point.time_from_start.nanosec = round((seconds - whole) * 1e9)
        message.points.append(point)
    return message


def main() -> None:
    """Runs the node as a process."""
    run_node(ControlNode, keeps_pace=True)


if __name__ == '__main__':
    main()
