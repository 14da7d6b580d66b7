"""The nodes of one robot, as launch actions.

Everything is looked at before anything starts: a configuration that cannot be used, an unknown
world or a stack that runs already ends the launch with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import shutil
import sys
import time

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, TimerAction
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from bt_executive.launching.launch_arguments import ARGUMENTS, ROVER_ARGUMENTS, Argument
from bt_executive.launching.launch_options_and_environment import LaunchPlan
from bt_executive.launching.node_process import NodeProcess
from bt_executive.launching.restart_delays import MOST_DEATHS, WINDOW_S, RestartPolicy
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.ros.topic_names import relative_name

MakeNode = Callable[[Callable[[ProcessExited, LaunchContext], list[Action]], bool], Node]


class RespawningNode:
    """Starts a node, and again when it ends unasked: later each time, by `RestartPolicy`.

    (`respawn` of launch knows no exit codes: a node that cannot use its options would be started
    again and again.)

    Args:
        name: Of the node, for what is said.
        make: Makes the action, with the given `on_exit`; each action runs once. The second
            argument says whether it is the first one.
    """

    def __init__(
        self, name: str, make: MakeNode, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._make = make
        self._clock = clock
        self._restarts = RestartPolicy()
        self._is_first = True

    def start(self) -> Node:
        """The action that starts it."""
        is_first, self._is_first = self._is_first, False
        return self._make(self._ended, is_first)

    def _ended(self, event: ProcessExited, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        delay = self._restarts.restart_delay(event.returncode, self._clock())
        if delay is None:
            why = 'cannot be started so (its last output says why) and is not started again'
            return [LogInfo(msg=f'{self._name} {why}')]
        often = f'died more than {MOST_DEATHS} times in a minute and ' * (delay >= WINDOW_S)
        again = TimerAction(period=delay, actions=[self.start()])
        return [LogInfo(msg=f'{self._name} {often}is started again in {delay:.1f} s'), again]


RVIZ = 'rviz2'
PATIENCE_S = '10'  # until a node that was asked to end is ended: it may have to stop a robot


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
    return Stack(LaunchPlan(given, arguments), given).actions()


class Stack:
    """What a plan starts; `given` are the values of the launch arguments."""

    def __init__(self, plan: LaunchPlan, given: Mapping[str, str]) -> None:
        self._plan = plan
        self._given = given

    def actions(self) -> list[Action]:
        """Starts everything."""
        nodes = [RespawningNode(node.name, self._maker(node)).start() for node in self._plan.nodes]
        rviz = [self._rviz()] if self._given['rviz'] == 'true' else []
        notes = [f'Everything is written to {self._plan.run_dir}', *self._plan.notes]
        return [*(LogInfo(msg=note) for note in notes), *nodes, *rviz]

    def _maker(self, node: NodeProcess) -> Callable[..., Node]:
        # The logger of the node alone: those of rcl and rmw would drown it.
        logger = f'{self._plan.space}/{node.name}'.strip('/').replace('/', '.')

        def make(on_exit: Callable[..., list[Action]], is_first: bool) -> Node:
            return Node(
                executable=sys.executable,
                exec_name=node.name,
                namespace=self._plan.space,
                arguments=['-m', node.module, *self._plan.node_options(node, is_first)],
                ros_arguments=['--log-level', f'{logger}:={self._given["log_level"]}'],
                remappings=self._plan.remappings(),
                additional_env=self._plan.node_environment(node),
                output='screen',
                sigterm_timeout=PATIENCE_S,
                on_exit=on_exit,
            )

        return make

    def _rviz(self) -> Action:
        if shutil.which(RVIZ) is None:
            return LogInfo(
                msg='rviz:=true has no effect: rviz2 is not on this machine '
                '(on a distribution: apt install ros-jazzy-rviz2)'
            )
        return Node(
            package=RVIZ,
            executable=RVIZ,
            namespace=self._plan.space,
            arguments=['-d', str(default_folder() / 'rviz.rviz')],
            parameters=[{'use_sim_time': self._plan.config.executive.use_sim_time}],
            remappings=[*self._plan.remappings(), *rviz_remappings(self._plan.config)],
            additional_env=self._plan.environment(),
            output='log',
        )


def rviz_remappings(config: Config) -> list[tuple[str, str]]:
    """The absolute names of RViz and of our preset, in the namespace of the robot."""
    topics = config.topics
    names = (
        '/tf',
        '/tf_static',
        topics.viz.marker_array,
        topics.images.output_capture_raw,
    )
    return [(name, relative_name(name)) for name in names if not name.startswith('//')]
