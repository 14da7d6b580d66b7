"""A fleet on one PostgreSQL: each rover writes ten things a second, and one of them asks.

A rover is a `Worker` with a connection of its own, as in the process `memory`; all of them are
threads of this process. What cannot be written at once waits in the worker's queue, whose oldest
is lost and counted. The server is the one that the tests bring along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
import random
import statistics
import tempfile
import threading
import time

from packaged_postgres import packaged_postgres
import psycopg

from bench._figures import report
from bench._rover_world import world
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store_thread import MOST_WAITING, Worker

FLEETS = {1: 15.0, 20: 60.0}  # rovers, and for how many s; a queue is full after 50
EACH_HZ = 10.0  # things that a rover writes in a second
ASK_EVERY_S = 0.5
INSERT_TARGET_MS = 60.0  # of a rover alone
AREA_M = 400.0  # rovers do not see the same things
SETTLES_S, FIRST_ANSWER_S = 3.0, 60.0
QUESTION = Query(text='where is the cairn?')


@dataclass
class Seen:
    """What came of one rover's things; ms each."""

    inserts: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    most_waiting: int = 0
    is_over: bool = False  # what still waits is no more written


def run() -> bool:
    """Measures fleets of several sizes; each has an empty database."""
    met = True
    folder = Path(tempfile.mkdtemp(prefix='bt_executive-fleet-'))
    folder.chmod(0o755)  # for root it runs as another user
    with packaged_postgres(folder) as server:
        for rovers, seconds in FLEETS.items():
            met &= _measured(server.address, rovers, seconds)
    return met


def _measured(address: str, rovers: int, seconds: float) -> bool:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute('DROP SCHEMA IF EXISTS embodied_nav CASCADE')
    seen = [Seen() for _ in range(rovers)]
    workers = [Worker(partial(open_memory, address), lambda _fault: None) for _ in seen]
    for worker in workers:
        worker.start()
    _ask(workers[0], seen[0])  # loads the encoder, which no rover does on the way
    begin = time.perf_counter()
    _drive(workers, seen, begin, seconds)
    took_s = time.perf_counter() - begin
    written = sum(len(each.inserts) for each in seen)
    late_s = _settled(workers)
    lost = sum(worker.dropped for worker in workers)
    waits = sum(worker.waiting for worker in workers)
    for each in seen:
        each.is_over = True
    for worker in workers:
        worker.end()
    name = f'{rovers} rover{"s" if rovers > 1 else ""}'
    rate = rovers * EACH_HZ
    report(f'{name}: written of {rate:g} things a second', written / took_s, '/s')
    most = max(each.most_waiting for each in seen)
    report(f'{name}: most that waited with one rover, of {MOST_WAITING}', most)
    report(f'{name}: lost, of {rate * seconds:g}', lost)
    report(f'{name}: still waiting {late_s:.0f} s later', waits)
    answers = _p95([ms for each in seen for ms in each.answers[1:]])
    report(f'{name}: an answer, p95', answers, 'ms')
    inserts = _p95([ms for each in seen for ms in each.inserts])
    target = INSERT_TARGET_MS if rovers == 1 else None
    return report(f'{name}: an insert, p95', inserts, 'ms', at_most=target)


def _drive(workers: Sequence[Worker], seen: Sequence[Seen], begin: float, seconds: float) -> None:
    """Give each rover its things in time, and ask the first one beside it."""
    rng = random.Random(5)
    count = round(EACH_HZ * seconds)
    things = [each.observation(rng) for each in world(count, 5)]
    for number in range(count):
        due = begin + number / EACH_HZ
        time.sleep(max(0.0, due - time.perf_counter()))
        for at, (worker, mine) in enumerate(zip(workers, seen, strict=True)):
            worker.change(partial(_write, mine, _of_rover(things[number], at)))
            mine.most_waiting = max(mine.most_waiting, worker.waiting)
        if number % round(ASK_EVERY_S * EACH_HZ) == 0:
            workers[0].ask(partial(_answer, seen[0], time.perf_counter()), _refused)


def _of_rover(thing: Observation, at: int) -> Observation:
    x, y, z = thing.position
    return replace(thing, name=f'{thing.name}_{at}', position=(x + at * AREA_M, y, z))


def _write(mine: Seen, thing: Observation, memory: SpatialMemory) -> None:
    if mine.is_over:
        return
    begin = time.perf_counter()
    memory.observe(thing)
    mine.inserts.append((time.perf_counter() - begin) * 1e3)


def _answer(mine: Seen, asked_at: float, memory: SpatialMemory) -> None:
    memory.recall(QUESTION)
    mine.answers.append((time.perf_counter() - asked_at) * 1e3)


def _ask(worker: Worker, mine: Seen) -> None:
    done = threading.Event()

    def answer(memory: SpatialMemory) -> None:
        _answer(mine, time.perf_counter(), memory)
        done.set()

    worker.ask(answer, _refused)
    if not done.wait(FIRST_ANSWER_S):
        raise TimeoutError(f'no answer within {FIRST_ANSWER_S:g} s')


def _refused(sentence: str) -> None:
    print(f'  refused: {sentence}')


def _settled(workers: Sequence[Worker]) -> float:
    """Seconds until nothing waits any more, at most `SETTLES_S`."""
    begin = time.perf_counter()
    while any(each.waiting for each in workers) and time.perf_counter() - begin < SETTLES_S:
        time.sleep(0.05)
    return time.perf_counter() - begin


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else float('nan')
