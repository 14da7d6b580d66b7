"""Runs the command that was typed: reads its options, and begins what carries it out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
import os
from pathlib import Path
import sys
from typing import NoReturn

from bt_executive.commands.configuration_overrides import (
    agent_overrides,
    configuration_arguments,
    overrides,
)
from bt_executive.console.command_line_options import BENCHES, make_parser
from bt_executive.console.program_name import PROGRAM
from bt_executive.launching.node_process import children_environment
from bt_executive.launching.system_processes import (
    check_folder,
    configured_nodes,
    node_named,
    nodes_without,
)
from bt_executive.replay.replay_options import add_replay, replay_options
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.exit_codes import DONE
from rover_common.extras import missing, needs_extra
from rover_common.node_names import EXECUTIVE, FRESH, RECORDER
from rover_common.printable import printable
from rover_common.process.new_run_folder import make_run_folder
from rover_common.ros.ros_arguments import check_ros_arguments, namespace_of
from rover_common.ros.run_log import choose_log_folder


def run_command(arguments: Sequence[str], ros_arguments: list[str]) -> int:
    """Run a command and return the exit code. `arguments`: those of the command line but ROS's."""
    if arguments and arguments[0] in BENCHES:
        _become_bench(arguments[0], arguments[1:])
    return _run(make_parser(add_replay).parse_args(arguments), ros_arguments)


def _run(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    check_ros_arguments(ros_arguments)
    choose_log_folder(os.environ)
    if begin := _WITHOUT_CONFIGURATION.get(options.command):
        begin(options, ros_arguments)
        return DONE
    if options.no_color:
        os.environ['NO_COLOR'] = '1'
    if options.command == 'replay':
        from bt_executive.replay.many_runs import run_replays

        return run_replays(replay_options(options), options.workers, options.ray)
    if options.command == 'check':
        options.config = options.folder
    config = load_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])
    if options.command == 'doctor':
        from bt_executive.console.doctor import run_doctor

        nodes = configured_nodes((RECORDER,), options.config)
        return run_doctor(config, os.environ, _parts, nodes, options.provider)
    if options.command == 'check':
        return _run_check(options, config, ros_arguments)
    if options.command == 'node':
        _become_node(options, configuration_arguments(options) + ros_arguments)
    if options.command == 'journal':
        from bt_executive.console.journal_command import journal_command, run_journal

        node = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
        return run_journal(journal_command(options, config, os.environ, node))
    if options.command == 'episodes':
        from bt_executive.console.episodes_command import EpisodesCommand, run_episodes
        from rover_vision.vision_folder import vision_folder

        folder = vision_folder(config, os.environ, namespace_of(ros_arguments))
        words = ' '.join(options.words)
        return run_episodes(EpisodesCommand(folder, words, options.last, options.show))
    if options.command == 'console':
        from bt_executive.commands.client_factory import client_factory
        from bt_executive.console.run_console import RunOptions, run_console

        return run_console(RunOptions(config, ros_arguments), client_factory(), options.plain)
    of_others = {
        'memory': _run_memory,
        'vision-client': _run_vision_client,
        'foxglove': _run_foxglove,
    }
    run = of_others.get(options.command) or _command(options.command)
    return run(options, config, ros_arguments)


def _command(name: str) -> Callable[[argparse.Namespace, Config, list[str]], int]:
    match name:
        case 'mcp':
            from bt_executive.commands.mcp_command import run_mcp_command as run
        case 'web':
            from bt_executive.commands.web_command import run_web_command as run
        case _:
            from bt_executive.commands.up_and_demo_start import start_system as run
    return run


def _checks(options: argparse.Namespace) -> dict[str, str]:
    """Process → what `up` asks of the configuration before it starts it."""
    return {node.name: node.check for node in nodes_without((RECORDER,), options.config)}


def _run_check(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    from bt_executive.console.doctor import run_check

    live = None
    if options.live:
        from bt_executive.ros.live_check import live_findings

        os.environ.update(children_environment(os.environ))
        live = partial(live_findings, config, ros_arguments)
    return run_check(config, _checks(options), live)


def _parts() -> Sequence[tuple[str, str]]:
    from bt_executive.ros.distribution_parts import parts_in_use

    return list(parts_in_use())


def _write_report(options: argparse.Namespace, _: Sequence[str]) -> None:
    from bt_executive.report.report_command import Kind, run_report

    kind: Kind = 'film' if options.gif else 'run' if options.zip else 'report'
    print(run_report(options.runs, kind, options.output))


def _learn(options: argparse.Namespace, ros_arguments: list[str]) -> None:
    from bt_executive.ros.learn_command import learn

    os.environ.update(children_environment(os.environ))
    print(printable(learn(options.folder, ros_arguments)))


def _add_interfaces(options: argparse.Namespace, _: Sequence[str]) -> None:
    from bt_executive.console.interfaces_command import add_interfaces

    add_interfaces(options.what, options.replace, options.only)


_WITHOUT_CONFIGURATION: Mapping[str, Callable[[argparse.Namespace, list[str]], None]] = {
    'report': _write_report,
    'learn': _learn,
    'interfaces': _add_interfaces,
}


def _run_foxglove(options: argparse.Namespace, _: Config, ros_arguments: list[str]) -> int:
    """The bridge to a system that runs already, or, as a child of `up`, to that one."""
    from bt_executive.ros.foxglove_command import run_bridge

    os.environ.update(children_environment(os.environ))
    run_bridge([*configuration_arguments(options), *ros_arguments], options.port)
    return DONE


def _run_vision_client(
    options: argparse.Namespace, config: Config, ros_arguments: list[str]
) -> int:
    try:
        from rover_vision.client.client_command import run_client
    except ImportError as error:
        raise UsageError(needs_extra('vision-client', 'vision', error=error)) from None
    return run_client(options, config, namespace_of(ros_arguments))


def _run_memory(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    from bt_executive.console.memory_command import run_memory
    from bt_executive.console.memory_options import memory_command

    node = f'{namespace_of(ros_arguments).rstrip("/")}/memory'
    return run_memory(memory_command(options, config, os.environ, node))


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


def _become_bench(name: str, arguments: Sequence[str]) -> NoReturn:
    """Runs a bench of this repository, which is not installed with the package."""
    root = Path(__file__).resolve().parents[2]
    if not (root / 'bench' / 'guard').is_dir():
        raise UsageError(
            f'{name} runs in a clone of the repository: `make setup` there, then '
            f'`.venv/bin/{PROGRAM} {name}`.'
        )
    for extra in ('rosa', 'rover'):
        if missing(extra):
            raise UsageError(needs_extra(name, extra))
    paths = [str(root), *filter(None, [os.environ.get('PYTHONPATH')])]
    environment = {**children_environment(os.environ), 'PYTHONPATH': os.pathsep.join(paths)}
    os.execve(
        sys.executable, [sys.executable, '-m', BENCHES[name].module, *arguments], environment
    )
