"""The command line: `bt-executive COMMAND`; `bt-executive --help` lists the commands.

Exit codes: 0 done, 1 goal not reached (doctor: something is missing; journal: it is damaged;
replay: something differs), 2 usage, configuration or a recording that cannot be read, 130
interrupted.

What a single command needs is imported when that command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
import os
from pathlib import Path
import re
import shlex
import sys
from typing import TYPE_CHECKING, NoReturn

from bt_executive.console.command_line import make_parser
from bt_executive.console.exit_codes import DONE, INTERRUPTED, NOT_REACHED, USAGE
from bt_executive.console.own_command import own_command
from bt_executive.journal.location import journal_file
from bt_executive.launching.node_process import NodeProcess, children_environment
from bt_executive.launching.nodes import (
    EXECUTIVE,
    FRESH,
    OWN_CLOCK,
    RECORDER,
    ROVER_NODES,
    check_folder,
    node_named,
    nodes_without,
)
from bt_executive.replay.arguments import add_replay, replay_options
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.name_lock import namespace_of
from rover_common.process.new_run import make_run_folder

if TYPE_CHECKING:
    from bt_executive.console.journal_command import JournalCommand
    from bt_executive.console.run import MakeClient

DEMO_JOURNAL = 'journal.sqlite'  # in the run folder
STDOUT = 1
AGENT_PARAMETER = re.compile(r'(?:\S+:)?agent_(verbose|rich_ui):=(\S+)')


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    own, ros_arguments = _split_ros_arguments(arguments)
    options = make_parser(add_replay).parse_args(own)
    try:
        code = _run(options, ros_arguments)
        sys.stdout.flush()
    except BtExecutiveError as error:
        print(f'bt-executive: {error}', file=sys.stderr)
        code = USAGE
    except OSError as error:  # trouble with files of ours is told as such
        print(
            f'bt-executive: The operating system refused: {error}. '
            'If no file is named here, the output could not be written.',
            file=sys.stderr,
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)  # what Python still holds for it
        code = NOT_REACHED
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def _run(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    if options.command == 'report':
        from bt_executive.report.page import write_report

        print(write_report(options.run, options.output))
        return DONE
    if options.no_color:
        os.environ['NO_COLOR'] = '1'
    if options.command == 'replay':
        from bt_executive.replay.command import run_replay

        return run_replay(replay_options(options))
    config = load_config(options.config, [*_overrides(options), *_agent_overrides(ros_arguments)])
    if options.command == 'doctor':
        from bt_executive.console.doctor import run_doctor

        return run_doctor(config, os.environ, _parts, options.provider)
    if options.command == 'node':
        _become_node(options, _configuration_arguments(options) + ros_arguments)
    if options.command == 'journal':
        from bt_executive.console.journal_command import run_journal

        return run_journal(_journal_command(options, config, ros_arguments))
    if options.command == 'memory':
        return _run_memory(options, config, ros_arguments)
    if options.command == 'console':
        from bt_executive.console.run import RunOptions, run_console

        return run_console(RunOptions(config, ros_arguments), _client_factory(), options.plain)
    return _run_system(options, config, ros_arguments)


def _run_system(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    """`demo` and `up`."""
    from bt_executive.console.commands import DEMO_TEMPLATE
    from bt_executive.console.run import RunOptions, run_demo, run_up

    left_out = [*options.without, *(ROVER_NODES if options.no_rover else ())]
    left_out += () if options.record else (RECORDER,)
    nodes = nodes_without(left_out, options.config)
    if any(node.name == 'rover' for node in nodes):
        ros_arguments = [*ros_arguments, *OWN_CLOCK]
    make_client = _client_factory()
    _check_start(config, nodes, ros_arguments)
    run_dir = make_run_folder(options.run_dir)
    once = options.command == 'demo'
    if once and not options.journal:  # it leaves the robot's own alone
        options.journal = str(run_dir.resolve() / DEMO_JOURNAL)
    passed_on = [*_configuration_arguments(options), '--run-dir', str(run_dir)]
    fresh = options.fresh or once
    run = RunOptions(config, ros_arguments, run_dir, nodes, passed_on, fresh, _parts())
    if once:
        code = run_demo(run, make_client, DEMO_TEMPLATE)
    else:
        code = run_up(run, make_client, options.plain)
    _point_to(run_dir)
    return code


def _journal_command(
    options: argparse.Namespace, config: Config, ros_arguments: list[str]
) -> JournalCommand:
    from bt_executive.console.journal_command import JournalCommand

    if bool(options.goal) > (options.action in ('show', 'export')):
        raise UsageError(f'journal {options.action} takes no GOAL.')
    if options.action == 'show' and not options.goal:
        raise UsageError('journal show needs a GOAL: its id, which `journal list` shows.')
    settings = config.executive.journal
    executive = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
    path = journal_file(options.journal or settings.file, os.environ, executive)
    return JournalCommand(
        options.action, path, options.goal, options.last, settings.keep_days, settings.max_mb
    )


def _run_memory(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    from bt_executive.console.memory_arguments import memory_command
    from bt_executive.console.memory_command import run_memory

    node = f'{namespace_of(ros_arguments).rstrip("/")}/memory'
    return run_memory(memory_command(options, config, os.environ, node))


def _split_ros_arguments(arguments: list[str]) -> tuple[list[str], list[str]]:
    if '--ros-args' not in arguments:
        return arguments, []
    where = arguments.index('--ros-args')
    return arguments[:where], arguments[where:]


def _agent_overrides(ros_arguments: Sequence[str]) -> list[str]:
    """What ROS arguments say of the agent, which the console heeds as the executive does."""
    found = [match for each in ros_arguments if (match := AGENT_PARAMETER.fullmatch(each))]
    return [f'executive.agent.{match[1]}={match[2]}' for match in found]


def _configuration_arguments(options: argparse.Namespace) -> list[str]:
    """The options that every process reads for itself."""
    arguments = [] if options.config is None else ['--config', str(options.config)]
    for override in _overrides(options):
        arguments += ['--set', override]
    return arguments


def _overrides(options: argparse.Namespace) -> list[str]:
    """What overrides the configuration files."""
    journal = getattr(options, 'journal', None)
    own = [f'journal.file={json.dumps(journal, ensure_ascii=False)}'] if journal else []
    return [*options.set, *own]


def _become_node(options: argparse.Namespace, arguments: list[str]) -> NoReturn:
    node = node_named(options.name)
    check_folder(node, options.config)
    if options.fresh:
        if node.name != EXECUTIVE:
            raise UsageError(f'{FRESH} is for {EXECUTIVE} alone: {node.name} keeps no journal.')
        arguments = [FRESH, *arguments]
    if options.run_dir is not None:
        run_dir = make_run_folder(options.run_dir)
        arguments = ['--run-dir', str(run_dir), *arguments]
    command = [sys.executable, '-m', node.module, *arguments]
    os.execve(sys.executable, command, children_environment(os.environ))


def _point_to(run_dir: Path) -> None:
    """Says where the run is and how to look at it, if there is anything to look at."""
    from bt_executive.recording.run_folder import TRACE_FILE

    if (run_dir / TRACE_FILE).exists():
        folder = shlex.quote(str(run_dir))
        print(f'The run is in {folder}; as a page: {own_command()} report {folder}')


def _check_start(
    config: Config, nodes: Sequence[NodeProcess], ros_arguments: Sequence[str]
) -> None:
    """Raises BtExecutiveError if these nodes cannot be started so."""
    from bt_executive.launching.start_checks import check_start

    checks = {node.name: node.check for node in nodes}
    check_start(config, checks, ros_arguments, children_environment(os.environ))


def _parts() -> Sequence[tuple[str, str]]:
    from bt_executive.ros.distribution import parts_in_use

    return list(parts_in_use())


def _client_factory() -> MakeClient:
    try:
        from bt_executive.ros.client.client import ConsoleClient
    except ImportError as error:
        raise UsageError(
            f'ROS 2 cannot be used here ({error}): run `make setup`, or source a distribution and '
            f'the workspace; `{own_command()} doctor` says what is missing.'
        ) from None
    return ConsoleClient


if __name__ == '__main__':
    main()
