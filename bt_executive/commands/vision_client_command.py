"""`bt-executive vision-client`: its options, and the client that sends this screen's pictures."""

from __future__ import annotations

import argparse

from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.ros.ros_arguments import namespace_of

MAX_EDGE = 2560


def add_vision_client(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        'vision-client',
        parents=[shared.common],
        help='show the robot this screen, a webcam, or both',
        description='Connects to the vision gateway and answers its requests for pictures.',
        allow_abbrev=False,
    )
    parser.add_argument(
        '--gateway', metavar='HOST:PORT', default='', help='default: as in vision.yaml'
    )
    parser.add_argument(
        '--id', metavar='NAME', default='', help='of this client; default: host-user'
    )
    parser.add_argument(
        '--screen', type=int, default=1, metavar='N', help='which screen; 0: all (default: 1)'
    )
    parser.add_argument('--no-screen', action='store_true', help='show no screen')
    parser.add_argument(
        '--camera', metavar='DEVICE', default='', help='also a webcam: its number or file'
    )
    parser.add_argument(
        '--size', metavar='WxH', default='', help='of the webcam, such as 1280x720'
    )
    parser.add_argument(
        '--max-edge',
        type=int,
        default=MAX_EDGE,
        metavar='PIXELS',
        help=f'larger pictures are made smaller (default: {MAX_EDGE})',
    )
    parser.set_defaults(run=run_vision_client)


def run_vision_client(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves pictures until it is interrupted; returns the exit code.

    Raises:
        UsageError: The libraries of the extra `vision` are missing, or no screen can be captured.
    """
    config = read_configuration(options, ros_arguments)
    try:
        from rover_vision.client.vision_client import run_client
    except ImportError as error:
        raise UsageError(needs_extra('vision-client', 'vision', error=error)) from None
    return run_client(options, config, namespace_of(ros_arguments))
