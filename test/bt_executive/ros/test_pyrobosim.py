"""config/robots/pyrobosim with pyrobosim itself and its ROS 2 node, where they are installed.

pyrobosim is on PyPI; its messages and its node are in its repository: `bt-executive interfaces
add` compiles pyrobosim_msgs, and PYTHONPATH names the folder pyrobosim_ros.
"""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

from action_servers import ask_for_result, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from patient_gates import patient
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from spinning import spinning
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from gates.gates_node import GatesNode
from rover_common.config.load import default_folder, load_config
from rover_common.ros.run_node import NodeOptions

simulator = pytest.importorskip(
    'pyrobosim.core', reason='pyrobosim is not installed: pip install pyrobosim'
)
pytest.importorskip('pyrobosim_msgs.action', reason='pyrobosim_msgs is not compiled: not on PyPI')
wrapper = pytest.importorskip(
    'pyrobosim_ros.ros_interface', reason='pyrobosim_ros is not on PYTHONPATH: not on PyPI'
)
FOLDER = default_folder() / 'robots' / 'pyrobosim'
PATIENT = ('guards.adapter_status_max_age_s=60', 'guards.server_wait_s=60')
GOALS = 'executive/execute_goal'
pytestmark = pytest.mark.ros


class Stage:
    """A world of pyrobosim, executive and gates, and somebody who asks for tools."""

    def __init__(self, folder: Path) -> None:
        rclpy.init()
        self.world = wrapper.WorldROSWrapper()
        data = Path(simulator.__file__).parents[1] / 'data'
        self.world.set_world(simulator.WorldYamlLoader().from_file(str(data / 'test_world.yaml')))
        self.world.start(auto_spin=False)
        config = load_config(FOLDER, (*PATIENT, f'journal.file="{folder}/journal"'))
        self.executive = ExecutiveNode(NodeOptions(config, folder / 'run'))
        patient(config)
        self.nodes = (GatesNode(NodeOptions(config, None)), Node('operator'))
        self._goals = ActionClient(self.nodes[1], ExecuteGoal, GOALS)
        self._stop = self.nodes[1].create_client(Trigger, 'executive/stop')
        self.robot = self.world.world.robots[0]

    def begin(self, tool: str, **arguments: str) -> Future:
        wait_for_action(self._goals, self.nodes[1], GOALS)
        goal = ExecuteGoal.Goal(
            goal=tool, tool=tool, arguments=json.dumps(arguments), sender='operator'
        )
        return ask_for_result(send_goal(self._goals, self.nodes[1], goal), self.nodes[1])

    def end(self, tool: str, **arguments: str) -> tuple[str, str]:
        """How a call of a tool ended, and the answer."""
        result = self.begin(tool, **arguments)
        wait_until(result.done, 'the goal ends')
        end: Any = result.result().result
        return end.outcome, end.answer

    def stop(self) -> None:
        wait_until(self._stop.call_async(Trigger.Request()).done, 'the stop is answered')


@pytest.fixture(scope='module')
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp('pyrobosim'))
    of_world, executor = MultiThreadedExecutor(4), SingleThreadedExecutor()
    of_world.add_node(made.world)
    for node in (made.executive, *made.nodes):
        executor.add_node(node)
    with spinning(of_world), spinning(executor):
        yield made
    made.executive.shut_down(executor)
    for each in (executor, of_world):
        each.shutdown()
    for node in (made.executive, *made.nodes, made.world):
        node.destroy_node()
    rclpy.try_shutdown()


def test_the_first_guarded_pick(stage: Stage) -> None:
    outcome, answer = stage.end('pick', object='banana0')
    assert outcome == 'failed'
    assert 'Cannot pick' in answer, 'pyrobosim ends the goal as succeeded, and its result says no'
    assert stage.end('navigate', location='table0')[0] == 'reached'
    assert stage.end('pick', object='banana0')[0] == 'reached'
    assert stage.robot.manipulated_object is not None
    full = 'The hand holds something'
    assert stage.end('pick', object='gala') == ('failed', f'{full} (first: :place)')
    assert stage.end('place')[0] == 'reached'


def test_a_stop_ends_a_drive_on_its_way(stage: Stage) -> None:
    began = stage.robot.get_pose()
    result = stage.begin('navigate', location='counter0')
    # While it plans, pyrobosim 5.0.1 accepts a cancel and goes on all the same.
    wait_until(lambda: stage.robot.get_pose().get_linear_distance(began) > 0.1, 'it drives')
    stage.stop()
    wait_until(result.done, 'the goal ends')
    assert result.result().result.outcome == 'interrupted'
    wait_until(lambda: not stage.robot.is_busy(), 'it stands')
    assert 'counter0' not in str(stage.robot.location)
