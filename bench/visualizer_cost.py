"""How much of a core the visualizer needs beside a demo and a viewer.

A real process. This one speaks for the rest of the system as fast as it does in the demo: a
moving rover in tf, the executive's state, the adapter's status and the trace; and it looks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from bt_executive_interfaces.msg import AdapterStatus, ExecutiveState
import psutil
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from bench._figures import report
from bt_executive.core.state import BrainState
from bt_executive.ros.executive_publishers import state_to_ros
from rover_common.clocks import Now
from rover_common.geometry.transforms import Transform
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros
from rover_common.trace_event import TraceEvent, event_to_json

SECONDS = 20.0
TARGET_PCT = 5.0
TF_S, STATE_S, STATUS_S, TRACE_S = 0.05, 0.1, 0.2, 0.5
SPEED_M_S = 0.5


class System(Node):
    """Everything that the visualizer listens to, and a viewer."""

    def __init__(self) -> None:
        super().__init__('system')
        self.markers = self.messages = 0
        self._began = time.monotonic()
        self._tf = self.create_publisher(TFMessage, 'tf', TF_QOS)
        self._trace = self.create_publisher(String, 'trace/events', 100)
        self._state = self.create_publisher(ExecutiveState, 'executive/state', LATCHED)
        self._status = self.create_publisher(AdapterStatus, 'adapter/status', LATCHED)
        self.create_subscription(MarkerArray, 'visualization_marker_array', self._on_markers, 10)
        state = state_to_ros(BrainState(), Now.at(0.0))
        self.create_timer(TF_S, self._move)
        self.create_timer(STATE_S, lambda: self._state.publish(state))
        self.create_timer(STATUS_S, lambda: self._status.publish(AdapterStatus()))
        self.create_timer(TRACE_S, self._publish)

    def _move(self) -> None:
        seconds = time.monotonic() - self._began
        pose = Transform(x=SPEED_M_S * seconds, stamp=seconds)
        self._tf.publish(TFMessage(transforms=[pose_to_ros('odom', 'base_footprint', pose)]))

    def _publish(self) -> None:
        event = TraceEvent('e', 1.0, 'RESULT', 'seen', tool_name='look', ok=True, score=0.5)
        self._trace.publish(String(data=event_to_json(event)))

    def _on_markers(self, message: MarkerArray) -> None:
        self.messages += 1
        self.markers += len(message.markers)


def run() -> bool:
    """Measures CPU time over wall time."""
    command = [sys.executable, '-m', 'curiosity_viz.visualizer_node']
    visualizer = subprocess.Popen(command, env=os.environ.copy())
    rclpy.init()
    executor = SingleThreadedExecutor()
    system = System()
    executor.add_node(system)
    try:
        while not system.messages:
            executor.spin_once(timeout_sec=0.1)
        percent = _percent(psutil.Process(visualizer.pid), executor)
    finally:
        visualizer.terminate()
        visualizer.wait()
        rclpy.shutdown()
    print(f'{system.messages} messages with {system.markers} markers in {SECONDS:g} s')
    return report('visualizer, of a core', percent, '%', at_most=TARGET_PCT)


def _percent(process: psutil.Process, executor: SingleThreadedExecutor) -> float:
    def used() -> float:
        times = process.cpu_times()
        return times.user + times.system

    before, began = used(), time.monotonic()
    while time.monotonic() - began < SECONDS:
        executor.spin_once(timeout_sec=0.1)
    return 100.0 * (used() - before) / (time.monotonic() - began)


if __name__ == '__main__':
    sys.exit(not run())
