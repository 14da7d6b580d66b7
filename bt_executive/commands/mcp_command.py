"""`bt-executive mcp`: its options, and the server of one robot or several."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bt_executive.client.robots_option import FleetRobot, read_robots
from bt_executive.commands.client_factory import agent_client_factory
from bt_executive.commands.configuration_of_command import overrides, read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions, add_robots
from bt_executive.console.program_name import version
from bt_executive.launching.node_process import children_environment
from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.loopback import PORTS
from rover_common.process.user_paths import given_path
from rover_common.ros.ros_arguments import namespace_of


def add_mcp(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
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
    mcp.set_defaults(run=run_mcp_command)


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
