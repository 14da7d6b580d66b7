"""`bt-executive node`, `vision-client`, `guard-bench` and `model-bench`: one process each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
import os
from pathlib import Path
import sys
from typing import NoReturn

from bt_executive.commands.shared_options import (
    Commands,
    SharedOptions,
    configuration_arguments,
    read_configuration,
)
from bt_executive.console.program_name import PROGRAM
from bt_executive.launching.system_processes import (
    NODES,
    check_folder,
    children_environment,
    node_named,
)
from rover_common.errors import UsageError
from rover_common.extras import missing_modules, needs_extra
from rover_common.process.new_run_folder import make_run_folder
from rover_common.process.user_paths import path_argument
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, FRESH
from rover_common.ros.ros_arguments import namespace_of


def add_node(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    node = commands.add_parser(
        'node',
        run=become_node,
        parents=[shared.common, shared.folder, shared.kept],
        help='run one process of the system',
    )
    node.add_argument('name', metavar='NAME', help=', '.join(each.name for each in NODES))


def become_node(options: argparse.Namespace, ros_arguments: list[str]) -> NoReturn:
    """Replaces this process with the node.

    Raises:
        UsageError: There is no such node, or an option is not for it.
        ConfigError: The configuration is invalid.
    """
    read_configuration(options, ros_arguments)
    arguments = configuration_arguments(options) + ros_arguments
    node = node_named(options.name)
    check_folder(node, options.config)
    if options.fresh:
        if node.name != EXECUTIVE:
            raise UsageError(f'{FRESH} is for {EXECUTIVE} alone: {node.name} keeps no journal.')
        arguments = [FRESH, *arguments]
    if options.run_dir is not None:
        run_dir = make_run_folder(options.run_dir)
        arguments = ['--run-dir', path_argument(run_dir), *arguments]
    command = [sys.executable, '-m', node.module, *arguments]
    os.execve(sys.executable, command, children_environment(os.environ))


MAX_EDGE = 2560


def add_vision_client(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        'vision-client',
        run=run_vision_client,
        parents=[shared.common],
        help='show the robot this screen, a webcam, or both',
        description='Connects to the vision gateway and answers its requests for pictures.',
    )
    parser.add_argument(
        '--gateway', metavar='HOST:PORT', default='', help='default: as in vision.yaml'
    )
    parser.add_argument(
        '--id', metavar='NAME', default='', help='of this client; default: host-user'
    )
    parser.add_argument(
        '--screen', type=int, default=1, metavar='N', help='which screen; 0: all (default: 1)'
    )
    parser.add_argument('--no-screen', action='store_true', help='show no screen')
    parser.add_argument(
        '--camera', metavar='DEVICE', default='', help='also a webcam: its number or file'
    )
    parser.add_argument(
        '--size', metavar='WxH', default='', help='of the webcam, such as 1280x720'
    )
    parser.add_argument(
        '--max-edge',
        type=int,
        default=MAX_EDGE,
        metavar='PIXELS',
        help=f'larger pictures are made smaller (default: {MAX_EDGE})',
    )


def run_vision_client(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Serves pictures until it is interrupted; returns the exit code.

    Raises:
        UsageError: The libraries of the extra `vision` are missing, or no screen can be captured.
    """
    config = read_configuration(options, ros_arguments)
    try:
        from rover_vision.client.vision_client import run_client
    except ImportError as error:
        raise UsageError(needs_extra('vision-client', 'vision', error=error)) from None
    return run_client(options, config, namespace_of(ros_arguments))


@dataclass(frozen=True)
class Bench:
    """A command of the repository, whose module parses its own options."""

    module: str
    purpose: str


BENCHES = {
    'guard-bench': Bench(
        'bench.guard', 'prove the guards: hostile and benign cases, judged at the robot'
    ),
    'model-bench': Bench('bench.models', 'measure a model: 60 tasks in three languages'),
}


def add_benches(commands: Commands, _: SharedOptions) -> None:
    """Adds the commands to the command line, without the options that their modules parse."""
    for name, bench in BENCHES.items():
        commands.add_parser(name, help=bench.purpose)


def become_bench(name: str, arguments: Sequence[str]) -> NoReturn:
    """Replaces this process with a bench of the repository, which the package does not contain."""
    root = Path(__file__).resolve().parents[2]
    if not (root / 'bench' / 'guard').is_dir():
        raise UsageError(
            f'{name} runs in a clone of the repository: `make setup` there, then '
            f'`.venv/bin/{PROGRAM} {name}`.'
        )
    for extra in ('rosa', 'rover'):
        if missing_modules(extra):
            raise UsageError(needs_extra(name, extra))
    paths = [str(root), *filter(None, [os.environ.get('PYTHONPATH')])]
    environment = {**children_environment(os.environ), 'PYTHONPATH': os.pathsep.join(paths)}
    os.execve(
        sys.executable, [sys.executable, '-m', BENCHES[name].module, *arguments], environment
    )
