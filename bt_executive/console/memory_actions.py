"""The actions of `bt-executive memory`: build, ask, show, export, import and stats.

Each function returns the exit code.
"""

from __future__ import annotations

from pathlib import Path
import time

from rich.console import Console
from rich.table import Table
from rich.text import Text

from embodied_nav.gml.gml_syntax import Places
from embodied_nav.graph_visualizer import write_page
from embodied_nav.nodes_of_forest import age_s
from embodied_nav.query_and_recall_types import Query
from embodied_nav.retrieval.answer_verdict import ago
from embodied_nav.spatial_memory import SpatialMemory
from rover_common.errors import UsageError
from rover_common.text_sanitizing import one_line

DONE, NOT_FOUND = 0, 1
PAGE = '.html'


def build(memory: SpatialMemory) -> int:
    """Builds the areas again."""
    print(f'{memory.build()} areas. {memory.settle(words=False)}'.strip())
    return DONE


def ask(memory: SpatialMemory, question: Query) -> int:
    """Answers a question; returns 1 if there is no answer."""
    if done := ' '.join((memory.embed(), *memory.faults)).strip():  # made by another model
        print(one_line(done))
    recall = memory.recall(question)
    print(one_line(f'{recall.outcome.value}: {recall.reason}'))
    if recall.chain:
        print(one_line(f'  by {" → ".join(recall.chain)}'))
    for hit in recall.hits:
        x, y, _ = hit.position
        area = f', in {hit.parents[0]}' if hit.parents else ''
        caption = f': {hit.caption}' if hit.caption else ''
        place = f'({x:.1f}, {y:.1f}) m, {hit.probability:.0%}{area}'
        print(one_line(f'- {hit.name} {place}{caption}'))
        for relation in hit.relations:
            print(f'    {one_line(relation)}')
    return DONE if recall.target else NOT_FOUND


def show(memory: SpatialMemory) -> int:
    """Prints every node as a row of a table."""
    table = Table('level', 'name', 'label', 'x', 'y', 'in', 'seen', box=None)
    for node in memory.places():
        texts = (node.name, node.label, node.parent)
        name, label, parent = (Text(one_line(text)) for text in texts)
        x, y, _ = node.position
        seen = ago(age_s(node.last_seen, time.time()))
        table.add_row(str(node.level), name, label, f'{x:.1f}', f'{y:.1f}', parent, seen)
    Console().print(table)
    return DONE


def export(memory: SpatialMemory, path: Path, store: str) -> int:
    """Writes a page if the name ends in .html, else GML. `store`: title of the page.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        if path.suffix == PAGE:
            write_page(path, memory.places(), store)
            done = f'The page is {path}.'
        else:
            done = f'{memory.export_gml(path)} nodes are in {path}.'
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f'{path} cannot be written ({reason}): name another FILE.') from None
    print(done)
    return DONE


def import_file(memory: SpatialMemory, places: Places) -> int:
    """Imports what a GML file holds into an empty memory."""
    count = memory.import_places(places)
    print(f'{count} nodes were imported. {memory.settle(words=False)}'.strip())
    return DONE


def count(memory: SpatialMemory, store: str) -> int:
    """Prints the statistics of a store."""
    print(one_line(store))
    for name, number in memory.stats().items():
        print(f'{name.replace("_", " ")}: {number}')
    return DONE
