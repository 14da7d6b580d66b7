"""`bt-executive foxglove`: its options, and the bridge to a system that runs already."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.configuration_of_command import (
    configuration_arguments,
    read_configuration,
)
from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.launching.node_process import children_environment
from rover_common.process.process_end import DONE


def add_foxglove(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    bridge = commands.add_parser(
        'foxglove',
        parents=[shared.common, shared.folder],
        help='serve the topics of a system that runs already to Foxglove',
        allow_abbrev=False,
    )
    bridge.add_argument(
        '--port',
        type=int,
        default=0,
        metavar='N',
        help='to listen on (default: the first free one from 8765 on)',
    )
    bridge.set_defaults(run=run_foxglove)


def run_foxglove(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves the topics of a system that runs already, such as that of a parent `up`."""
    from bt_executive.ros.foxglove_bridge import run_bridge

    read_configuration(options, ros_arguments)  # an invalid one is reported before the start
    os.environ.update(children_environment(os.environ))
    run_bridge([*configuration_arguments(options), *ros_arguments], options.port)
    return DONE
