"""`bt-executive up`: its options, and the start of a system with the console in front of it."""

from __future__ import annotations

import argparse

from bt_executive.commands.shared_options import Commands, SharedOptions, add_page_port, add_plain
from bt_executive.commands.system_start import start_system


def add_up(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    up = commands.add_parser(
        'up',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='talk with the robot on standard input',
        allow_abbrev=False,
    )
    up.add_argument('--web', action='store_true', help='also serve the live page on this machine')
    up.add_argument(
        '--foxglove', action='store_true', help='also serve our topics to Foxglove on this machine'
    )
    add_page_port(up)
    add_plain(up)
    up.set_defaults(run=run_up_command)


def run_up_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the system until the operator has ended it; returns the exit code."""
    return start_system(options, ros_arguments)
