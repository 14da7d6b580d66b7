"""`bt-executive journal`: its options, and the actions on a journal."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.configuration_of_command import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.errors import UsageError
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
    """Does it and returns the exit code: 0, or 1 if the journal is damaged.

    Raises:
        JournalError: The journal cannot be read.
        UsageError: A GOAL is missing, there is one too many or none of it, or an executive has
            the journal.
    """
    from bt_executive.console import journal_actions
    from bt_executive.store.journal_location import journal_file
    from bt_executive.store.store_retention import Retention

    config = read_configuration(options, ros_arguments)
    node = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
    if bool(options.goal) > (options.action in ('show', 'export')):
        raise UsageError(f'journal {options.action} takes no GOAL.')
    if options.action == 'show' and not options.goal:
        raise UsageError('journal show needs a GOAL: its id, which `journal list` shows.')
    path = journal_file(config, os.environ, node)
    kept = config.executive.journal
    with journal_actions.reading_errors(path):
        if options.action == 'list':
            return journal_actions.list_goals(path, options.last)
        if options.action == 'show':
            return journal_actions.show_goal(path, options.goal)
        if options.action == 'export':
            return journal_actions.export(path, options.goal)
        if options.action == 'prune':
            retention = Retention(kept.keep_days, kept.max_mb, max_inputs_mb=kept.max_inputs_mb)
            return journal_actions.prune(path, retention)
        return journal_actions.check(path)
