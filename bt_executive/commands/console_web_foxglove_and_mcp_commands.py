"""`bt-executive console`, `web`, `foxglove`, `mcp`: front ends of a system that runs already."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bt_executive.client.robots_option import FleetRobot, read_robots
from bt_executive.commands.shared_options import (
    Commands,
    SharedOptions,
    add_plain,
    add_port,
    add_robots,
    add_run_dir,
    configuration_arguments,
    overrides,
    read_configuration,
)
from bt_executive.console.program_name import MODULE, own_command, version
from bt_executive.launching.system_processes import NodeProcess, children_environment
from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.loopback import PORTS
from rover_common.process.new_run_folder import run_start
from rover_common.process.process_end import DONE, INTERRUPTED
from rover_common.process.user_paths import given_path
from rover_common.ros.ros_arguments import namespace_of

if TYPE_CHECKING:
    from bt_executive.ros.client.executive_client import ExecutiveClient


def client_factory() -> Callable[..., ExecutiveClient]:
    """Return the factory of clients for an operator's front end.

    Raises:
        UsageError: ROS cannot be imported.
    """
    try:
        from bt_executive.ros.client.executive_client import ExecutiveClient
        from rover_common.ros.entering_ros import leave_out_code_generator, shorten_switch_interval
    except ImportError as error:
        raise UsageError(
            f'ROS 2 cannot be used here ({error}): run `make setup`, or source a distribution and '
            f'the workspace; `{own_command()} doctor` says what is missing.'
        ) from None
    leave_out_code_generator()

    def make_client(*arguments: Any, **options: Any) -> ExecutiveClient:
        client = ExecutiveClient(*arguments, **options)
        shorten_switch_interval()  # the client's and the program's own
        return client

    return make_client


def agent_client_factory() -> partial[ExecutiveClient]:
    """Return the factory of clients whose requests are an agent's; raises as `client_factory`."""
    client = client_factory()
    from bt_executive.client.front_end_rights import AGENT

    return partial(client, front_end=AGENT)


def add_console(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    console = commands.add_parser(
        'console',
        run=run_console_command,
        parents=[shared.common],
        help='talk with a system that runs already, such as one of ros2 launch',
    )
    add_plain(console)


def run_console_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the console of the system; returns the exit code."""
    from bt_executive.console.console_start import RunOptions, run_console

    config = read_configuration(options, ros_arguments)
    return run_console(RunOptions(config, ros_arguments), client_factory(), options.plain)


def add_web(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    web = commands.add_parser(
        'web',
        run=run_web_command,
        parents=[shared.common],
        help='serve the live page of a system that runs already',
    )
    web.add_argument(
        '--read-only', action='store_true', help='whoever has the link looks and cannot act'
    )
    add_run_dir(web, 'folder of the run, which the page then offers as report, film and zip')
    add_robots(web, 'a page for several robots')
    add_port(web, 'of the page', 8700)


def run_web_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves the page of systems that run already, such as that of a parent `up`.

    Raises:
        UsageError: Names or options are invalid, or the libraries of the extra `web`, or ROS, are
            missing.
    """
    config = read_configuration(options, ros_arguments)
    web, client = _web(), client_factory()
    from bt_executive.client.front_end_rights import PAGE
    from bt_executive.ros.client.stop_line import StopLine

    os.environ.update(children_environment(os.environ))
    make_port = partial(client, front_end=PAGE)
    run_dir: Path | None = options.run_dir
    if options.robots is not None:
        if run_dir:
            raise UsageError('--robots is for systems that run already: leave out --run-dir.')
        from bt_executive.web.fleet_page import run_fleet

        robots = [
            web.WebOptions(
                robot.config, robot.ros_arguments, robot.name, read_only=options.read_only
            )
            for robot in read_robots(options.robots, config, ros_arguments, overrides(options))
        ]
        ended = run_fleet(robots, options.port, make_port, StopLine, os.environ)
    else:
        wanted = web.WebOptions(
            config,
            ros_arguments,
            run_dir.resolve().name if run_dir else namespace_of(ros_arguments),
            options.port,
            options.read_only,
            quiet=web.TOKEN_VARIABLE in os.environ,
            share=_share(run_dir) if run_dir else None,
            began=run_start(os.environ) if run_dir else None,
        )
        ended = web.run_web(wanted, make_port, StopLine, os.environ)
    return INTERRUPTED if ended else DONE


def page_process(options: argparse.Namespace) -> tuple[NodeProcess, tuple[str, str]]:
    """Return the process of the page, and its title and link for the operator."""
    web = _web()
    from bt_executive.web.page_access import new_token

    port, token = web.free_port(options.port), new_token()
    os.environ[web.TOKEN_VARIABLE] = token
    arguments = ('web', '--port', str(port))
    process = NodeProcess('web', MODULE, 3, 'the live page', arguments=arguments)
    return process, ('page', web.link(port, token))


def _share(run_dir: Path) -> Callable[[str], tuple[str, bytes]]:
    from bt_executive.report.report_film_or_zip import make_download

    return partial(make_download, run_dir)


def _web() -> Any:
    """Import the module that serves pages.

    Raises:
        UsageError: The libraries of the extra `web` are missing.
    """
    try:
        from bt_executive.web import web_server
    except ImportError as error:
        raise UsageError(needs_extra('The page', 'web', error=error)) from None
    return web_server


def add_foxglove(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    bridge = commands.add_parser(
        'foxglove',
        run=run_foxglove,
        parents=[shared.common],
        help='serve the topics of a system that runs already to Foxglove',
    )
    add_run_dir(bridge, argparse.SUPPRESS)
    add_port(bridge, 'to listen on', 8765)


def run_foxglove(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves the topics of a system that runs already, such as that of a parent `up`."""
    from bt_executive.ros.foxglove_bridge import run_bridge

    read_configuration(options, ros_arguments)  # an invalid one is reported before the start
    os.environ.update(children_environment(os.environ))
    run_bridge([*configuration_arguments(options), *ros_arguments], options.port)
    return DONE


def add_mcp(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    mcp = commands.add_parser(
        'mcp',
        run=run_mcp_command,
        parents=[shared.common],
        help='offer the tools of a system that runs already to agents (Model Context Protocol)',
        description='Serves one client on standard input and output, or many on loopback.',
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


def run_mcp_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves agents until they disconnect; returns the exit code.

    Raises:
        UsageError: The port is invalid, or the libraries of the extra `mcp`, or ROS, are missing.
    """
    config = read_configuration(options, ros_arguments)
    try:
        from bt_executive.mcp_server.run_mcp import McpOptions, run_mcp
    except ImportError as error:
        raise UsageError(needs_extra('The command mcp', 'mcp', error=error)) from None
    if options.http is not None and not 0 < options.http < PORTS:
        raise UsageError(f'--http is {options.http}: give a port from 1 to {PORTS - 1}.')
    if options.robots is not None:
        robots = read_robots(options.robots, config, ros_arguments, overrides(options))
    else:
        robots = [FleetRobot(namespace_of(ros_arguments).strip('/'), config, ros_arguments)]
    os.environ.update(children_environment(os.environ))
    named = options.robots is not None
    mcp = McpOptions(robots, options.http, options.runs, version(), named)
    return run_mcp(mcp, agent_client_factory())
