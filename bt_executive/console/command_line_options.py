"""The options of `bt-executive`, command by command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bt_executive.console.memory_options import add_memory
from bt_executive.console.program_name import PROGRAM, version
from bt_executive.console.shared_options import SharedOptions, add_page_port, add_plain, add_robots
from bt_executive.launching.system_processes import NODES
from rover_common.process.path_option import given_path
from rover_vision.client.client_options import add_client

JOURNAL_ACTIONS = ('list', 'show', 'export', 'prune', 'check')


Commands: TypeAlias = 'argparse._SubParsersAction[argparse.ArgumentParser]'


@dataclass(frozen=True)
class Bench:
    """A command of the repository alone, whose module has its own options."""

    module: str
    purpose: str


BENCHES = {
    'guard-bench': Bench(
        'bench.guard', 'prove the guards: hostile and benign cases, judged at the robot'
    ),
    'model-bench': Bench('bench.models', 'measure a model: 60 tasks in three languages'),
}


def make_parser(add_replay: Callable[[Commands], None]) -> argparse.ArgumentParser:
    """The parser of the whole command line; `add_replay` adds the command of that package."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        allow_abbrev=False,
        description='Runs a robot from a behavior tree in which one leaf asks an LLM for the next '
        'tool. Arguments from --ros-args on go to every node.',
        epilog='Exit codes: 0 done, 1 goal not reached, 2 usage or configuration, '
        '130 interrupted.',
    )
    parser.add_argument('--version', action='version', version=f'{PROGRAM} {version()}')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    shared = SharedOptions()
    _add_demo(commands, shared)
    _add_up(commands, shared)
    _add_console(commands, shared)
    _add_web(commands, shared)
    _add_foxglove(commands, shared)
    _add_report(commands)
    add_replay(commands)
    _add_node(commands, shared)
    _add_journal(commands, shared)
    add_memory(commands, shared.common)
    _add_episodes(commands, shared)
    add_client(commands, [shared.common])
    _add_mcp(commands, shared)
    _add_doctor(commands, shared)
    _add_learn(commands, shared)
    _add_check(commands, shared)
    _add_interfaces(commands, shared)
    for name, bench in BENCHES.items():
        commands.add_parser(name, help=bench.purpose)
    return parser


def _add_demo(commands: Commands, shared: SharedOptions) -> None:
    commands.add_parser(
        'demo',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='pursue one goal from start to end',
        allow_abbrev=False,
    )


def _add_up(commands: Commands, shared: SharedOptions) -> None:
    up = commands.add_parser(
        'up',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='talk with the robot on standard input',
        allow_abbrev=False,
    )
    up.add_argument('--web', action='store_true', help='also serve the live page on this machine')
    up.add_argument(
        '--foxglove', action='store_true', help='also serve our topics to Foxglove on this machine'
    )
    add_page_port(up)
    add_plain(up)


def _add_console(commands: Commands, shared: SharedOptions) -> None:
    console = commands.add_parser(
        'console',
        parents=[shared.common],
        help='talk with a system that runs already, such as one of ros2 launch',
        allow_abbrev=False,
    )
    add_plain(console)


def _add_web(commands: Commands, shared: SharedOptions) -> None:
    web = commands.add_parser(
        'web',
        parents=[shared.common, shared.folder],
        help='serve the live page of a system that runs already',
        allow_abbrev=False,
    )
    web.add_argument(
        '--read-only', action='store_true', help='whoever has the link looks and cannot act'
    )
    add_robots(web, 'a page for several robots')
    add_page_port(web)


def _add_foxglove(commands: Commands, shared: SharedOptions) -> None:
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


def _add_report(commands: Commands) -> None:
    report = commands.add_parser(
        'report', help='write run folders as one HTML page', allow_abbrev=False
    )
    report.add_argument(
        'runs',
        type=given_path,
        nargs='*',
        metavar='RUN',
        help='a run folder: runs/<time>, or a zip of one; several for a goal that went on after a '
        'restart (default: the latest in runs/)',
    )
    kind = report.add_mutually_exclusive_group()
    kind.add_argument(
        '--gif', action='store_true', help='a short film of the stage instead, to share'
    )
    kind.add_argument(
        '--zip', action='store_true', help='the run as one file instead, for a report elsewhere'
    )
    report.add_argument(
        '-o',
        '--output',
        type=given_path,
        metavar='FILE',
        help='default: report.html, or film.gif, in the (last) run folder; beside a zip',
    )


def _add_node(commands: Commands, shared: SharedOptions) -> None:
    node = commands.add_parser(
        'node',
        parents=[shared.common, shared.folder, shared.kept],
        help='run one process of the system',
        allow_abbrev=False,
    )
    node.add_argument('name', metavar='NAME', help=', '.join(each.name for each in NODES))


def _add_doctor(commands: Commands, shared: SharedOptions) -> None:
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


def _add_learn(commands: Commands, shared: SharedOptions) -> None:
    learn = commands.add_parser(
        'learn',
        parents=[shared.common],
        help='write a robot.yaml of what the ROS graph has',
        description='Reads services, actions, topics and transforms of the running graph and '
        'writes DIR/robot.yaml, which starts unedited: every tool waits for an approval.',
        allow_abbrev=False,
    )
    learn.add_argument('folder', type=given_path, metavar='DIR', help='where it is written')


def _add_check(commands: Commands, shared: SharedOptions) -> None:
    check = commands.add_parser(
        'check',
        parents=[shared.common],
        help='say whether up would start a robot, and what of it runs',
        description='Checks the robot.yaml in DIR as up does. With --live also what runs: '
        'servers, types, rates and ages; and it stops the robot, to see how long that takes.',
        allow_abbrev=False,
    )
    check.add_argument('folder', type=given_path, metavar='DIR', help='with the robot.yaml')
    check.add_argument('--live', action='store_true', help='look at the running robot; stops it')


def _add_interfaces(commands: Commands, shared: SharedOptions) -> None:
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


def _add_episodes(commands: Commands, shared: SharedOptions) -> None:
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


def _add_mcp(commands: Commands, shared: SharedOptions) -> None:
    mcp = commands.add_parser(
        'mcp',
        parents=[shared.common],
        help='offer the tools of a system that runs already to agents (Model Context Protocol)',
        description='Serves one client on standard input and output, or many on loopback.',
        allow_abbrev=False,
    )
    mcp.add_argument(
        '--http',
        type=int,
        metavar='PORT',
        help='serve http://127.0.0.1:PORT/mcp; the token is in BT_EXECUTIVE_MCP_TOKEN, or made',
    )
    mcp.add_argument(
        '--runs',
        type=given_path,
        default=Path('runs'),
        metavar='DIR',
        help='the folder of run folders whose summaries can be read (default: runs)',
    )
    add_robots(mcp, 'the tools of several robots')


def _add_journal(commands: Commands, shared: SharedOptions) -> None:
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
