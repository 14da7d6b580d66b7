"""`bt-executive node`: its options, and the process that becomes the node."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from bt_executive.commands.configuration_of_command import (
    configuration_arguments,
    read_configuration,
)
from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.launching.node_process import children_environment
from bt_executive.launching.system_processes import NODES, check_folder, node_named
from rover_common.errors import UsageError
from rover_common.process.new_run import make_run_folder
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, FRESH


def add_node(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    node = commands.add_parser(
        'node',
        parents=[shared.common, shared.folder, shared.kept],
        help='run one process of the system',
        allow_abbrev=False,
    )
    node.add_argument('name', metavar='NAME', help=', '.join(each.name for each in NODES))
    node.set_defaults(run=become_node)


def become_node(options: argparse.Namespace, ros_arguments: list[str]) -> NoReturn:
    """Replaces this process with the node.

    Raises:
        UsageError: There is no such node, or an option is not for it.
        ConfigError: The configuration is invalid.
    """
    read_configuration(options, ros_arguments)
    arguments = configuration_arguments(options) + ros_arguments
    node = node_named(options.name)
    check_folder(node, options.config)
    if options.fresh:
        if node.name != EXECUTIVE:
            raise UsageError(f'{FRESH} is for {EXECUTIVE} alone: {node.name} keeps no journal.')
        arguments = [FRESH, *arguments]
    if options.run_dir is not None:
        run_dir = make_run_folder(options.run_dir)
        arguments = ['--run-dir', str(run_dir), *arguments]
    command = [sys.executable, '-m', node.module, *arguments]
    os.execve(sys.executable, command, children_environment(os.environ))
