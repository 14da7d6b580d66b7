"""`bt-executive episodes`: its options, and the episodes that they select."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.ros.ros_arguments import namespace_of


def add_episodes(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    episodes = commands.add_parser(
        'episodes',
        parents=[shared.common],
        help='show what was seen and said, across starts',
        description='The latest episodes, or those in which all of the words are said.',
        allow_abbrev=False,
    )
    episodes.add_argument('words', nargs='*', metavar='WORD', help='what they must say')
    episodes.add_argument(
        '--last', type=int, default=20, metavar='N', help='how many are shown (default: 20)'
    )
    episodes.add_argument(
        '--show', type=int, default=0, metavar='NUMBER', help='one of them with everything'
    )
    episodes.add_argument(
        '--journal',
        metavar='FILE',
        help="the journal beside which they are (default: the robot's)",
    )
    episodes.set_defaults(run=run_episodes_command)


def run_episodes_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Prints the episodes; returns the exit code."""
    from bt_executive.console.shown_episodes import print_episodes
    from rover_vision.vision_folder import vision_folder

    config = read_configuration(options, ros_arguments)
    folder = vision_folder(config, os.environ, namespace_of(ros_arguments))
    return print_episodes(folder, ' '.join(options.words), options.last, options.show)
