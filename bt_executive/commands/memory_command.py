"""`bt-executive memory`: its options, and what is done to the memory that they name."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.configuration_overrides import read_configuration
from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.ros.ros_arguments import namespace_of

ACTIONS = ('build', 'ask', 'show', 'export', 'import', 'stats')
KINDS = ('explicit', 'implicit', 'global')
METHODS = ('SEMANTIC', 'LLM_HIERARCHICAL')


def add_memory(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    memory = commands.add_parser(
        'memory',
        parents=[shared.common],
        help='look at what is remembered of places',
        description='build: make the areas anew. ask QUESTION: where is something? show: every '
        'node. export FILE: as GML, or as a page if it ends in .html. import FILE: take a GML '
        'file into an empty memory. stats: how much there is.',
        allow_abbrev=False,
    )
    memory.add_argument('action', choices=ACTIONS, metavar='ACTION', help=', '.join(ACTIONS))
    memory.add_argument('what', nargs='?', default='', metavar='QUESTION|FILE')
    memory.add_argument(
        '--store', default='', metavar='FILE|postgresql://...', help="default: the robot's own"
    )
    memory.add_argument('--kind', choices=KINDS, default='explicit', help='of the question')
    memory.add_argument(
        '--method',
        choices=METHODS,
        default='SEMANTIC',
        help='LLM_HIERARCHICAL asks a model (memory.model, else that of the planner)',
    )
    memory.add_argument('--near', default='', metavar='X,Y', help='where the asker is, m')
    memory.set_defaults(run=run_memory_command)


def run_memory_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Does it; returns the exit code."""
    from bt_executive.console.memory_actions import memory_command, run_memory

    config = read_configuration(options, ros_arguments)
    node = f'{namespace_of(ros_arguments).rstrip("/")}/memory'
    return run_memory(memory_command(options, config, os.environ, node))
