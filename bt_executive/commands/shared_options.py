"""Options that several commands of `bt-executive` share, and the configuration by them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import re
from typing import Any, TypeAlias

from bt_executive.launching.system_processes import ROVER_NODES
from rover_common.config.dotted_keys import text_override
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.process.user_paths import given_path, not_empty, path_argument
from rover_common.ros.node_topic_and_enclave_names import FRESH

Commands: TypeAlias = 'argparse._SubParsersAction[CommandParser]'


NEGATIVE = re.compile(r'-\.?\d')  # how a value such as -3,2 begins


class CommandParser(argparse.ArgumentParser):
    """A parser without abbreviations. `run`: what gets the options and the ROS arguments.

    Whatever begins as a negative number is a value; to argparse only a single number is.
    """

    def __init__(
        self, run: Callable[[argparse.Namespace, list[str]], int] | None = None, **options: Any
    ) -> None:
        super().__init__(allow_abbrev=False, **options)
        self._negative_number_matcher = NEGATIVE
        self.set_defaults(run=run)


class SharedOptions:
    """Parent parsers: options of all commands, of a run folder, of a journal, of a system."""

    def __init__(self) -> None:
        self.common, self.folder, self.kept, self.system = (
            CommandParser(add_help=False) for _ in range(4)
        )
        self.common.add_argument(
            '--config',
            type=given_path,
            metavar='DIR',
            help='configuration folder (default: the shipped one)',
        )
        self.common.add_argument(
            '--set',
            action='append',
            default=[],
            metavar='KEY=VALUE',
            help='override one key, for example light_model.x_good=8; repeatable',
        )
        self.common.add_argument(
            '--no-color',
            action='store_true',
            help='no colours, as with NO_COLOR in the environment',
        )
        add_run_dir(self.folder, 'where the run is written (default: runs/<time>)')
        self.kept.add_argument(
            '--journal',
            type=not_empty,
            metavar='FILE',
            help="journal of the executive (default: journal.file, or the robot's own; demo: in "
            'the run folder)',
        )
        self.kept.add_argument(
            FRESH, action='store_true', help='resume no goal that is open in the journal'
        )
        self.system.add_argument(
            '--without',
            action='append',
            default=[],
            metavar='NODE',
            help='leave a node out; repeatable',
        )
        self.system.add_argument(
            '--no-rover', action='store_true', help=f'leave out {" and ".join(ROVER_NODES)}'
        )
        self.system.add_argument(
            '--record',
            action='store_true',
            help='also write all topics to an MCAP file, for Foxglove',
        )


def add_run_dir(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds `--run-dir`, which every process of a run gets; `what`: what a command does with it."""
    parser.add_argument('--run-dir', type=given_path, metavar='DIR', help=what)


def add_plain(parser: argparse.ArgumentParser) -> None:
    """Adds `--plain`, for commands with a live view."""
    parser.add_argument(
        '--plain', action='store_true', help='lines instead of the live view at a terminal'
    )


def add_port(parser: argparse.ArgumentParser, what: str, first: int) -> None:
    """Adds `--port`, for commands that listen; `first`: of the ports that are tried without it."""
    parser.add_argument(
        '--port',
        type=int,
        default=0,
        metavar='N',
        help=f'{what} (default: the first free one from {first} on)',
    )


def add_robots(command: argparse.ArgumentParser, what: str) -> None:
    """Adds `--robots`; `what`: describes what the command then serves."""
    command.add_argument(
        '--robots',
        metavar='NS[=DIR],...',
        help=f'{what}, by the namespaces of their executives; '
        'DIR: configuration of one that has another',
    )


AGENT_PARAMETER = re.compile(r'(?:\S+:)?agent_(verbose|rich_ui):=(\S+)')


def read_configuration(options: argparse.Namespace, ros_arguments: Sequence[str]) -> Config:
    """Load the configuration files with all overrides.

    Raises:
        ConfigError: They are invalid.
    """
    return load_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])


def overrides(options: argparse.Namespace) -> list[str]:
    """Return the overrides by options."""
    journal = getattr(options, 'journal', None)
    own = [text_override('journal.file', journal)] if journal else []
    return [*options.set, *own]


def agent_overrides(ros_arguments: Sequence[str]) -> list[str]:
    """Return the agent's parameters in ROS arguments as overrides, for the console."""
    matches = map(AGENT_PARAMETER.fullmatch, ros_arguments)
    return [f'executive.agent.{match[1]}={match[2]}' for match in matches if match]


def configuration_arguments(options: argparse.Namespace) -> list[str]:
    """Return the options by which every process loads the configuration."""
    arguments = [] if options.config is None else ['--config', path_argument(options.config)]
    for override in overrides(options):
        arguments += ['--set', override]
    return arguments
