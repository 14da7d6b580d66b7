"""The nodes of one robot, as launch actions.

Everything is checked before any node starts: an invalid configuration, an unknown world or a
stack that runs already ends the launch with one sentence.
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

from bt_executive.launching.launch_arguments_and_node_options import (
    ARGUMENTS,
    ROVER_ARGUMENTS,
    Argument,
    LaunchPlan,
)
from bt_executive.launching.supervisor import MOST_DEATHS, WINDOW_S, RestartPolicy
from bt_executive.launching.system_processes import NodeProcess
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.ros.node_topic_and_enclave_names import relative_name

MakeNode = Callable[[Callable[[ProcessExited, LaunchContext], list[Action]], bool], Node]


class RespawningNode:
    """Starts a node, and restarts it when it ends unexpectedly, delayed by `RestartPolicy`.

    (`respawn` of launch ignores exit codes: a node with unusable options would be started again
    and again.)

    Args:
        name: Of the node, for log messages.
        make: Makes the action with the given `on_exit`; each action runs once. The second
            argument is whether it is the first one.
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
        """Return the action that starts the node."""
        is_first, self._is_first = self._is_first, False
        return self._make(self._handle_exit, is_first)

    def _handle_exit(self, event: ProcessExited, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        delay = self._restarts.restart_delay(event.returncode, self._clock())
        if delay is None:
            text = 'cannot be started so (its last output says why) and is not started again'
            return [LogInfo(msg=f'{self._name} {text}')]
        reason = f'died more than {MOST_DEATHS} times in a minute and ' * (delay >= WINDOW_S)
        restart = TimerAction(period=delay, actions=[self.start()])
        return [LogInfo(msg=f'{self._name} {reason}is started again in {delay:.1f} s'), restart]


RVIZ = 'rviz2'
SIGTERM_TIMEOUT_S = '10'  # a node may have to stop a robot before it ends


def describe_stack(embedded_rover: bool) -> LaunchDescription:
    """Return a launch description. `embedded_rover`: it can be started, and is by default."""
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
    values = {name: LaunchConfiguration(name).perform(context) for name in arguments}
    return Stack(LaunchPlan(values, arguments), values).actions()


class Stack:
    """The launch actions of a plan; `values` are those of the launch arguments."""

    def __init__(self, plan: LaunchPlan, values: Mapping[str, str]) -> None:
        self._plan = plan
        self._values = values

    def actions(self) -> list[Action]:
        """Return the actions that start the nodes, and RViz if it was asked for."""
        nodes = [RespawningNode(node.name, self._maker(node)).start() for node in self._plan.nodes]
        rviz = [self._rviz()] if self._values['rviz'] == 'true' else []
        notes = [f'Everything is written to {self._plan.run_dir}', *self._plan.notes]
        return [*(LogInfo(msg=note) for note in notes), *nodes, *rviz]

    def _maker(self, node: NodeProcess) -> Callable[..., Node]:
        # The node's own logger only: those of rcl and rmw would flood the output.
        logger = f'{self._plan.namespace}/{node.name}'.strip('/').replace('/', '.')

        def make(on_exit: Callable[..., list[Action]], is_first: bool) -> Node:
            return Node(
                executable=sys.executable,
                exec_name=node.name,
                namespace=self._plan.namespace,
                arguments=['-m', node.module, *self._plan.node_options(node, is_first)],
                ros_arguments=['--log-level', f'{logger}:={self._values["log_level"]}'],
                remappings=self._plan.remappings(),
                additional_env=self._plan.node_environment(node),
                output='screen',
                sigterm_timeout=SIGTERM_TIMEOUT_S,
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
            namespace=self._plan.namespace,
            arguments=['-d', str(default_folder() / 'rviz.rviz')],
            parameters=[{'use_sim_time': self._plan.config.executive.use_sim_time}],
            remappings=[*self._plan.remappings(), *rviz_remappings(self._plan.config)],
            additional_env=self._plan.environment(),
            output='log',
        )


def rviz_remappings(config: Config) -> list[tuple[str, str]]:
    """Return remappings of the absolute names in RViz into the namespace of the robot."""
    topics = config.topics
    names = (
        '/tf',
        '/tf_static',
        topics.viz.marker_array,
        topics.images.output_capture_raw,
    )
    return [(name, relative_name(name)) for name in names if not name.startswith('//')]
