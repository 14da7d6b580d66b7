"""Thousands of goals in one process of the executive, on simulated time: does anything grow?

The real tree and a real store on disk; robot, people and planner are drawn from a seed
(`bench/_soak_world.py`). Simulated time stands still while the disk writes.

`python -m bench.soak --goals 100000`
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
import gc
from pathlib import Path
import sqlite3
import sys
import tempfile
import threading
import time
from typing import Any

from fakes.core import NoGoalReader, NoGraph

from bench._figures import report, trials
from bench._soak_world import SoakPlanner, World
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.store_port import (
    GOAL,
    Durability,
    Entry,
    InputLine,
    RunStart,
    Store,
    StoreFault,
)
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.sqlite_opening_and_faults import find_damage, open_for_reading
from bt_executive.store.store_lock_and_previous_run import StartedRun, read_saved, start_store
from bt_executive.store.store_retention import MEGABYTE, size_bytes
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.tree_ports import Ports
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.permit import NO_PERMIT

GOALS = trials(10_000)
BATCHES = 10  # after each of them every goal has ended, and what is kept is counted
MOST_OPEN = 4  # goals at a time
MAX_MB = 10.0  # of the journal
WARM = 2  # the batch after which what is kept of the latest goals, such as requests, is full
# Blocks of memory that stay allocated for each goal after that: less than one object.
GROWTH_TARGET = 0.5
RSS_TARGET_MB = 5.0
# Beyond `max_mb`: the log of changes, and the goal that ends next.
FILE_TARGET_MB = MAX_MB + 5.0
REST_S = 20.0  # of simulated time, after a batch: longer than anything that was begun lasts
ROOM_WITHIN_S = 120.0
PAGE_MB = 4096 / 1e6


class PromptStore:
    """Waits for the disk instead of saying that others must, and keeps the books on goals.

    Attributes:
        open: Goals that have no end yet.
        faults: Ends too many.
    """

    def __init__(self, path: Path, max_mb: float) -> None:
        self._written = threading.Event()
        self.open: set[str] = set()
        self.faults: list[str] = []
        self.ended = self.puts = 0
        settings = load_config(None, [f'journal.max_mb={max_mb}']).executive.journal
        run = RunStart(run_id='soak', run_dir='', pid=0, boot_id='', version='')
        self.started: StartedRun = start_store(path, settings, run, Now.at(0.0), self._written.set)
        self._store: Store = self.started.store

    @property
    def latest(self) -> int:
        """See `Store.latest`."""
        return self._store.latest

    def record(self, lines: Sequence[InputLine]) -> None:
        """See `Store.record`."""
        self._store.record(lines)

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`."""
        self.puts += 1
        self.open.update(
            name.removeprefix(GOAL)
            for name, value in parts.items()
            if name.startswith(GOAL) and value is not None
        )
        for entry in entries:
            if entry.goal_end is not None:
                self.ended += 1
                if entry.goal_id not in self.open:
                    self.faults.append(f'{entry.goal_id} ended and was not open')
                self.open.discard(entry.goal_id)
        return self._store.put(now, parts, entries)

    def durable(self, ticket: int) -> Durability:
        """See `Store.durable`."""
        while (durability := self._store.durable(ticket)) is Durability.WAITING:
            self._written.wait()
            self._written.clear()
        return durability

    def fault(self) -> StoreFault | None:
        """See `Store.fault`."""
        return self._store.fault()

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`."""
        self._store.close(now, how, within_s)

    def sync(self) -> None:
        """Waits until all of it is on disk."""
        self.durable(self.latest)


class _Nobody:
    """Sends the goals, without subscriptions."""

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """See `GoalReporter.feedback`."""

    def ended(self, task: Task, summary: dict[str, object]) -> None:
        """See `GoalReporter.ended`."""

    def left_open(self, task: Task, summary: dict[str, object]) -> None:
        """See `GoalReporter.left_open`."""


@dataclass(frozen=True)
class Mark:
    """What is there when every goal has ended. `blocks`: of memory, that Python has allocated."""

    goals: int
    blocks: int
    rss_mb: float
    file_mb: float
    log_mb: float


@dataclass
class Soak:
    """One executive that pursues goals until it is ended.

    Args:
        path: Of the journal.
        max_mb: How large the journal may become.

    Attributes:
        marks: After each batch of goals.
        faults: What must not be, in sentences.
    """

    path: Path
    max_mb: float = MAX_MB
    seed: int = 13
    marks: list[Mark] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    ticks: int = 0
    asked: int = 0

    def __post_init__(self) -> None:
        self.store = PromptStore(self.path, self.max_mb)
        started = self.store.started
        config = load_config(None, ['approval.expiry_s=5'])
        inbox, memory = Inbox(), MemorySink(config.prompts.memory.max_events)
        self.world = World(inbox, self.seed)
        ports = Ports(
            inbox=inbox,
            robot=self.world,
            planner=SoakPlanner(self.world.rng),
            reporter=_Nobody(),
            tracer=Tracer('soak', [memory], lambda: self.world.now),
            memory=memory,
            graph=NoGraph(),
            reader=NoGoalReader(),
            store=self.store,
        )
        registry, begins = Registry(config), RunBegins(started.run, started.saved)
        persistent = resume(ports, config, registry, begins)
        self._context = Context(config, registry, ports, persistent)
        self._executive = Executive(self._context)
        self._answered = ''

    def pursue(self, goals: int) -> None:
        """Pursue so many goals, until all have ended."""
        until = self.asked + goals
        while self.asked < until or self.store.open:
            if self.asked < until and len(self.store.open) < MOST_OPEN:
                self.asked += 1
                self.store.open.add(self.world.ask(self.asked))
            self.step()
        self._rest()
        self._mark()

    def step(self) -> None:
        """One tick, and then time passes until something is to be done."""
        world = self.world
        report = self._executive.step(Now.at(world.now))
        self.ticks += 1
        for request in self._context.approvals.waiting():
            if request.request_id != self._answered:
                self._answered = request.request_id
                world.answer(request.request_id)
        if not report.again and not world.inbox.depth:
            soon = min(report.alarm.robot, report.alarm.steady, world.next_at)
            world.pass_time(max(soon, world.now + 0.001))

    def close(self) -> None:
        """Ends this process in order."""
        self._executive.shut_down()
        self.store.close(Now.at(self.world.now), 'soaked', 60.0)

    def _rest(self) -> None:
        """Until the calls of the last goals, and what disturbs them, have ended, too."""
        until = self.world.now + REST_S
        while self.world.now < until:
            self.step()
        self.store.sync()
        self._wait_for_room()
        # The writer holds its latest batch until the next one: now that is a small one.
        self.store.put(Now.at(self.world.now), {}, [Entry('OBSERVE', {'message': 'rest'})])
        self.store.sync()
        self.faults += self.store.faults
        self.faults += self._open()

    def _wait_for_room(self) -> None:
        """Until the journal has forgotten what is too much: it does so while nobody writes.

        On simulated time somebody writes almost always.
        """
        deadline = time.monotonic() + ROOM_WITHIN_S
        with closing(sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)) as connection:
            while size_bytes(connection) > self.max_mb * MEGABYTE:
                if time.monotonic() > deadline:
                    self.faults.append(f'the journal holds {size_bytes(connection)} bytes')
                    return
                time.sleep(0.01)

    def _open(self) -> Iterator[str]:
        """What must not be left when no goal is there."""
        persistent, state = self._context.persistent, self._context.state
        for what, left in (
            ('calls', self._context.calls.running()),
            ('leases', self._context.calls.leases.holders),
            ('goals', state.tasks.queue),
            ('parked goals', persistent.parked),
            ('requests for approval', self._context.approvals.waiting()),
        ):
            if left:
                yield f'after {self.asked} goals there are {what}: {left}'
        if persistent.permits.current != NO_PERMIT:
            yield f'after {self.asked} goals there is {persistent.permits.current}'

    def _mark(self) -> None:
        gc.collect()
        log = self.path.with_name(f'{self.path.name}-wal')
        self.marks.append(
            Mark(
                self.asked,
                sys.getallocatedblocks(),
                _rss_mb(),
                self.path.stat().st_size / 1e6,
                log.stat().st_size / 1e6,
            )
        )


def left_in(path: Path) -> Iterator[str]:
    """What is open or damaged in a journal in which everything has ended."""
    with closing(open_for_reading(path)) as connection:
        yield from find_damage(connection)
        saved = read_saved(connection)
        (without,) = connection.execute(
            "SELECT count(DISTINCT goal_id) FROM trace WHERE goal_id <> '' AND goal_id NOT IN "
            '(SELECT goal_id FROM trace WHERE goal_end IS NOT NULL)'
        ).fetchone()
    if without:
        yield f'{without} goals have no end in the trace'
    parts = dict(saved.parts) if saved is not None else {}
    still = {name: value for name, value in parts.items() if name.startswith(GOAL)}
    still |= {name: parts.get(name) for name in ('calls', 'leases', 'approvals')}
    if saved is None or any(still.values()):
        yield f'open in the store: {still}'


def growth(marks: list[Mark]) -> float:
    """How many blocks of memory stay allocated for each goal, once warm."""
    first, last = marks[WARM], marks[-1]
    return (last.blocks - first.blocks) / (last.goals - first.goals)


def run(goals: int = GOALS, write: Callable[[str], None] = print) -> bool:
    """Pursue so many goals in one process."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'journal.sqlite'
        soak = Soak(path)
        for _ in range(BATCHES):
            soak.pursue(goals // BATCHES)
            mark = soak.marks[-1]
            write(
                f'{mark.goals:7d} goals, {time.monotonic() - began:5.0f} s: {mark.blocks} blocks, '
                f'{mark.rss_mb:.1f} MB of memory, journal {mark.file_mb:.1f} MB and '
                f'{mark.log_mb:.1f} MB of log'
            )
        soak.close()
        faults = [*soak.faults, *left_in(path)]
    return _report(soak, faults, write)


def _report(soak: Soak, faults: list[str], write: Callable[[str], None]) -> bool:
    marks, grown = soak.marks, growth(soak.marks)
    rss = marks[-1].rss_mb - marks[WARM].rss_mb
    largest = max(mark.file_mb + mark.log_mb for mark in marks)
    write(
        f'{soak.store.ended} goals ended, {soak.ticks} ticks, {soak.store.puts} changes, '
        f'{soak.world.now / 3600:.1f} h of simulated time'
    )
    for fault in faults:
        write(f'  {fault}')
    met = report('blocks that stay, per goal', grown, at_most=GROWTH_TARGET)
    met &= report('memory that stays', rss, 'MB', at_most=RSS_TARGET_MB)
    met &= report('journal with its log, at most', largest, 'MB', at_most=FILE_TARGET_MB)
    return report('faults', len(faults), at_most=0) and met


def _rss_mb() -> float:
    return int(Path('/proc/self/statm').read_text(encoding='ascii').split()[1]) * PAGE_MB


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--goals', type=int, default=GOALS)
    sys.exit(not run(parser.parse_args().goals))
