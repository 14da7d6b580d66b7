"""The nodes of one robot, as launch actions.

Everything is looked at before anything starts: a configuration that cannot be used, an unknown
world or a stack that runs already ends the launch with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path
import shutil

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from bt_executive.claims import check_names_are_free
from bt_executive.config import default_folder, load_config
from bt_executive.console.nodes import RECORDER, ROVER_NODES, nodes_without
from bt_executive.console.run import children_environment
from bt_executive.errors import UsageError
from bt_executive.new_run import make_run_folder
from bt_executive.planner.preflight import check_provider
from bt_executive.ros.launching.arguments import ARGUMENTS, ROVER_ARGUMENTS, Argument, overrides
from bt_executive.ros.launching.kept_node import KeptNode
from bt_executive.ros.names import relative
from bt_executive.ros.probe import check_network
from bt_executive.settings import Config

PACKAGE = 'bt_executive'
RVIZ = 'rviz2'
PATIENCE_S = '10'  # until a node that was asked to end is ended: it may have to stop a rover


def describe_stack(embedded_rover: bool) -> LaunchDescription:
    """What a launch file returns. `embedded_rover`: it can be started, and is by default."""
    arguments = {**ARGUMENTS, **(ROVER_ARGUMENTS if embedded_rover else {})}
    return LaunchDescription(
        [
            *(_declare(name, argument) for name, argument in arguments.items()),
            OpaqueFunction(function=_start, args=[arguments]),
        ]
    )


def _declare(name: str, argument: Argument) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(
        name,
        default_value=argument.default,
        description=argument.description,
        choices=list(argument.choices) or None,
    )


def _start(context: LaunchContext, arguments: Mapping[str, Argument]) -> list[Action]:
    given = {name: LaunchConfiguration(name).perform(context) for name in arguments}
    return Stack(given, arguments).actions()


class Stack:
    """The nodes of one robot.

    Args:
        given: The values of the launch arguments.
        arguments: What these arguments are.

    Raises:
        BtExecutiveError: Nothing can be started so.
    """

    def __init__(self, given: Mapping[str, str], arguments: Mapping[str, Argument]) -> None:
        self._given = given
        self._embedded = given.get('rover') == 'true'
        self._space = namespace(given['namespace'])
        folder = Path(given['config']) if given['config'] else None
        changes = list(overrides(given, arguments))
        self._config = load_config(folder, changes)
        check_provider(self._config.executive.planner)
        self._names = [node.name for node in nodes_without(self._left_out())]
        in_space = [f'__ns:={self._space}']
        check_names_are_free(self._names, in_space, os.environ)
        check_network(self._names, in_space, {**os.environ, **self._environment()})
        self._run_dir = make_run_folder(Path(given['run_dir']) if given['run_dir'] else None)
        self._options = ['--run-dir', str(self._run_dir.resolve())]
        self._options += ['--config', str(folder.resolve())] if folder else []
        self._options += [word for change in changes for word in ('--set', change)]

    def actions(self) -> list[Action]:
        """Starts everything."""
        nodes = [KeptNode(name, self._maker(name)).start() for name in self._names]
        rviz = [self._rviz()] if self._given['rviz'] == 'true' else []
        return [LogInfo(msg=f'Everything is written to {self._run_dir}'), *nodes, *rviz]

    def _left_out(self) -> list[str]:
        recorder = () if self._given['record'] == 'true' else (RECORDER,)
        return [*(() if self._embedded else ROVER_NODES), *recorder]

    def _maker(self, name: str) -> Callable[..., Node]:
        # The logger of the node alone: those of rcl and rmw would drown it.
        logger = f'{self._space}/{name}'.strip('/').replace('/', '.')

        def make(on_exit: Callable[..., list[Action]]) -> Node:
            return Node(
                package=PACKAGE,
                executable=name,
                namespace=self._space,
                arguments=self._options,
                ros_arguments=['--log-level', f'{logger}:={self._given["log_level"]}'],
                remappings=self._remappings(),
                additional_env=self._environment(),
                output='screen',
                sigterm_timeout=PATIENCE_S,
                on_exit=on_exit,
            )

        return make

    def _remappings(self) -> list[tuple[str, str]]:
        """Beside an embedded rover, simulated time is that of its namespace alone."""
        return [('/clock', 'clock')] if self._embedded else []

    def _environment(self) -> dict[str, str]:
        """A rover of this machine stays on this machine, unless the user chose otherwise."""
        if not self._embedded:
            return {}
        name = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
        return {name: children_environment(os.environ)[name]}

    def _rviz(self) -> Action:
        if shutil.which(RVIZ) is None:
            return LogInfo(
                msg='rviz:=true has no effect: rviz2 is not on this machine '
                '(on a distribution: apt install ros-jazzy-rviz2)'
            )
        return Node(
            package=RVIZ,
            executable=RVIZ,
            namespace=self._space,
            arguments=['-d', str(default_folder() / 'rviz.rviz')],
            parameters=[{'use_sim_time': self._config.executive.use_sim_time}],
            remappings=[*self._remappings(), *rviz_remappings(self._config)],
            additional_env=self._environment(),
            output='log',
        )


def namespace(given: str) -> str:
    """A namespace as ROS wants it: `rover_1` and `/rover_1` are the same.

    Raises:
        UsageError: It cannot be one.
    """
    space = '/' + given.strip('/')
    parts = [part for part in space.split('/') if part]
    if not all(part.isidentifier() and part.isascii() for part in parts):
        raise UsageError(
            f'namespace is {given!r}: use letters, digits and underscores, such as rover_1.'
        )
    return space


def rviz_remappings(config: Config) -> list[tuple[str, str]]:
    """The absolute names of RViz and of our preset, in the namespace of the robot."""
    topics = config.topics
    names = (
        '/tf',
        '/tf_static',
        topics.viz.marker_array,
        topics.images.output_capture_raw,
    )
    return [(name, relative(name)) for name in names]
