"""`bt-executive check`: its options, and the check of a robot.yaml or of a running robot."""

from __future__ import annotations

import argparse
from functools import partial
import os

from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.launching.node_process import children_environment
from bt_executive.launching.system_processes import nodes_without
from rover_common.process.user_paths import given_path
from rover_common.ros.node_topic_and_enclave_names import RECORDER


def add_check(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    check = commands.add_parser(
        'check',
        parents=[shared.common],
        help='say whether up would start a robot, and what of it runs',
        description='Checks the robot.yaml in DIR as up does. With --live also what runs: '
        'servers, types, rates and ages; and it stops the robot, to see how long that takes.',
        allow_abbrev=False,
    )
    check.add_argument('folder', type=given_path, metavar='DIR', help='with the robot.yaml')
    check.add_argument('--live', action='store_true', help='look at the running robot; stops it')
    check.set_defaults(run=run_check_command)


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
