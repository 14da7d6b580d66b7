"""`bt-executive web`, and the page beside a system."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
from typing import Any

from bt_executive.commands.client import client_factory
from bt_executive.commands.options import overrides
from bt_executive.console.program_name import DONE, INTERRUPTED, MODULE
from bt_executive.launching.node_process import NodeProcess, children_environment
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.extras import needs_extra


def run_web_command(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    """Serves the cockpit of one robot, or the page of several, until it is interrupted.

    Raises:
        UsageError: The libraries of the extra `web`, or ROS, are missing.
    """
    web, client = _web(), client_factory()
    from bt_executive.ros.client.front_end_kinds import PAGE
    from bt_executive.ros.client.stop_line import StopLine

    os.environ.update(children_environment(os.environ))
    ways = partial(client, front_end=PAGE), StopLine
    if options.robots is not None:
        fleet = options, config, ros_arguments, *ways, overrides(options), os.environ
        ended = web.serve_fleet(*fleet)
    else:
        share = _share(options.run_dir) if options.run_dir else None
        ended = web.serve_one(options, config, ros_arguments, *ways, share, os.environ)
    return INTERRUPTED if ended else DONE


def page_process(options: argparse.Namespace) -> tuple[NodeProcess, tuple[str, str]]:
    """The process of the page beside a system, and its link for the operator."""
    web = _web()
    process, link, token = web.page_process(options.port, MODULE)
    os.environ[web.TOKEN_VARIABLE] = token
    return process, ('page', link)


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
        raise UsageError(needs_extra('The page', 'web', error=error)) from None
    return web_command
