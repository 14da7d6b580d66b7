"""The options of `bt-executive memory`, and what they mean."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from embodied_nav.memory_location import memory_store
from embodied_nav.memory_models import chat_model, embedding_model
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.llm.providers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from bt_executive.console.memory_command import MemoryCommand

ACTIONS = ('build', 'ask', 'show', 'export', 'import', 'stats')
KINDS = ('explicit', 'implicit', 'global')
METHODS = ('SEMANTIC', 'LLM_HIERARCHICAL')


def add_memory(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command to the parser."""
    memory = commands.add_parser(
        'memory',
        parents=[common],
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


def memory_command(
    options: argparse.Namespace, config: Config, environment: Mapping[str, str], node: str
) -> MemoryCommand:
    """What the options ask for.

    Raises:
        UsageError: They contradict each other.
        ConfigError: The model cannot be had.
    """
    from bt_executive.console.memory_command import MemoryCommand

    store = options.store or memory_store(config, environment, node)
    chat = chat_model(config, environment) if options.method != METHODS[0] else None
    if options.method != METHODS[0] and chat is None:
        raise UsageError(
            f'{options.method} asks a model: set memory.model.provider or planner.provider to '
            f'one of {", ".join(CATALOGUE)}.'
        )
    embedder = embedding_model(config, environment)
    near = _near(options.near)
    return MemoryCommand(
        options.action, options.what, store, options.kind, options.method, near, chat, embedder
    )


def _near(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    try:
        x, y = map(float, text.split(','))
    except ValueError:
        raise UsageError(f'--near takes X,Y in m, not {text!r}.') from None
    return x, y, 0.0
