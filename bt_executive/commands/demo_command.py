"""`bt-executive demo`: its options, and the start of a system that pursues one goal."""

from __future__ import annotations

import argparse

from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.commands.up_command import start_system


def add_demo(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    demo = commands.add_parser(
        'demo',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='pursue one goal from start to end',
        allow_abbrev=False,
    )
    demo.set_defaults(run=run_demo_command)


def run_demo_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the system until its goal has ended; returns the exit code."""
    return start_system(options, ros_arguments, once=True)
