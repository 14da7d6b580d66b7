"""`bt-executive doctor`, `check`, `learn` and `interfaces add`: what is needed before a start."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
import os

from bt_executive.commands.shared_options import Commands, SharedOptions, read_configuration
from bt_executive.launching.system_processes import (
    children_environment,
    configured_nodes,
    nodes_without,
)
from rover_common.process.process_end import DONE
from rover_common.process.user_paths import given_path
from rover_common.ros.node_topic_and_enclave_names import RECORDER
from rover_common.text_sanitizing import printable


def add_doctor(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    doctor = commands.add_parser(
        'doctor',
        run=run_doctor_command,
        parents=[shared.common],
        help='say what is installed and what is missing',
    )
    doctor.add_argument(
        '--provider',
        action='store_true',
        help='also ask the configured model for a few tokens (a hosted one may charge for them)',
    )


def run_doctor_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Prints the report; returns the exit code."""
    from bt_executive.console.doctor import run_doctor

    config = read_configuration(options, ros_arguments)
    nodes = configured_nodes((RECORDER,), options.config)
    return run_doctor(config, os.environ, _parts, nodes, options.provider)


def _parts() -> Sequence[tuple[str, str]]:
    from bt_executive.ros.installed_versions_and_parts import parts_in_use

    return list(parts_in_use())


def add_check(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    check = commands.add_parser(
        'check',
        run=run_check_command,
        parents=[shared.common],
        help='say whether up would start a robot, and what of it runs',
        description='Checks the robot.yaml in DIR as up does. With --live also what runs: '
        'servers, types, rates and ages; and it stops the robot, to see how long that takes.',
    )
    check.add_argument('folder', type=given_path, metavar='DIR', help='with the robot.yaml')
    check.add_argument('--live', action='store_true', help='look at the running robot; stops it')


def run_check_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    options.config = options.folder
    config = read_configuration(options, ros_arguments)
    from bt_executive.console.doctor import run_check

    live = None
    if options.live:
        from bt_executive.ros.live_check import live_findings

        os.environ.update(children_environment(os.environ))
        live = partial(live_findings, config, ros_arguments)
    return run_check(config, _checks(options), live)


def _checks(options: argparse.Namespace) -> dict[str, str]:
    """Return process → the check of the configuration by which `up` starts it."""
    return {node.name: node.check for node in nodes_without((RECORDER,), options.config)}


def add_learn(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    learn = commands.add_parser(
        'learn',
        run=write_learned,
        parents=[shared.common],
        help='write a robot.yaml of what the ROS graph has',
        description='Reads services, actions, topics and transforms of the running graph and '
        'writes DIR/robot.yaml, which starts unedited: every tool waits for an approval.',
    )
    learn.add_argument('folder', type=given_path, metavar='DIR', help='where it is written')


def write_learned(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Writes the file and prints its contents; returns the exit code."""
    from bt_executive.ros.learn_from_graph import learn

    os.environ.update(children_environment(os.environ))
    print(printable(learn(options.folder, ros_arguments)))
    return DONE


def add_interfaces(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    interfaces = commands.add_parser(
        'interfaces',
        run=install_interfaces,
        parents=[shared.common],
        help="compile a robot's own messages, services and actions",
        description='add PATH: the ROS package in a folder, or all below it, with those beside '
        'that they need. add PACKAGE: by its name, from a folder here or from PyPI.',
    )
    interfaces.add_argument('action', choices=['add'], metavar='add')
    interfaces.add_argument('what', metavar='PATH|PACKAGE', help='with the interfaces')
    interfaces.add_argument(
        '--replace', action='store_true', help='also if it is installed with other content'
    )
    interfaces.add_argument(
        '--only',
        nargs='+',
        default=(),
        metavar='TYPE',
        help='these interfaces alone, with the messages that they use, such as '
        'moveit_msgs/action/MoveGroup',
    )


def install_interfaces(options: argparse.Namespace, _: Sequence[str]) -> int:
    """Compiles and installs them; returns the exit code."""
    from bt_executive.console.interface_installation import add_interfaces as install

    install(options.what, options.replace, options.only)
    return DONE
