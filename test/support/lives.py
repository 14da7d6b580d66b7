"""An executive that is killed and started again, on a bench: only its store and the world stay.

The store is one in memory whose disk takes what waits when it is told to. What the next run
finds is read by the store's own reader out of a file of SQLite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
import sqlite3
from typing import Any

from fakes.core import FakeRobot
from tree_bench import make_bench

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json, Proposal
from bt_executive.core.inputs import BatteryReceived, PoseReceived, ServerCallUpdate
from bt_executive.core.store_port import GOAL, RUN, Durability, Entry, InputLine, Saved, StoreFault
from bt_executive.core.trace import Tracer
from bt_executive.store.store_lock_and_previous_run import read_saved
from bt_executive.store.store_rows import Stamp, entry_row, part_row
from bt_executive.store.store_schema import SCHEMA
from bt_executive.tree.resume_from_checkpoints import RunBegins
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint


@dataclass(frozen=True)
class Put:
    """What a run has put at once."""

    run: int
    now: Now
    parts: dict[str, Any]
    entries: tuple[Entry, ...]


def saved_of(puts: Sequence[Put]) -> Saved | None:
    """What a run finds in a file in which this was put."""
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        number = 0
        for put in puts:
            rows = [partial_row(entry_row, each) for each in put.entries]
            rows += [partial_row(part_row, *each) for each in put.parts.items()]
            for make in rows:
                number += 1
                connection.execute(*make(Stamp.of(number, put.run, put.now, put.now.steady)))
        return read_saved(connection)


def partial_row(write: Callable[..., Any], *values: Any) -> Callable[[Stamp], Any]:
    return lambda at: write(at, *values)


@dataclass
class DiskStore:
    """A store whose disk is slow or fails. `synced`: how many puts are on disk for sure."""

    puts: list[Put] = field(default_factory=list)
    synced: int = 0
    run: int = 0
    at_once: bool = True
    stands_against: StoreFault | None = None
    unkept: Durability = Durability.NEVER

    @property
    def latest(self) -> int:
        return len(self.puts)

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        self.puts.append(Put(self.run, now, dict(parts), tuple(entries)))
        if self.at_once and self.stands_against is None:
            self.synced = len(self.puts)
        return len(self.puts)

    def record(self, lines: Sequence[InputLine]) -> None:
        """A replay is none of its business."""

    def begin(self, now: Now, run_id: str) -> None:
        """Another run."""
        self.run += 1
        self.put(now, {RUN: {'run_id': run_id, 'ended': ''}})

    def durable(self, ticket: int) -> Durability:
        if ticket <= self.synced:
            return Durability.ON_DISK
        return Durability.WAITING if self.stands_against is None else self.unkept

    def sync(self) -> None:
        if self.stands_against is None:
            self.synced = len(self.puts)

    def fault(self) -> StoreFault | None:
        return self.stands_against

    def close(self, now: Now, how: str, within_s: float) -> None:
        self.put(now, {RUN: {'run_id': f'run-{self.run}', 'ended': how}})

    def of(self, kind: str) -> list[Any]:
        """The values of the entries of one kind, in order."""
        return [each.value for put in self.puts for each in put.entries if each.kind == kind]

    def checkpoints(self, part: str) -> list[Any]:
        """The values of a part, in order."""
        return [put.parts[part] for put in self.puts if part in put.parts]


class WitnessRobot(FakeRobot):
    """Tells `seen` of each request before it goes out."""

    seen: Callable[[str, Endpoint], None]

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        self.seen(server_call_id, endpoint)
        super().send(server_call_id, endpoint, arguments, goal_id)


class Lives:
    """One robot, one store, and one executive after the other.

    Attributes:
        saved: What the latest run was resumed from.
        sent: How often a call that must not be made twice went out, by the proposal's id.
        faults: What must not be, in sentences.
    """

    def __init__(self, *overrides: str) -> None:
        self.overrides = overrides
        self.store = DiskStore()
        self.sent: Counter[str] = Counter()
        self.faults: list[str] = []
        self.has: set[str] = set()  # goals that the actions' servers know
        self.now = self.ros = 100.0
        self.proposals = 0
        self.ended: list[str] = []
        self.begin()

    def begin(self) -> None:
        """The next run, with what the disk has."""
        saved = saved_of(self.store.puts)
        it = self.it = make_bench(*[None] * 500, overrides=self.overrides)
        it.now = self.now
        it._ros, it._at = self.ros, self.now
        robot = WitnessRobot(it.inbox, has=self.has)
        robot.seen = self._witness
        robot.reply = it.robot.reply
        it.robot = robot
        run_id = f'run-{self.store.run + 1}'
        self.store.begin(it.moment, run_id)
        tracer = Tracer(run_id, [it._trace, it.memory], lambda: it.now)
        begins = RunBegins(self.store.run, saved, it.moment)
        it.resume(begins, ApprovalRegistry(run_id), store=self.store, robot=robot, tracer=tracer)
        self.saved = saved

    def crash(self, cut: int | None = None, ros: float | None = None) -> None:
        """Power is lost: what is not on disk is gone. `cut`: so many puts have got there.

        `ros`: what ROS time is at the next start; it goes on, if that is left out.
        """
        self.ended += self.it.reporter.ended_ids
        self._rest()
        self.ros = self.ros if ros is None else ros
        kept = self.store.synced if cut is None else max(cut, self.store.synced)
        self.store = replace(self.store, puts=self.store.puts[:kept])
        self.store.synced = len(self.store.puts)
        self.begin()

    def shut_down(self) -> None:
        """A clean stop, and the next start."""
        self.it.executive.shut_down()
        self.store.close(self.it.moment, 'shut down', 1.0)
        self.ended += self.it.reporter.ended_ids
        self.store.sync()
        self._rest()
        self.begin()

    def _rest(self) -> None:
        """Nothing runs for a while."""
        self.now = self.it.now + 5.0
        self.ros = self.it.moment.ros + 5.0

    def propose(self, tool: str, **arguments: object) -> str:
        """The planner proposes."""
        self.proposals += 1
        name = f'proposal-{self.proposals}'
        self.it.planner.say(Proposal(name, tool, arguments, 'because'))
        return name

    def all_is_well(self, x: float = 0.0) -> None:
        it = self.it
        it.inbox.put(BatteryReceived(it.now, 100.0))
        it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, 0.0, it.now))
        it.status(mast='closed', mast_is_open=False, moving=False)

    def tick(self, after: float = 0.1) -> None:
        self.it.tick(after=after)

    def answer(self, happened: CallInput = CallInput.SUCCEED, **fields: object) -> None:
        """The server of the latest request has its say."""
        server_call_id, _ = self.it.robot.sent[-1]
        self.it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))

    def _witness(self, server_call_id: str, endpoint: Endpoint) -> None:
        proposal = self.it.context.round.proposal
        opened = [
            (ticket, each.value)
            for ticket, put in enumerate(self.store.puts, start=1)
            for each in put.entries
            if each.kind == 'CALL' and each.value['session_id'] == server_call_id
        ]
        call = self.it.context.calls.get(server_call_id)
        if call is None or call.idempotent:
            return
        self.sent[proposal.call_id if proposal else server_call_id] += 1
        if not opened:
            self.faults.append(f'{server_call_id} has no record')
        elif opened[0][0] > self.store.synced and self.store.stands_against is None:
            self.faults.append(f'{server_call_id} was sent before its record was on disk')

    def ends(self) -> Counter[str]:
        """How often each goal has ended."""
        entries = (each for put in self.store.puts for each in put.entries)
        return Counter(each.goal_id for each in entries if each.goal_end is not None)

    def goals(self) -> set[str]:
        names = (name for put in self.store.puts for name in put.parts)
        return {name.removeprefix(GOAL) for name in names if name.startswith(GOAL)}

    def saved_ends(self) -> tuple[Json, ...]:
        """The ends of earlier runs that the latest run has found."""
        assert self.saved is not None
        return self.saved.ends

    def saved_goals(self) -> list[str]:
        """Words of the goals that were resumed, in order."""
        assert self.saved is not None
        parts = self.saved.parts
        order = parts.get('goals', {'order': []})['order']
        return [parts[GOAL + goal_id]['goal'] for goal_id in order]
