"""`bt-executive memory`: builds, asks, shows, exports, imports and counts what is remembered."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from embodied_nav.graph_page import write_page
from embodied_nav.memory_location import memory_store
from embodied_nav.memory_models import chat_model, embedding_model
from embodied_nav.observed_thing import Position
from embodied_nav.question_and_outcome import Kind, Query, RetrievalMethod
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.llm.model_ports import ChatModel, Embedder
from rover_common.llm.providers.catalogue import CATALOGUE
from rover_common.printable import one_line

DONE, NOT_FOUND = 0, 1
NEEDS = {'ask': 'a QUESTION', 'export': 'a FILE', 'import': 'a FILE'}
PAGE = '.html'


@dataclass(frozen=True)
class MemoryCommand:
    """What is wanted. `what`: the question or the file; `store`: a file or address."""

    action: str
    what: str
    store: str
    kind: Kind = 'explicit'
    method: str = RetrievalMethod.SEMANTIC.value
    near: Position | None = None
    chat: ChatModel | None = None
    embedder: Embedder | None = None


def memory_command(
    options: argparse.Namespace, config: Config, environment: Mapping[str, str], node: str
) -> MemoryCommand:
    """What the options ask for.

    Raises:
        UsageError: They contradict each other.
        ConfigError: The model cannot be had.
    """
    from bt_executive.console.memory_actions import MemoryCommand

    store = options.store or memory_store(config, environment, node)
    chat = chat_model(config, environment) if options.method != RetrievalMethod.SEMANTIC else None
    if options.method != RetrievalMethod.SEMANTIC and chat is None:
        raise UsageError(
            f'{options.method} asks a model: set memory.model.provider or planner.provider to '
            f'one of {", ".join(CATALOGUE)}.'
        )
    embedder = embedding_model(config, environment)
    near = _near(options.near)
    return MemoryCommand(
        options.action, options.what, store, options.kind, options.method, near, chat, embedder
    )


def run_memory(command: MemoryCommand) -> int:
    """Does it and returns the exit code: 0, or 1 if there is no answer.

    Raises:
        UsageError: It cannot be used so.
        MemoryStoreError: The memory or the file cannot be read.
    """
    needed = NEEDS.get(command.action)
    if needed and not command.what:
        raise UsageError(f'memory {command.action} needs {needed}.')
    if command.what and not needed:
        raise UsageError(f'memory {command.action} takes nothing more.')
    is_file = '://' not in command.store
    if command.action != 'import' and is_file and not Path(command.store).is_file():
        raise UsageError(
            f'There is no memory {command.store!r} yet: explore with `bt-executive up`, or name '
            'another one with --store.'
        )
    acts: dict[str, Callable[[SpatialMemory, MemoryCommand], int]] = {
        'build': _build,
        'ask': _ask,
        'show': _show,
        'export': _export,
        'import': _import,
        'stats': _stats,
    }
    memory = open_memory(command.store, command.embedder, chat=command.chat)
    try:
        return acts[command.action](memory, command)
    finally:
        memory.close()


def _build(memory: SpatialMemory, _command: MemoryCommand) -> int:
    print(f'{memory.build()} areas. {memory.settle(words=False)}'.strip())
    return DONE


def _ask(memory: SpatialMemory, command: MemoryCommand) -> int:
    method = RetrievalMethod(command.method)
    if done := ' '.join((memory.embed(), *memory.faults)).strip():  # made by another model
        print(one_line(done))
    recall = memory.recall(
        Query(text=command.what, kind=command.kind, method=method, near=command.near)
    )
    print(one_line(f'{recall.outcome.value}: {recall.reason}'))
    if recall.chain:
        print(one_line(f'  by {" → ".join(recall.chain)}'))
    for hit in recall.hits:
        x, y, _ = hit.position
        area = f', in {hit.parents[0]}' if hit.parents else ''
        print(
            one_line(f'- {hit.name} ({x:.1f}, {y:.1f}) m, {hit.probability:.0%}{area}: ')
            + one_line(hit.caption)
        )
        for relation in hit.relations:
            print(f'    {one_line(relation)}')
    return DONE if recall.target else NOT_FOUND


def _show(memory: SpatialMemory, _command: MemoryCommand) -> int:
    table = Table('level', 'name', 'label', 'x', 'y', 'in', 'seen', box=None)
    for node in memory.places():
        words = (node.name, node.label, node.parent)
        name, label, parent = (Text(one_line(each)) for each in words)
        x, y, _ = node.position
        seen = f'{node.last_seen:.0f} s'
        table.add_row(str(node.level), name, label, f'{x:.1f}', f'{y:.1f}', parent, seen)
    Console().print(table)
    return DONE


def _export(memory: SpatialMemory, command: MemoryCommand) -> int:
    path = Path(command.what).expanduser()
    if path.suffix == PAGE:
        write_page(path, memory.places(), command.store)
        print(f'The page is {path}.')
    else:
        print(f'{memory.export_gml(path)} nodes are in {path}.')
    return DONE


def _import(memory: SpatialMemory, command: MemoryCommand) -> int:
    count = memory.import_gml(Path(command.what).expanduser())
    print(f'{count} nodes were imported. {memory.settle(words=False)}'.strip())
    return DONE


def _stats(memory: SpatialMemory, command: MemoryCommand) -> int:
    print(one_line(command.store))
    for name, count in memory.stats().items():
        print(f'{name.replace("_", " ")}: {count}')
    return DONE


def _near(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    try:
        x, y = map(float, text.split(','))
    except ValueError:
        raise UsageError(f'--near takes X,Y in m, not {text!r}.') from None
    return x, y, 0.0
