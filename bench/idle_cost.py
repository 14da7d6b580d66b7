"""How much of a core the executive needs while it has nothing to do, and whether it grows.

A real process beside a real adapter. This one is the rover: it stands still, answers each stop,
and speaks as often as the rover does (tf, joints, battery), and somebody looks at the state. In
the same seconds, as a floor, a bare node of rclpy that takes and sends what the executive does: a
wake-up at rest costs what the machine's caches and clocks make of it, on one day twice as much as
on the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
import statistics
import subprocess
import sys
import tempfile
import time

from bt_executive_interfaces.msg import ExecutiveState
import psutil
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, JointState
from std_srvs.srv import Empty
from tf2_msgs.msg import TFMessage

from bench._figures import report
from rover_common.config.load import load_config
from rover_common.config.settings import RoverServices
from rover_common.geometry.transforms import Transform
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

SETTLE_S = 12.0  # 3 s of rest are a rest, and diagnostics settle after 5
ROUNDS, ROUND_S = 12, 4.0
TARGET_PCT = 2.0
TARGET_MB = 1.0
TF_S, JOINTS_S, BATTERY_S = 0.1, 0.1, 1.0
JOINTS = ['mast_p_joint', 'mast_02_joint', 'mast_cameras_joint']
NODES = ('curiosity_adapter.adapter_node', 'bt_executive.ros.executive_node')
# Ten heartbeats and two states a second, and what the rover and the adapter publish.
FLOOR = """
import rclpy
from bt_executive_interfaces.msg import AdapterStatus, ExecutiveState, Heartbeat
from sensor_msgs.msg import BatteryState
from tf2_msgs.msg import TFMessage
from rover_common.ros.entering_ros import choose_transport
import os
choose_transport(os.environ)
rclpy.init()
node = rclpy.create_node('floor')
heartbeats = node.create_publisher(Heartbeat, 'floor/heartbeat', 1)
states = node.create_publisher(ExecutiveState, 'floor/state', 1)
for kind, topic in ((TFMessage, 'tf'), (AdapterStatus, 'adapter/status')):
    node.create_subscription(kind, topic, lambda message: None, 10)
node.create_subscription(BatteryState, 'battery_state', lambda message: None, 10)
node.create_timer(0.1, lambda: heartbeats.publish(Heartbeat()))
node.create_timer(0.5, lambda: states.publish(ExecutiveState(state_json=' ' * 5000)))
rclpy.spin(node)
"""


class StationaryRover(Node):
    """Publishes a stationary rover, and subscribes to the executive's state."""

    def __init__(self) -> None:
        super().__init__('standing_rover')
        self.states = 0
        self._tf = self.create_publisher(TFMessage, 'tf', TF_QOS)
        self._joints = self.create_publisher(JointState, 'joint_states', 10)
        self._battery = self.create_publisher(BatteryState, 'battery_state', 10)
        self.create_subscription(ExecutiveState, 'executive/state', self._take_state, 10)
        services = load_config().topics.curiosity
        for key in RoverServices.model_fields:  # without these no stop is ever answered
            name = relative_name(getattr(services, key).name)
            self.create_service(Empty, name, lambda _request, response: response)
        self.create_timer(TF_S, self._publish_pose)
        self.create_timer(JOINTS_S, self._publish_joints)
        self.create_timer(BATTERY_S, lambda: self._battery.publish(BatteryState(percentage=0.9)))

    def _take_state(self, _message: ExecutiveState) -> None:
        self.states += 1

    def _publish_pose(self) -> None:
        stamp = self.get_clock().now().nanoseconds * 1e-9
        pose = pose_to_ros('odom', 'base_footprint', Transform(stamp=stamp))
        self._tf.publish(TFMessage(transforms=[pose]))

    def _publish_joints(self) -> None:
        message = JointState(name=JOINTS, position=[0.0, 0.0, 0.0])
        message.header.stamp = self.get_clock().now().to_msg()
        self._joints.publish(message)


def run() -> bool:
    """Measures processor time of both, round by round, and how much the executive grows."""
    with tempfile.TemporaryDirectory() as folder, _processes(folder) as processes:
        rclpy.init()
        rover, executor = StationaryRover(), SingleThreadedExecutor()
        executor.add_node(rover)
        try:
            while not rover.states:
                executor.spin_once(timeout_sec=0.1)
            _spin(executor, SETTLE_S)
            executive, floor = (psutil.Process(each.pid) for each in processes[-2:])
            memory = executive.memory_info().rss
            rounds = [_round((executive, floor), executor) for _ in range(ROUNDS)]
            grown_mb = (executive.memory_info().rss - memory) / 1e6
        finally:
            rclpy.shutdown()
    mine, bare = zip(*rounds, strict=True)
    ratios = sorted(one / other for one, other in rounds)
    met = report('executive, idle, of a core', statistics.median(mine), '%', at_most=TARGET_PCT)
    report(f'the same, least and most of {ROUNDS} rounds: least', min(mine), '%')
    report(f'the same, least and most of {ROUNDS} rounds: most', max(mine), '%')
    report('a bare node with the same messages', statistics.median(bare), '%')
    report('executive / bare node, median', statistics.median(ratios), 'x')
    report('executive / bare node, lower quarter', ratios[ROUNDS // 4], 'x')
    report('executive / bare node, upper quarter', ratios[-1 - ROUNDS // 4], 'x')
    seconds = ROUNDS * ROUND_S
    return report(f'growth in {seconds:g} s', grown_mb, 'MB', at_most=TARGET_MB) and met


@contextmanager
def _processes(folder: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The adapter, the executive, and the floor."""
    commands: Sequence[Sequence[str]] = (
        *(('-m', node, '--run-dir', folder) for node in NODES),
        ('-c', FLOOR),
    )
    started = [subprocess.Popen([sys.executable, *each]) for each in commands]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(15.0)


def _round(
    processes: Sequence[psutil.Process], executor: SingleThreadedExecutor
) -> tuple[float, ...]:
    """Percent of a core of each, in the same seconds."""
    before, began = [_used_s(each) for each in processes], time.monotonic()
    _spin(executor, ROUND_S)
    passed_s = time.monotonic() - began
    return tuple(
        100.0 * (_used_s(each) - used) / passed_s
        for each, used in zip(processes, before, strict=True)
    )


def _used_s(process: psutil.Process) -> float:
    """Processor time of all its threads, in s to the ns: psutil counts hundredths."""
    tasks = Path(f'/proc/{process.pid}/task').glob('*/schedstat')
    return sum(int(each.read_text('ascii').split()[0]) for each in tasks) * 1e-9


def _spin(executor: SingleThreadedExecutor, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)


if __name__ == '__main__':
    sys.exit(not run())
