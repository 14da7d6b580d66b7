"""`bt-executive web`: its options, the page of one robot or several, and the page of `up`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
from typing import Any

from bt_executive.client.robots_option import read_robots
from bt_executive.commands.client_factory import client_factory
from bt_executive.commands.configuration_of_command import overrides, read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions, add_page_port, add_robots
from bt_executive.console.program_name import MODULE
from bt_executive.launching.node_process import NodeProcess, children_environment
from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.new_run import run_start
from rover_common.process.process_end import DONE, INTERRUPTED
from rover_common.ros.ros_arguments import namespace_of


def add_web(commands: Commands, make_download: SharedOptions) -> None:
    """Adds the command to the command line."""
    web = commands.add_parser(
        'web',
        parents=[make_download.common, make_download.folder],
        help='serve the live page of a system that runs already',
        allow_abbrev=False,
    )
    web.add_argument(
        '--read-only', action='store_true', help='whoever has the link looks and cannot act'
    )
    add_robots(web, 'a page for several robots')
    add_page_port(web)
    web.set_defaults(run=run_web_command)


def run_web_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves the page of systems that run already, such as that of a parent `up`.

    Raises:
        UsageError: Names or options are invalid, or the libraries of the extra `web`, or ROS, are
            missing.
    """
    config = read_configuration(options, ros_arguments)
    web, client = _web(), client_factory()
    from bt_executive.client.front_end_requests import PAGE
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
