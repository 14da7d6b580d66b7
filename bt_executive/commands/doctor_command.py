"""`bt-executive doctor`: its options, and the report of the installation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os

from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.launching.system_processes import configured_nodes
from rover_common.ros.node_topic_and_enclave_names import RECORDER


def add_doctor(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    doctor = commands.add_parser(
        'doctor',
        parents=[shared.common],
        help='say what is installed and what is missing',
        allow_abbrev=False,
    )
    doctor.add_argument(
        '--provider',
        action='store_true',
        help='also ask the configured model for a few tokens (a hosted one may charge for them)',
    )
    doctor.set_defaults(run=run_doctor_command)


def run_doctor_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Prints the report; returns the exit code."""
    from bt_executive.console.doctor import run_doctor

    config = read_configuration(options, ros_arguments)
    nodes = configured_nodes((RECORDER,), options.config)
    return run_doctor(config, os.environ, _parts, nodes, options.provider)


def _parts() -> Sequence[tuple[str, str]]:
    from bt_executive.ros.installed_versions_and_parts import parts_in_use

    return list(parts_in_use())
