"""`bt-executive console`: its options, and the console of a system that runs already."""

from __future__ import annotations

import argparse

from bt_executive.commands.client_factory import client_factory
from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions, add_plain


def add_console(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    console = commands.add_parser(
        'console',
        parents=[shared.common],
        help='talk with a system that runs already, such as one of ros2 launch',
        allow_abbrev=False,
    )
    add_plain(console)
    console.set_defaults(run=run_console_command)


def run_console_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the console of the system; returns the exit code."""
    from bt_executive.console.console_start import RunOptions, run_console

    config = read_configuration(options, ros_arguments)
    return run_console(RunOptions(config, ros_arguments), client_factory(), options.plain)
