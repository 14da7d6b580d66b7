"""What docs/your_robot.md shows is what runs: a learned base, and the tiny robot of the tests."""

from __future__ import annotations

import json
import math
from pathlib import Path

from action_servers import ask_for_result, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from diff_drive import DiffDrive
from papers import ROOT, Block, blocks
from patient_gates import patient
import pytest
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from robot_stage import initialised
from sensor_msgs.msg import LaserScan
from spinning import spinning
from waiting import wait_until
import yaml

from bt_executive.core.guards import BUILT_IN
from bt_executive.ros.executive_node import ExecutiveNode
from bt_executive.ros.learn_from_graph import learn
from bt_executive.skills.tool_registry import Registry
from gates.gates_node import GatesNode
from rover_common.config.load import load_config
from rover_common.config.robot_file import ROBOT_FILE
from rover_common.ros.interface_classes_and_fields import resolve
from rover_common.ros.run_node import NodeOptions

PAGE = 'docs/your_robot.md'
SUPPORT = ROOT / 'test' / 'support'
FOLDER = SUPPORT / 'tiny_robot_config'
GOALS = 'executive/execute_goal'
PATIENT = (  # a busy machine may be late; the limits have tests of their own
    'guards.adapter_status_max_age_s=60',
    'guards.adapter_status_moving_max_age_s=60',
    'guards.server_wait_s=60',
    'robot.state.near_m.max_age_s=60',
)


def shown(kind: str) -> list[Block]:
    return [each for each in blocks() if each.place.startswith(PAGE) and each.kind == kind]


LEARNED, EDITED = shown('yaml')[:2]


@pytest.mark.parametrize('block', shown('yaml')[2:], ids=lambda block: block.place)
def test_a_part_of_a_file_stands_in_it(block: Block) -> None:
    assert block.text in (FOLDER / 'robot.yaml').read_text(encoding='utf-8')


@pytest.mark.parametrize('block', shown('python'), ids=lambda block: block.place)
def test_a_part_of_the_adapter_stands_in_it(block: Block) -> None:
    assert block.text in (SUPPORT / 'tiny_robot.py').read_text(encoding='utf-8')


class Base(DiffDrive):
    """A base with a scanner, which sees a wall this far away, in m."""

    def __init__(self) -> None:
        super().__init__()
        self.wall_m = 3.0
        self._scan = self.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self.create_timer(0.1, self._see)
        self.goals = ActionClient(self, ExecuteGoal, GOALS)

    def _see(self) -> None:
        scan = LaserScan(ranges=[math.inf, self.wall_m])
        scan.header.stamp = self.get_clock().now().to_msg()
        self._scan.publish(scan)

    def ends(self, **arguments: float) -> ExecuteGoal.Result:
        """Types `:tool drive`; returns how the goal ended."""
        wait_for_action(self.goals, self, GOALS)
        goal = ExecuteGoal.Goal(
            goal='drive', tool='drive', arguments=json.dumps(arguments), sender='operator'
        )
        result = ask_for_result(send_goal(self.goals, self, goal), self)
        wait_until(result.done, 'the goal ends')
        found: ExecuteGoal.Result = result.result().result
        return found


@pytest.mark.ros
def test_the_way_from_learn_to_the_first_guarded_motion(tmp_path: Path) -> None:
    with initialised():
        base, executor, folder = Base(), SingleThreadedExecutor(), tmp_path / 'my_robot'
        executor.add_node(base)
        with spinning(executor):
            learn(folder, ())
            content = yaml.safe_load((folder / ROBOT_FILE).read_text())
            for section, entries in yaml.safe_load(LEARNED.text).items():
                assert {name: content[section][name] for name in entries} == entries
            assert not content['tools']['drive'].get('guards')
            edits = yaml.safe_load(EDITED.text)
            content['robot'] = edits['robot']
            content['tools']['drive'] |= edits['tools']['drive']
            (folder / ROBOT_FILE).write_text(yaml.safe_dump(content))
            journal = f'journal.file="{tmp_path}/journal"'
            config = load_config(folder, (*PATIENT, journal))
            executive = ExecutiveNode(NodeOptions(config, tmp_path / 'run'))
            gates = GatesNode(NodeOptions(patient(config), None))
            for node in (executive, gates):
                executor.add_node(node)
            assert base.ends(distance_m=0.3).outcome == 'reached'
            assert base.x >= 0.25, 'and further, the longer a busy machine lets the stop wait'
            assert not base.moves
            base.wall_m, stood_at = 0.2, base.x
            end = base.ends(distance_m=0.3)
            assert end.outcome == 'failed'
            assert base.x < stood_at + 0.29, 'it begins at most until the scan is read'
            assert end.answer == 'Something stands less than 0.4 m from the scanner'
        executive.shut_down(executor)
        executor.shutdown()
        for each in (executive, gates, base):
            each.destroy_node()


def test_the_folder_can_be_used() -> None:
    registry = Registry(load_config(FOLDER), resolve)
    asked = {each.name for tool in registry.values() for each in tool.preconditions}
    assert asked == {'adapter_alive', 'standing_still', 'lamp_on', 'gripper_closed'}
    assert asked - set(BUILT_IN) == {'lamp_on', 'gripper_closed'}
