"""`bt-executive web`: which page is served, of one robot or of several."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from bt_executive.client.fleet_robots import read_robots
from bt_executive.launching.node_process import NodeProcess
from bt_executive.web.fleet import run_fleet
from bt_executive.web.page_access import new_token
from bt_executive.web.robot_routes import Share
from bt_executive.web.web_server import (
    TOKEN_VARIABLE,
    MakePagePort,
    MakeStopPort,
    WebOptions,
    free_port,
    link,
    run_web,
)
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.process.new_run import run_began
from rover_common.process.node_name_lock import namespace_of


def serve_one(
    options: argparse.Namespace,
    config: Config,
    ros_arguments: Sequence[str],
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    share: Share | None,
    environment: Mapping[str, str],
) -> bool:
    """Serves the page of a system that runs already, or, as a child of `up`, of that one.

    Returns:
        Whether a signal ended it.
    """
    run_dir: Path | None = options.run_dir
    wanted = WebOptions(
        config,
        ros_arguments,
        run_dir.resolve().name if run_dir else namespace_of(ros_arguments),
        options.port,
        options.read_only,
        quiet=TOKEN_VARIABLE in environment,
        share=share,
        began=run_began(environment) if run_dir else None,
    )
    return run_web(wanted, make_port, make_stop, environment)


def serve_fleet(
    options: argparse.Namespace,
    config: Config,
    ros_arguments: Sequence[str],
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    overrides: Sequence[str],
    environment: Mapping[str, str],
) -> bool:
    """Serves the page of several systems that run already.

    Returns:
        Whether a signal ended it.

    Raises:
        UsageError: Names or options do not fit.
    """
    if options.run_dir:
        raise UsageError('--robots is for systems that run already: leave out --run-dir.')
    robots = [
        WebOptions(each.config, each.ros_arguments, each.name, read_only=options.read_only)
        for each in read_robots(options.robots, config, ros_arguments, overrides)
    ]
    return run_fleet(robots, options.port, make_port, make_stop, environment)


def page_process(wanted: int, module: str) -> tuple[NodeProcess, str, str]:
    """The process of the page beside a system, its link for the operator, and its token.

    Args:
        wanted: Port; 0: the first free one.
        module: That is started.
    """
    port, token = free_port(wanted), new_token()
    arguments = ('web', '--port', str(port))
    process = NodeProcess('web', module, 3, 'the live page', arguments=arguments)
    return process, link(port, token), token
