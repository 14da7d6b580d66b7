"""`learn` reads a live graph, writes what starts unedited, and overwrites nothing."""

from __future__ import annotations

from pathlib import Path

from diff_drive import DiffDrive
import pytest
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import BatteryState
from spinning import spun_node
from std_srvs.srv import Trigger

from bt_executive.launching.start_checks import check_executive
from bt_executive.ros.learn import learn
from rover_common.config.load import load_config
from rover_common.errors import UsageError

pytestmark = pytest.mark.ros


def test_a_base_is_learned_from_its_graph(tmp_path: Path) -> None:
    folder = tmp_path / 'base'
    with spun_node('driver') as node:
        base = DiffDrive(context=node.context)
        node.create_service(Trigger, '/dock', lambda _, response: response)
        node.create_publisher(BatteryState, '/battery', 1)
        executor = node.executor
        assert isinstance(executor, SingleThreadedExecutor)
        executor.add_node(base)
        said = learn(folder, ())
        executor.remove_node(base)
        base.destroy_node()
    assert '3 tools, 1 fields of state, gates: base' in said
    config = load_config(folder)
    check_executive(config)
    tools = config.robot.tools
    assert [tools[name].approve for name in ('dock', 'drive', 'turn')] == [True] * 3
    assert config.topics.tf.base_frame == 'base_footprint'
    with pytest.raises(UsageError, match='exists: name another folder'):
        learn(folder, ())
