"""How much of a core the executive needs while it has nothing to do, and whether it grows.

A real process beside a real adapter. This one is the rover: it stands still and speaks as often as
the rover does (tf, joints, battery), and somebody looks at the state.
"""

from __future__ import annotations

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
from tf2_msgs.msg import TFMessage

from bench._figures import report
from rover_common.geometry.transforms import Transform
from rover_common.ros.tf import TF_QOS, pose_to_ros

SETTLE_S = 10.0
SECONDS = 20.0
TARGET_PCT = 2.0
TARGET_MB = 1.0
TF_S, JOINTS_S, BATTERY_S = 0.1, 0.1, 1.0
JOINTS = ['mast_p_joint', 'mast_02_joint', 'mast_cameras_joint']
NODES = ('curiosity_adapter.adapter_node', 'bt_executive.ros.executive_node')


class StandingRover(Node):
    """Says that it stands, and hears the executive's state."""

    def __init__(self) -> None:
        super().__init__('standing_rover')
        self.states = 0
        self._tf = self.create_publisher(TFMessage, 'tf', TF_QOS)
        self._joints = self.create_publisher(JointState, 'joint_states', 10)
        self._battery = self.create_publisher(BatteryState, 'battery_state', 10)
        self.create_subscription(ExecutiveState, 'executive/state', self._take_state, 10)
        self.create_timer(TF_S, self._tell_pose)
        self.create_timer(JOINTS_S, self._tell_joints)
        self.create_timer(BATTERY_S, lambda: self._battery.publish(BatteryState(percentage=0.9)))

    def _take_state(self, _message: ExecutiveState) -> None:
        self.states += 1

    def _tell_pose(self) -> None:
        stamp = self.get_clock().now().nanoseconds * 1e-9
        pose = pose_to_ros('odom', 'base_footprint', Transform(stamp=stamp))
        self._tf.publish(TFMessage(transforms=[pose]))

    def _tell_joints(self) -> None:
        message = JointState(name=JOINTS, position=[0.0, 0.0, 0.0])
        message.header.stamp = self.get_clock().now().to_msg()
        self._joints.publish(message)


def run() -> bool:
    """Measures processor time over wall time, and resident memory before and after."""
    with tempfile.TemporaryDirectory() as folder:
        processes = [
            subprocess.Popen([sys.executable, '-m', node, '--run-dir', folder]) for node in NODES
        ]
        rclpy.init()
        rover, executor = StandingRover(), SingleThreadedExecutor()
        executor.add_node(rover)
        try:
            while not rover.states:
                executor.spin_once(timeout_sec=0.1)
            _spin(executor, SETTLE_S)
            percent, grown_mb = _cost(psutil.Process(processes[-1].pid), executor)
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(15.0)
            rclpy.shutdown()
    met = report('executive, idle, of a core', percent, '%', at_most=TARGET_PCT)
    return report(f'growth in {SECONDS:g} s', grown_mb, 'MB', at_most=TARGET_MB) and met


def _cost(process: psutil.Process, executor: SingleThreadedExecutor) -> tuple[float, float]:
    """Percent of a core, and MB of growth."""
    before, memory, began = _used(process), process.memory_info().rss, time.monotonic()
    _spin(executor, SECONDS)
    percent = 100.0 * (_used(process) - before) / (time.monotonic() - began)
    return percent, (process.memory_info().rss - memory) / 1e6


def _used(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _spin(executor: SingleThreadedExecutor, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)


if __name__ == '__main__':
    sys.exit(not run())
