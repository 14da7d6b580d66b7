"""The launch files, where launch is there: nothing outlives a launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import signal
import subprocess
import sys
import textwrap
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from bt_executive_interfaces.action import ExecuteGoal
from domains import next_domain
from geometry_msgs.msg import Twist
import psutil
import pytest
from rclpy.action import ActionClient
from rclpy.node import Node
from spinning import spun_node
from waiting import wait_until

from bt_executive.launching.system_processes import NODES, ROVER_NODES
from rover_common.ros.node_topic_and_enclave_names import GATES, RECORDER

pytest.importorskip('launch_ros', reason='launch comes with a ROS distribution')
try:
    get_package_prefix('bt_executive')
except PackageNotFoundError:
    pytest.skip('launch starts the nodes of an installed package', allow_module_level=True)

pytestmark = [pytest.mark.ros, pytest.mark.system, pytest.mark.timeout(900)]
LAUNCH = textwrap.dedent("""
    import sys
    from launch import LaunchDescription, LaunchService
    from launch.actions import IncludeLaunchDescription
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    file, *arguments = sys.argv[1:]
    given = [tuple(each.split(':=', 1)) for each in arguments]
    source = PythonLaunchDescriptionSource(file)
    service = LaunchService(argv=arguments)
    service.include_launch_description(
        LaunchDescription([IncludeLaunchDescription(source, launch_arguments=given)])
    )
    sys.exit(service.run())
""")
LIMIT_S = 300.0


class Launch:
    """One launch, watched from outside."""

    def __init__(self, file: str, folder: Path, *arguments: str) -> None:
        self.run_dir = folder / 'run'
        self.domain = next_domain()
        self._output = folder / 'output'
        with self._output.open('wb') as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, '-c', LAUNCH, f'launch/{file}'),
                    *(f'run_dir:={self.run_dir}', *arguments),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, 'ROS_DOMAIN_ID': str(self.domain)},
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text(encoding='utf-8', errors='replace')

    def nodes(self) -> list[psutil.Process]:
        return [
            process
            for process in psutil.process_iter(['cmdline'])
            if process.pid != self.process.pid
            and str(self.run_dir) in (process.info['cmdline'] or ())
        ]


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Launch]]:
    launches: list[Launch] = []

    def begin(file: str, *arguments: str) -> Launch:
        launches.append(Launch(file, tmp_path, *arguments))
        return launches[-1]

    yield begin
    for each in launches:
        if each.process.poll() is None:
            each.process.kill()
        for process in each.nodes():
            process.kill()


def drive(node: Node) -> None:
    """A drive by hand; nobody waits for its end."""
    client = ActionClient(node, ExecuteGoal, 'executive/execute_goal')
    wait_until(client.server_is_ready, 'the executive takes goals', LIMIT_S)
    client.send_goal_async(ExecuteGoal.Goal(goal='drive', tool='move_nudge'))


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_a_drive_and_all_nodes_end_with_the_launch(
    launch: Callable[..., Launch], number: Any
) -> None:
    run = launch('demo.launch.py', 'set:=variant=A move.nudge_duration_sec=29.0')
    commands = []
    with spun_node('observer', run.domain) as node:
        node.create_subscription(Twist, 'cmd_vel', lambda twist: commands.append(twist), 10)
        expected = len(NODES) - len({RECORDER, GATES})
        wait_until(lambda: run.output.count(': Ready') >= expected, lambda: run.output, LIMIT_S)
        drive(node)
        wait_until(lambda: commands and commands[-1].linear.x > 0, lambda: run.output, LIMIT_S)
        assert 'New goal: move_nudge, asked for by an agent' in run.output
        run.process.send_signal(number)
        wait_until(lambda: commands[-1].linear.x == 0, 'the rover was stopped', LIMIT_S)
    wait_until(lambda: not run.nodes(), 'every node has ended', LIMIT_S)
    run.process.wait()


def test_beside_a_curiosity_nothing_is_left_either(launch: Callable[..., Launch]) -> None:
    run = launch('curiosity.launch.py', 'namespace:=rover_1')
    expected = len(NODES) - len({RECORDER, GATES, *ROVER_NODES})
    wait_until(lambda: run.output.count(': Ready') >= expected, lambda: run.output, LIMIT_S)
    assert len(run.nodes()) == expected
    run.process.kill()
    wait_until(lambda: not run.nodes(), 'every node has ended', LIMIT_S)
    run.process.wait()
