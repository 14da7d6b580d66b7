"""config/robots/pyrobosim with pyrobosim itself and its ROS 2 node, where they are installed.

pyrobosim is on PyPI; its messages and its node are in its repository: `bt-executive interfaces
add` compiles pyrobosim_msgs, and PYTHONPATH names the folder pyrobosim_ros.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rclpy.executors import MultiThreadedExecutor
from robot_stage import RobotStage, end_of, initialised
from spinning import spinning
from waiting import wait_until

simulator = pytest.importorskip(
    'pyrobosim.core', reason='pyrobosim is not installed: pip install pyrobosim'
)
pytest.importorskip('pyrobosim_msgs.action', reason='pyrobosim_msgs is not compiled: not on PyPI')
wrapper = pytest.importorskip(
    'pyrobosim_ros.ros_interface', reason='pyrobosim_ros is not on PYTHONPATH: not on PyPI'
)
pytestmark = pytest.mark.ros


class Stage(RobotStage):
    """A world of pyrobosim, and an operator who asks for tools."""

    def __init__(self, folder: Path) -> None:
        self.world = wrapper.WorldROSWrapper()
        data = Path(simulator.__file__).parents[1] / 'data'
        self.world.set_world(simulator.WorldYamlLoader().from_file(str(data / 'test_world.yaml')))
        self.world.start(auto_spin=False)
        super().__init__('pyrobosim', folder, 'operator')
        self.robot = self.world.world.robots[0]

    def end(self, tool: str, **arguments: str) -> tuple[str, str]:
        """How a call of a tool ended, and the answer."""
        return end_of(self.begin(tool, **arguments))


@pytest.fixture(scope='module')
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with initialised():
        made = Stage(tmp_path_factory.mktemp('pyrobosim'))
        of_world = MultiThreadedExecutor(4)
        of_world.add_node(made.world)
        with spinning(of_world), made.spun():
            yield made
        of_world.shutdown()
        made.world.destroy_node()


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
    assert end_of(result)[0] == 'interrupted'
    wait_until(lambda: not stage.robot.is_busy(), 'it stands')
    assert 'counter0' not in str(stage.robot.location)
