"""`bt-executive journal`: its options, and what is done to the journal that they name."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.configuration_overrides import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.ros.ros_arguments import namespace_of

JOURNAL_ACTIONS = ('list', 'show', 'export', 'prune', 'check')


def add_journal(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    journal = commands.add_parser(
        'journal',
        parents=[shared.common],
        help='look at what is kept of goals and calls across starts',
        description='list: the goals. show GOAL: one as its timeline. export [GOAL]: entries as '
        'JSON lines. prune: forget goals that ended long ago. check: is every entry as it was '
        'written?',
        allow_abbrev=False,
    )
    journal.add_argument(
        'action', choices=JOURNAL_ACTIONS, metavar='ACTION', help=', '.join(JOURNAL_ACTIONS)
    )
    journal.add_argument(
        'goal', nargs='?', default='', metavar='GOAL', help="the goal's id, or how it begins"
    )
    journal.add_argument(
        '--journal', metavar='FILE', help="the journal (default: journal.file, or the robot's own)"
    )
    journal.add_argument(
        '--last', type=int, default=50, metavar='N', help='how many goals list shows (default: 50)'
    )
    journal.set_defaults(run=run_journal_command)


def run_journal_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Does it; returns the exit code."""
    from bt_executive.console.journal_actions import journal_command, run_journal

    config = read_configuration(options, ros_arguments)
    node = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
    return run_journal(journal_command(options, config, os.environ, node))
