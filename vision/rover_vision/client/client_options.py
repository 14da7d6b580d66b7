"""The options of `bt-executive vision-client`; light, as every command reads them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

MAX_EDGE = 2560


def add_client(commands: Any, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the options of the command."""
    parser = commands.add_parser(
        'vision-client',
        parents=parents,
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
