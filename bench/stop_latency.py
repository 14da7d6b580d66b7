"""From a reason to stop → stop request at the rover's service, with everything else hanging.

The reasons: a safety event, the operator's stop and pause, and a battery that is low.

Real processes: the adapter and an executive whose planner never returns; its tool's server (the
camera) never answers. This process is the rover: it serves the motion services and measures, on
one steady clock, from its own message or request to the arrival of the stop.

Before each trial two bare hops of the middleware are measured in the same way: a topic to another
process, a service call back. So whatever else the machine does slows both down alike.
"""

from __future__ import annotations

from collections.abc import Callable
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from bt_executive_interfaces.action import ExecuteGoal
from curiosity_rosa_demo.srv import CaptureAndScore
import rclpy
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger

from bench import _bare_hop
from bench._figures import report, trials

TRIALS = trials(200)
TARGET_HOPS = 2.0  # times the two bare hops, of the median as of p99
TARGET_LEAST_MS = 3.0
SHORT = 'tools.capture_and_score.timeout_s=0.2'  # frees the camera for the next trial
HANGING_EXECUTIVE = 'bench._hanging_executive'


class Rover(Node):
    """The rover's services, joints that say `mast open`, a camera service that never answers."""

    def __init__(self) -> None:
        super().__init__('measured_rover')
        self.stopped_at: float | None = None
        self.hopped_at: float | None = None
        for name in ('move_forward', 'turn_left', 'turn_right'):
            self.create_service(Empty, name, lambda _request, response: response)
        for name in ('mast_open', 'mast_close', 'mast_rotate'):
            self.create_service(Empty, name, lambda _request, response: response)
        self.create_service(Empty, 'move_stop', self._stop)
        self.create_service(Empty, _bare_hop.SERVICE, self._hop_back)
        group = ReentrantCallbackGroup()
        self.create_service(CaptureAndScore, 'capture_and_score', self._hang, callback_group=group)
        self.captures = 0
        self._joints = self.create_publisher(JointState, 'joint_states', 10)
        self.create_timer(0.1, self._publish_joints)
        self.hops = self.create_publisher(String, _bare_hop.TOPIC, 10)
        self.events = self.create_publisher(String, 'safety_events', 10)
        self.reset = self.create_client(Trigger, 'executive/reset')
        self.stop = self.create_client(Trigger, 'executive/stop')
        self.pause = self.create_client(Trigger, 'executive/pause')
        self.resume = self.create_client(Trigger, 'executive/resume')
        self.battery = self.create_publisher(BatteryState, 'battery_state', 10)
        self.goals = ActionClient(self, ExecuteGoal, 'executive/execute_goal')

    def _stop(self, _request: Empty.Request, response: Empty.Response) -> Empty.Response:
        if self.stopped_at is None:
            self.stopped_at = time.monotonic()
        return response

    def _hop_back(self, _request: Empty.Request, response: Empty.Response) -> Empty.Response:
        if self.hopped_at is None:
            self.hopped_at = time.monotonic()
        return response

    async def _hang(
        self, _request: CaptureAndScore.Request, response: CaptureAndScore.Response
    ) -> CaptureAndScore.Response:
        self.captures += 1
        await rclpy.task.Future()
        return response

    def _publish_joints(self) -> None:
        names = ['mast_p_joint', 'mast_02_joint', 'mast_cameras_joint']
        message = JointState(name=names, position=[0.0, 0.0, 0.0])
        message.header.stamp = self.get_clock().now().to_msg()
        self._joints.publish(message)


def run() -> bool:
    """Measures each reason to stop, and prints a line for it."""
    with tempfile.TemporaryDirectory() as folder:
        children = [
            subprocess.Popen([sys.executable, '-m', 'curiosity_adapter.adapter_node']),
            subprocess.Popen([sys.executable, '-m', _bare_hop.__name__]),
            subprocess.Popen(
                [sys.executable, '-m', HANGING_EXECUTIVE, '--run-dir', folder, '--set', SHORT]
            ),
        ]
        try:
            return _measure()
        finally:
            for child in children:
                child.terminate()
            for child in children:
                child.wait(15.0)


def _measure() -> bool:
    rclpy.init()
    rover = Rover()
    executor = SingleThreadedExecutor()
    executor.add_node(rover)

    def until(done: Callable[[], Any], bound_s: float = 120.0) -> Any:
        deadline = time.monotonic() + bound_s
        while not (seen := done()):
            if time.monotonic() > deadline:
                raise TimeoutError(f'not within {bound_s} s')
            executor.spin_once(timeout_sec=0.002)
        return seen

    def call(client: rclpy.client.Client) -> Trigger.Response:
        future = client.call_async(Trigger.Request())
        until(future.done)
        return future.result()

    until(rover.goals.server_is_ready)
    until(rover.reset.service_is_ready)
    until(rover.events.get_subscription_count)
    until(rover.hops.get_subscription_count)
    until(lambda: rover.stopped_at)  # the adapter's stop at its start
    until(rover.battery.get_subscription_count)
    event, asked = String(data='measured'), Trigger.Request()  # to be made costs time, too
    low, full = BatteryState(percentage=0.05), BatteryState(percentage=0.95)
    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        'safety event': (
            lambda: rover.events.publish(event),
            lambda: until(lambda: call(rover.reset).success),
        ),
        'operator stop': (lambda: rover.stop.call_async(asked), lambda: None),
        'pause': (  # it outlives the stop: the next goal would wait for the resume
            lambda: rover.pause.call_async(asked),
            lambda: (call(rover.stop), call(rover.resume)),
        ),
        'low battery': (
            lambda: rover.battery.publish(low),
            lambda: (rover.battery.publish(full), call(rover.stop)),
        ),
    }
    met = True
    for name, (begin, end) in ways.items():
        hops, taken = [], []
        for trial in range(TRIALS):
            goal = _start_goal(rover, until, hanging_tool=trial % 2 == 0)
            hops.append(_time_hops(rover, until))
            rover.stopped_at = None
            began = time.monotonic()
            begin()
            taken.append((until(lambda: rover.stopped_at) - began) * 1e3)
            end()
            ended = goal.get_result_async()
            until(ended.done)
        met &= _print(name, taken, hops)
    executor.shutdown()
    rover.destroy_node()
    rclpy.shutdown()
    return met


def _start_goal(rover: Rover, until: Callable[..., Any], hanging_tool: bool) -> ClientGoalHandle:
    """Half the trials hang in the tool's server as well, all of them in the planner."""
    goal = ExecuteGoal.Goal(goal='hang', sender='operator')
    if hanging_tool:
        goal = ExecuteGoal.Goal(
            goal='hang', tool='capture_and_score', arguments=json.dumps({}), sender='operator'
        )
    before = rover.captures
    accepted = rover.goals.send_goal_async(goal)
    until(accepted.done)
    if hanging_tool:
        until(lambda: rover.captures > before)
    else:
        settled = (
            time.monotonic() + 0.02
        )  # the planner is called in the tick that accepts the goal
        until(lambda: time.monotonic() > settled)
    return accepted.result()


def _time_hops(rover: Rover, until: Callable[..., Any]) -> float:
    """Two bare hops, in ms: to the process of `_bare_hop` by a topic, back by a service."""
    message = String(data='measured')
    rover.hopped_at = None
    began = time.monotonic()
    rover.hops.publish(message)
    hopped_at: float = until(lambda: rover.hopped_at)
    return (hopped_at - began) * 1e3


def _print(label: str, taken_ms: list[float], hops_ms: list[float]) -> bool:
    """Print both figures and their targets; True if they are met."""
    met = True
    for statistic, figure in (('median', statistics.median), ('p99', _p99)):
        taken, hops = figure(taken_ms), figure(hops_ms)
        report(f'{label}: two bare hops, {statistic}', hops, 'ms')
        target = max(TARGET_HOPS * hops, TARGET_LEAST_MS)
        met &= report(f'{label}: {statistic} of {len(taken_ms)}', taken, 'ms', at_most=target)
    return met


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


if __name__ == '__main__':
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    sys.exit(not run())
