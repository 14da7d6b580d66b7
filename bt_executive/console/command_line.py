"""The options of `bt-executive`, command by command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bt_executive.console.memory_arguments import add_memory
from bt_executive.console.own_command import PROGRAM
from bt_executive.launching.nodes import FRESH, NODES, ROVER_NODES

JOURNAL_ACTIONS = ('list', 'show', 'export', 'prune', 'check')


def make_parser(
    add_replay: Callable[[argparse._SubParsersAction[argparse.ArgumentParser]], None],
) -> argparse.ArgumentParser:
    """The parser of the whole command line; `add_replay` adds the command of that package."""
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument(
        '--config',
        type=Path,
        metavar='DIR',
        help='configuration folder (default: the shipped one)',
    )
    common.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='override one key, for example light_model.x_good=8; repeatable',
    )
    common.add_argument(
        '--no-color', action='store_true', help='no colours, as with NO_COLOR in the environment'
    )
    folder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    folder.add_argument(
        '--run-dir',
        type=Path,
        metavar='DIR',
        help='where the run is written (default: runs/<time>)',
    )
    kept = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    kept.add_argument(
        '--journal',
        metavar='FILE',
        help="journal of the executive (default: journal.file, or the robot's own; demo: in the "
        'run folder)',
    )
    kept.add_argument(
        FRESH, action='store_true', help='take up no goal that is open in the journal'
    )
    system = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    system.add_argument(
        '--without',
        action='append',
        default=[],
        metavar='NODE',
        help='leave a node out; repeatable',
    )
    system.add_argument(
        '--no-rover', action='store_true', help=f'leave out {" and ".join(ROVER_NODES)}'
    )
    system.add_argument(
        '--record', action='store_true', help='also write all topics to an MCAP file, for Foxglove'
    )
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        allow_abbrev=False,
        description='Runs a robot from a behavior tree in which one leaf asks an LLM for the next '
        'tool. Arguments from --ros-args on go to every node.',
        epilog='Exit codes: 0 done, 1 goal not reached, 2 usage or configuration, '
        '130 interrupted.',
    )
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    commands.add_parser(
        'demo',
        parents=[common, folder, kept, system],
        help='pursue one goal from start to end',
        allow_abbrev=False,
    )
    up = commands.add_parser(
        'up',
        parents=[common, folder, kept, system],
        help='talk with the robot on standard input',
        allow_abbrev=False,
    )
    console = commands.add_parser(
        'console',
        parents=[common],
        help='talk with a system that runs already, such as one of ros2 launch',
        allow_abbrev=False,
    )
    for talking in (up, console):
        talking.add_argument(
            '--plain', action='store_true', help='lines instead of the live view at a terminal'
        )
    report = commands.add_parser(
        'report', help='write a run folder as one HTML page', allow_abbrev=False
    )
    report.add_argument('run', type=Path, metavar='RUN', help='a run folder: runs/<time>')
    report.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='default: report.html in the run folder'
    )
    add_replay(commands)
    node = commands.add_parser(
        'node',
        parents=[common, folder, kept],
        help='run one process of the system',
        allow_abbrev=False,
    )
    node.add_argument('name', metavar='NAME', help=', '.join(each.name for each in NODES))
    _add_journal(commands, common)
    add_memory(commands, common)
    doctor = commands.add_parser(
        'doctor',
        parents=[common],
        help='say what is installed and what is missing',
        allow_abbrev=False,
    )
    doctor.add_argument(
        '--provider',
        action='store_true',
        help='also ask the configured model for a few tokens (a hosted one may charge for them)',
    )
    return parser


def _add_journal(commands: Any, common: argparse.ArgumentParser) -> None:
    journal = commands.add_parser(
        'journal',
        parents=[common],
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
