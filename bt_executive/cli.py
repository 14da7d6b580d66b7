"""The command line: `bt-executive COMMAND`; `bt-executive --help` lists the commands.

Exit codes: 0 done, 1 goal not reached (doctor: something is missing; journal: it is damaged;
replay: something differs), 2 usage, configuration or a recording that cannot be read, 130
interrupted.

What a single command needs is imported when that command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
import json
import os
from pathlib import Path
import re
import shlex
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from bt_executive.console.command_line import BENCHES, make_parser
from bt_executive.console.exit_codes import DONE, INTERRUPTED, NOT_REACHED, USAGE
from bt_executive.console.own_command import MODULE, own_command
from bt_executive.console.version import version
from bt_executive.launching.node_process import NodeProcess, children_environment
from bt_executive.launching.nodes import (
    EXECUTIVE,
    FRESH,
    OWN_CLOCK,
    RECORDER,
    ROVER_NODES,
    VISION,
    check_folder,
    left_out_override,
    load_what_nodes_share,
    node_named,
    nodes_without,
    unavailable,
    with_model,
)
from bt_executive.replay.replay_options import add_replay, replay_options
from bt_executive.store.location import OWN_JOURNAL
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, RecordingError, UsageError
from rover_common.extras import how_to_install
from rover_common.printable import printable
from rover_common.process.loopback import PORTS
from rover_common.process.name_lock import namespace_of
from rover_common.process.new_run import make_run_folder
from rover_common.process.standard_streams import accept_every_text
from rover_common.process.warm_parent import WarmParent
from rover_common.ros.ros_arguments import check_ros_arguments, split_ros_arguments
from rover_common.ros.run_log import choose_log_folder

if TYPE_CHECKING:
    from bt_executive.ros.client.client import ConsoleClient

STDOUT = 1
AGENT_PARAMETER = re.compile(r'(?:\S+:)?agent_(verbose|rich_ui):=(\S+)')


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits."""
    # A shell without job control starts what it puts into the background with SIGINT ignored, and
    # until a command sets its own handler, an interrupt would be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    accept_every_text()
    arguments = sys.argv[1:] if argv is None else list(argv)
    own, ros_arguments = split_ros_arguments(arguments)
    try:
        if own and own[0] in BENCHES:
            _become_bench(own[0], own[1:])
        code = _run(make_parser(add_replay).parse_args(own), ros_arguments)
        sys.stdout.flush()
    except BtExecutiveError as error:
        print(f'bt-executive: {printable(str(error))}', file=sys.stderr)
        code = USAGE
    except OSError as error:  # trouble with files of ours is told as such
        print(
            f'bt-executive: The operating system refused: {error}. '
            'If no file is named here, the output could not be written.',
            file=sys.stderr,
        )
        _drop_output()
        code = NOT_REACHED
    except KeyboardInterrupt:
        _drop_output()
        code = INTERRUPTED
    sys.exit(code)


def _drop_output() -> None:
    """Drops what Python still holds for standard output: writing it may fail, or take for ever."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)


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
    config = load_config(options.config, [*_overrides(options), *_agent_overrides(ros_arguments)])
    if options.command == 'doctor':
        from bt_executive.console.doctor import run_doctor

        return run_doctor(config, os.environ, _parts, _checks(options), options.provider)
    if options.command == 'check':
        return _run_check(options, config, ros_arguments)
    if options.command == 'node':
        _become_node(options, _configuration_arguments(options) + ros_arguments)
    if options.command == 'journal':
        from bt_executive.console.journal_command import journal_command, run_journal

        node = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
        return run_journal(journal_command(options, config, os.environ, node))
    if options.command == 'episodes':
        from bt_executive.console.episodes import EpisodesCommand, run_episodes
        from rover_vision.location import vision_folder

        folder = vision_folder(config, os.environ, namespace_of(ros_arguments))
        words = ' '.join(options.words)
        return run_episodes(EpisodesCommand(folder, words, options.last, options.show))
    if options.command == 'console':
        from bt_executive.console.run_console import RunOptions, run_console

        return run_console(RunOptions(config, ros_arguments), _client_factory(), options.plain)
    others = {
        'mcp': _run_mcp,
        'memory': _run_memory,
        'vision-client': _run_vision_client,
        'web': _run_web,
        'foxglove': _run_foxglove,
    }
    return others.get(options.command, _run_system)(options, config, ros_arguments)


def _checks(options: argparse.Namespace) -> dict[str, str]:
    """Process → what `up` asks of the configuration before it starts it."""
    return {node.name: node.check for node in nodes_without((RECORDER,), options.config)}


def _run_check(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    from bt_executive.console.check import run_check

    live = None
    if options.live:
        from bt_executive.ros.live_check import live_findings

        os.environ.update(children_environment(os.environ))
        live = partial(live_findings, config, ros_arguments)
    return run_check(config, _checks(options), live)


def _write_report(options: argparse.Namespace, _: Sequence[str]) -> None:
    from bt_executive.report.report_command import Kind, run_report

    kind: Kind = 'film' if options.gif else 'run' if options.zip else 'report'
    print(run_report(options.runs, kind, options.output))


def _learn(options: argparse.Namespace, ros_arguments: list[str]) -> None:
    from bt_executive.ros.learn import learn

    os.environ.update(children_environment(os.environ))
    print(printable(learn(options.folder, ros_arguments)))


def _add_interfaces(options: argparse.Namespace, _: Sequence[str]) -> None:
    from bt_executive.console.interfaces_command import add_interfaces

    add_interfaces(options.what, options.replace)


_WITHOUT_CONFIGURATION: Mapping[str, Callable[[argparse.Namespace, list[str]], None]] = {
    'report': _write_report,
    'learn': _learn,
    'interfaces': _add_interfaces,
}


def _run_mcp(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    try:
        from bt_executive.mcp_server.run_mcp import McpOptions, run_mcp
    except ImportError as error:
        raise UsageError(
            f'The command mcp needs the extra mcp ({error}): {how_to_install("mcp")}.'
        ) from None
    from bt_executive.client.fleet_robots import FleetRobot, read_robots

    if options.http is not None and not 0 < options.http < PORTS:
        raise UsageError(f'--http is {options.http}: give a port from 1 to {PORTS - 1}.')
    if options.robots is not None:
        robots = read_robots(options.robots, config, ros_arguments, _overrides(options))
    else:
        name = namespace_of(ros_arguments).strip('/')
        robots = [FleetRobot(name, config, ros_arguments)]
    os.environ.update(children_environment(os.environ))
    named = options.robots is not None
    mcp = McpOptions(robots, options.http, options.runs, version(), named)
    return run_mcp(mcp, _agent_client_factory())


def _run_web(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    web, client = _web(), _client_factory()
    from bt_executive.ros.client.front_end import PAGE
    from bt_executive.ros.client.stop_line import StopLine

    os.environ.update(children_environment(os.environ))
    ways = partial(client, front_end=PAGE), StopLine
    if options.robots is not None:
        overrides = _overrides(options)
        ended = web.serve_fleet(options, config, ros_arguments, *ways, overrides, os.environ)
    else:
        share = _share(options.run_dir) if options.run_dir else None
        ended = web.serve_one(options, config, ros_arguments, *ways, share, os.environ)
    return INTERRUPTED if ended else DONE


def _share(run_dir: Path) -> Callable[[str], tuple[str, bytes]]:
    from bt_executive.report.report_command import shared

    return partial(shared, run_dir)


def _web() -> Any:
    """What serves pages.

    Raises:
        UsageError: The libraries of the extra `web` are missing.
    """
    try:
        from bt_executive.web import web_command
    except ImportError as error:
        raise UsageError(
            f'The page needs the extra web ({error}): {how_to_install("web")}.'
        ) from None
    return web_command


def _page_process(options: argparse.Namespace) -> tuple[NodeProcess, tuple[str, str]]:
    """The process of the page beside a system, and its link for the operator."""
    web = _web()
    process, link, token = web.page_process(options.port, MODULE)
    os.environ[web.TOKEN_VARIABLE] = token
    return process, ('page', link)


def _run_foxglove(options: argparse.Namespace, _: Config, ros_arguments: list[str]) -> int:
    """The bridge to a system that runs already, or, as a child of `up`, to that one."""
    from bt_executive.ros.foxglove_command import run_bridge

    os.environ.update(children_environment(os.environ))
    run_bridge([*_configuration_arguments(options), *ros_arguments], options.port)
    return DONE


def _bridge_process() -> tuple[NodeProcess, tuple[str, str]]:
    """The process of the bridge beside a system, and its address for the operator."""
    from bt_executive.ros.foxglove_command import address, bridge_port

    port = bridge_port(0)
    arguments = ('foxglove', '--port', str(port))
    process = NodeProcess('foxglove', MODULE, 3, 'serves Foxglove', arguments=arguments)
    return process, ('foxglove', address(port))


def _run_system(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    """`demo` and `up`."""
    from bt_executive.client.commands import DEMO_TEMPLATE
    from bt_executive.console.run_console import RunOptions, run_demo, run_up
    from bt_executive.launching.start_checks import check_start

    left_out = [*options.without, *(ROVER_NODES if options.no_rover else ())]
    left_out += () if options.record else (RECORDER,)
    once = options.command == 'demo'
    left_out += (VISION,) if once else ()
    nodes = with_model(nodes_without(left_out, options.config), config)
    for sentence in unavailable(left_out).values():
        print(sentence, file=sys.stderr)
    options.set += left_out_override(left_out)
    config = load_config(options.config, [*_overrides(options), *_agent_overrides(ros_arguments)])
    if any(node.name == 'rover' for node in nodes):
        ros_arguments = [*ros_arguments, *OWN_CLOCK]
    make_client = _client_factory()
    parent = WarmParent(partial(load_what_nodes_share, nodes))  # before there are threads
    checks = {node.name: node.check for node in nodes}
    check_start(config, checks, ros_arguments, children_environment(os.environ))
    run_dir = make_run_folder(options.run_dir)
    parts = list(_parts())
    if getattr(options, 'web', False):
        page, told = _page_process(options)
        nodes, parts = (*nodes, page), [*parts, told]
    if getattr(options, 'foxglove', False):
        bridge, told = _bridge_process()
        nodes, parts = (*nodes, bridge), [*parts, told]
    if once and not options.journal:  # it leaves the robot's own alone
        options.journal = str(run_dir.resolve() / OWN_JOURNAL)
    passed_on = [*_configuration_arguments(options), '--run-dir', str(run_dir)]
    fresh = options.fresh or once
    run = RunOptions(config, ros_arguments, run_dir, nodes, passed_on, fresh, parts, parent)
    if once:
        code = run_demo(run, make_client, DEMO_TEMPLATE)
    else:
        code = run_up(run, make_client, options.plain)
    _point_to(run_dir)
    return code


def _run_vision_client(
    options: argparse.Namespace, config: Config, ros_arguments: list[str]
) -> int:
    try:
        from rover_vision.client.client_command import run_client
    except ImportError as error:
        raise UsageError(
            f'vision-client needs the extra vision ({error}): {how_to_install("vision")}.'
        ) from None
    return run_client(options, config, namespace_of(ros_arguments))


def _run_memory(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    from bt_executive.console.memory_arguments import memory_command
    from bt_executive.console.memory_command import run_memory

    node = f'{namespace_of(ros_arguments).rstrip("/")}/memory'
    return run_memory(memory_command(options, config, os.environ, node))


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


def _become_bench(name: str, arguments: list[str]) -> NoReturn:
    """Runs a bench of this repository, which is not installed with the package."""
    root = Path(__file__).resolve().parents[1]
    if not (root / 'bench' / 'guard').is_dir():
        raise UsageError(
            f'{name} runs in a clone of the repository: `make setup` there, then '
            f'`.venv/bin/{own_command()} {name}`.'
        )
    paths = [str(root), *filter(None, [os.environ.get('PYTHONPATH')])]
    environment = {**children_environment(os.environ), 'PYTHONPATH': os.pathsep.join(paths)}
    os.execve(
        sys.executable, [sys.executable, '-m', BENCHES[name].module, *arguments], environment
    )


def _point_to(run_dir: Path) -> None:
    """Says where the run is and how to look at it, if there is anything to look at."""
    from bt_executive.store.inputs import export_inputs
    from bt_executive.store.run_folder import TRACE_FILE

    if (run_dir / TRACE_FILE).exists():
        try:
            export_inputs(run_dir)
        except (RecordingError, OSError) as error:
            print(f'The run cannot be replayed elsewhere: {error}', file=sys.stderr)
        folder = shlex.quote(str(run_dir))
        print(f'The run is in {folder}; as a page: {own_command()} report {folder}')


def _parts() -> Sequence[tuple[str, str]]:
    from bt_executive.ros.distribution import parts_in_use

    return list(parts_in_use())


def _client_factory() -> Callable[..., ConsoleClient]:
    try:
        from bt_executive.ros.client.client import ConsoleClient
        from rover_common.ros.prompt_threads import make_threads_prompt
    except ImportError as error:
        raise UsageError(
            f'ROS 2 cannot be used here ({error}): run `make setup`, or source a distribution and '
            f'the workspace; `{own_command()} doctor` says what is missing.'
        ) from None

    def make_client(*arguments: Any, **options: Any) -> ConsoleClient:
        client = ConsoleClient(*arguments, **options)
        make_threads_prompt()  # the client's and the program's own
        return client

    return make_client


def _agent_client_factory() -> partial[ConsoleClient]:
    client = _client_factory()
    from bt_executive.ros.client.front_end import AGENT

    return partial(client, front_end=AGENT)
