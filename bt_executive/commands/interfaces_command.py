"""`bt-executive interfaces add`: its options, and the installation of the packages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.process.process_end import DONE


def add_interfaces(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    interfaces = commands.add_parser(
        'interfaces',
        parents=[shared.common],
        help="compile a robot's own messages, services and actions",
        description='add PATH: the ROS package in a folder, or all below it, with those beside '
        'that they need. add PACKAGE: by its name, from a folder here or from PyPI.',
        allow_abbrev=False,
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
    interfaces.set_defaults(run=install_interfaces)


def install_interfaces(options: argparse.Namespace, _: Sequence[str]) -> int:
    """Compiles and installs them; returns the exit code."""
    from bt_executive.console.interface_installation import add_interfaces as install

    install(options.what, options.replace, options.only)
    return DONE
