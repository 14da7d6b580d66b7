"""The executive's node: what it says of itself, and how it listens to the robot."""

from __future__ import annotations

from pathlib import Path
import threading

from bt_executive_interfaces.msg import Heartbeat
from fakes.core import ScriptedPlanner
import pytest
import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import ReliabilityPolicy
from spinning import turn_of
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.tree.executive import Executive
from rover_common.config.load import load_config
from rover_common.ros.heartbeat import HEARTBEAT
from rover_common.ros.node_options import NodeOptions
from rover_common.ros.qos import REPEATED

pytestmark = pytest.mark.ros
HEARTBEATS = 5


def test_an_idle_executive_beats_between_two_ticks_and_is_deaf_to_no_late_status(
    tmp_path: Path,
) -> None:
    rclpy.init()
    config = load_config(None, ['tick.period_s=600', 'tick.heartbeat_s=0.05'])
    node = ExecutiveNode(
        NodeOptions(config, tmp_path / 'run'), lambda _config, _wake: ScriptedPlanner([])
    )
    listener = Node('listener')
    heartbeats: list[Heartbeat] = []
    listener.create_subscription(Heartbeat, HEARTBEAT, heartbeats.append, REPEATED)
    executor = SingleThreadedExecutor()
    for each in (node, listener):
        executor.add_node(each)
    try:
        wait_until(
            lambda: len(heartbeats) >= HEARTBEATS, 'heartbeats come', meanwhile=turn_of(executor)
        )
        (status,) = node.get_subscriptions_info_by_topic('/adapter/status')
        assert status.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT
    finally:
        node.shut_down(executor)
        executor.shutdown()
        for each in (node, listener):
            each.destroy_node()
        rclpy.try_shutdown()


def test_an_executive_whose_tick_thread_fails_closes_its_run_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_to_end = threading.Event()
    close = RunFolder.close
    closed: list[bool] = []

    def fail(*_: object) -> None:
        raise LookupError('a defect')

    def close_late(folder: RunFolder, limit_s: float) -> None:
        asked_to_end.wait()
        close(folder, limit_s)
        closed.append(True)

    monkeypatch.setattr(Executive, 'step', fail)
    monkeypatch.setattr(RunFolder, 'close', close_late)
    rclpy.init()
    node = ExecutiveNode(
        NodeOptions(load_config(None, []), tmp_path / 'run'), lambda *_: ScriptedPlanner([])
    )
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    with pytest.raises((ExternalShutdownException, RCLError)):  # wherever the executor just is
        wait_until(lambda: False, 'the fault ends ROS', meanwhile=turn_of(executor))
    asked_to_end.set()
    node.shut_down(executor)
    assert closed
    assert isinstance(node.fault, LookupError)
    executor.shutdown()
    node.destroy_node()
