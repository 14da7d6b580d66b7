"""How fast the memory is, with the floor in the same run: reading the vectors once.

A scan must read every number; `floor` is the time that a sum over the matrix takes here and now.
What the encoder takes, for a question and for words that it is compared with, is counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
import random
import tempfile
import time

from fakes.models import FakeChat
import numpy as np

from bench._figures import report
from bench._rover_world import questions, world
from embodied_nav.forest.forest_building import grown
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RetrievalMethod
from embodied_nav.retrieval.count_and_order_queries import parse_form
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.memory_store import Scope, Vector
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.model_ports import Message, Picture
from rover_common.llm.sentence_encoder import sentence_encoder

ASKED = 200
INSERTED = 50
ANSWER_TARGETS_MS = {10_000: 15.0, 100_000: 15.0}  # by nodes: things and areas
ENCODING_TARGET_MS = 50.0  # of a question
THINGS_SHARE = 0.584  # of the nodes of these worlds
SCAN_TARGET = 2.0  # times the floor
INSERT_TARGET_MS = 50.0
BUILD_TARGETS_S = {3_300: 2.0, 100_000: 120.0}
OPEN_TARGET_S = 2.0
MODEL_S = 0.2  # that the stand-in for a model takes to answer
DESCENT_TARGET_S = 1.0
MOST_CALLS = 3


def run() -> bool:
    """Measures building, opening, answering and inserting; prints each with its target."""
    met = [
        _check(f'build {things:,} things', _build(things)[0], target, 's')
        for things, target in BUILD_TARGETS_S.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        for size in ANSWER_TARGETS_MS:
            met += _sized(size, Path(folder) / f'{size}.sqlite')
    return all(met)


def _sized(size: int, path: Path) -> list[bool]:
    _, nodes, rows = _build(round(THINGS_SHARE * size))
    store = SqliteStore(path)
    begin = time.perf_counter()
    store.put_all(nodes, np.array(rows))
    print(f'  written in {time.perf_counter() - begin:.1f} s')
    store.close()
    begin = time.perf_counter()
    store = SqliteStore(path)
    opened = time.perf_counter() - begin
    met = [_check(f'open {len(nodes):,} nodes', opened, OPEN_TARGET_S, 's')]
    met += [*_answers(store, size, rows), *_inserts(store, size)]
    if size == min(ANSWER_TARGETS_MS):
        met += _descents(store)
    store.close()
    return met


def _build(size: int) -> tuple[float, list[Node], list[Vector]]:
    """Seconds for the forest of a world, its nodes and their vectors; embedding is apart."""
    rng = random.Random(1)
    things = [_node(number, thing.observation(rng)) for number, thing in enumerate(world(size, 1))]
    rows = sentence_encoder().embed([thing.text for thing in things])
    numbers = count(1)
    begin = time.perf_counter()
    nodes, vectors = grown(things, rows, lambda level: f'area_{level}_cluster_{next(numbers)}')
    return time.perf_counter() - begin, nodes, vectors


def _node(number: int, seen: Observation) -> Node:
    x, y, z = seen.position
    return Node(
        node_id=f'object_{number}',
        name=seen.name,
        caption=seen.caption,
        label=seen.label,
        position=(round(x, 3), round(y, 3), round(z, 3)),
    )


def _answers(store: SqliteStore, size: int, rows: Sequence[Vector]) -> list[bool]:
    """From the vector to the context, and the scan alone against the floor."""
    memory = SpatialMemory(store, sentence_encoder(), lambda: 0.0)
    asked = [each.text for each in questions(world(200, 2), ASKED // 8, 3)]
    asked = asked[:1] + asked  # the first one also loads the encoder
    vectors = sentence_encoder().embed(asked)
    matrix = np.array(rows)
    scans, encodings, floors = [], [], []
    answers: list[float] = []
    listings: list[float] = []
    for text, vector in zip(asked, vectors, strict=True):
        took = memory.recall(Query(text=text, kind='implicit')).timings
        encodings.append(took['embed'])
        some = answers if parse_form(text).is_plain else listings
        some.append(sum(took.values()) - took['embed'])
        other = np.roll(vector, 1)  # the cosines of the last one are remembered
        scans.append(_timed(partial(store.nearest, other, Scope(), 20)))
        floors.append(_timed(matrix.sum))
    encoding = _p95(encodings[1:])
    scan, floor = sorted(scans)[ASKED // 2], sorted(floors)[ASKED // 2]
    report(f'how many, first and last p95, {size:,}', _p95(listings), 'ms')
    report(f'scan, median, {size:,}', scan * 1e3, 'ms')
    report(f'vectors read once, median, {size:,}', floor * 1e3, 'ms')
    return [
        _check(f'SEMANTIC p95, {size:,}', _p95(answers[1:]), ANSWER_TARGETS_MS[size], 'ms'),
        _check(f'encoding of a question p95, {size:,}', encoding, ENCODING_TARGET_MS, 'ms'),
        _check(f'scan / floor, {size:,}', scan / floor, SCAN_TARGET, 'x'),
    ]


def _inserts(store: SqliteStore, size: int) -> list[bool]:
    memory = SpatialMemory(store, sentence_encoder(), lambda: 0.0)
    rng = random.Random(5)
    before = {node.node_id for node in store.nodes(Scope(levels=(1, 5)))}
    seconds = []
    for number, thing in enumerate(world(round(THINGS_SHARE * size), 9)[:INSERTED]):
        seen = replace(thing.observation(rng), name=f'new_{number}')
        seconds.append(_timed(partial(memory.observe, seen)))
    after = {node.node_id for node in store.nodes(Scope(levels=(1, 5)))}
    print(f'  {INSERTED} inserts: {len(after - before)} areas new, {len(before - after)} gone')
    return [_check(f'insert p95, {size:,}', _p95(seconds) * 1e3, INSERT_TARGET_MS, 'ms')]


def _descents(store: SqliteStore) -> list[bool]:
    """The descent with a model that takes its time and always chooses the first node."""

    def mind(messages: Sequence[Message], _pictures: Sequence[Picture]) -> str:
        time.sleep(MODEL_S)
        lines = messages[-1].text.splitlines()
        return next(line[2:].split(':')[0] for line in lines if line.startswith('- '))

    memory = SpatialMemory(store, sentence_encoder(), lambda: 0.0, FakeChat(mind))
    calls, seconds = [], []
    for question in questions(world(200, 2), 1, 3):
        query = Query(text=question.text, kind='implicit', method=RetrievalMethod.LLM_HIERARCHICAL)
        begin = time.perf_counter()
        calls.append(memory.recall(query).calls)
        seconds.append(time.perf_counter() - begin)
    return [
        _check('LLM_HIERARCHICAL calls', float(max(calls)), float(MOST_CALLS), ''),
        _check('LLM_HIERARCHICAL p95', _p95(seconds), DESCENT_TARGET_S, 's'),
    ]


def _timed(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, round(0.95 * len(values)))]


def _check(what: str, value: float, target: float, unit: str) -> bool:
    return report(what, value, unit, at_most=target)
