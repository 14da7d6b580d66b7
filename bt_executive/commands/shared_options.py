"""Options that several commands of `bt-executive` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bt_executive.launching.system_processes import ROVER_NODES
from rover_common.process.user_paths import given_path
from rover_common.ros.node_topic_and_enclave_names import FRESH

Commands: TypeAlias = 'argparse._SubParsersAction[argparse.ArgumentParser]'


@dataclass(frozen=True)
class SharedOptions:
    """Parent parsers: options of all commands, of a run folder, of a journal, of a system."""

    common: argparse.ArgumentParser = field(default_factory=lambda: _options(_add_common))
    folder: argparse.ArgumentParser = field(default_factory=lambda: _options(_add_folder))
    kept: argparse.ArgumentParser = field(default_factory=lambda: _options(_add_kept))
    system: argparse.ArgumentParser = field(default_factory=lambda: _options(_add_system))


def _options(add: Callable[[argparse.ArgumentParser], None]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add(parser)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--config',
        type=given_path,
        metavar='DIR',
        help='configuration folder (default: the shipped one)',
    )
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='override one key, for example light_model.x_good=8; repeatable',
    )
    parser.add_argument(
        '--no-color', action='store_true', help='no colours, as with NO_COLOR in the environment'
    )


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--run-dir',
        type=given_path,
        metavar='DIR',
        help='where the run is written (default: runs/<time>)',
    )


def _add_kept(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--journal',
        metavar='FILE',
        help="journal of the executive (default: journal.file, or the robot's own; demo: in the "
        'run folder)',
    )
    parser.add_argument(
        FRESH, action='store_true', help='resume no goal that is open in the journal'
    )


def _add_system(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--without',
        action='append',
        default=[],
        metavar='NODE',
        help='leave a node out; repeatable',
    )
    parser.add_argument(
        '--no-rover', action='store_true', help=f'leave out {" and ".join(ROVER_NODES)}'
    )
    parser.add_argument(
        '--record', action='store_true', help='also write all topics to an MCAP file, for Foxglove'
    )


def add_plain(parser: argparse.ArgumentParser) -> None:
    """Adds `--plain`, for commands with a live view."""
    parser.add_argument(
        '--plain', action='store_true', help='lines instead of the live view at a terminal'
    )


def add_page_port(parser: argparse.ArgumentParser) -> None:
    """Adds `--port`, for commands that serve the live page."""
    parser.add_argument(
        '--port',
        type=int,
        default=0,
        metavar='N',
        help='of the page (default: the first free one from 8700 on)',
    )


def add_robots(command: argparse.ArgumentParser, what: str) -> None:
    """Adds `--robots`; `what`: describes what the command then serves."""
    command.add_argument(
        '--robots',
        metavar='NS[=DIR],...',
        help=f'{what}, by the namespaces of their executives; '
        'DIR: configuration of one that has another',
    )
