"""An executive that is killed and started again, on a bench: only its journal and the world stay.

The journal is one in memory whose disk takes what waits when it is told to. What the next life
finds is read by the journal's own reader out of a file of SQLite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
import sqlite3
from typing import TypeVar

from tree_bench import make_bench

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core import journal_records as kinds
from bt_executive.core.calls import CallInput
from bt_executive.core.fakes import FakeRobot
from bt_executive.core.inputs import BatterySeen, PoseSeen, SessionAnswer
from bt_executive.core.journal import Durability, JournalFault
from bt_executive.core.journal_records import LifeBegan, LifeEnded, Record
from bt_executive.core.ports import Json, Proposal
from bt_executive.core.tracer import Tracer
from bt_executive.journal.past import Past
from bt_executive.journal.reading_past import read_past
from bt_executive.journal.rows import Entry, Stamp, table_of
from bt_executive.journal.schema import migrate, migrations
from bt_executive.tree.resume import resume
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint

Kind = TypeVar('Kind', bound=Record)


def past_of(entries: list[Entry[Record]]) -> Past | None:
    """What a life finds in a file with these entries."""
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        migrate(connection, migrations())
        for entry in entries:
            table = table_of(type(entry.record))
            connection.execute(table.insert, table.row(entry))
        return read_past(connection)


@dataclass
class DiskJournal:
    """A journal whose disk is slow or fails. `synced`: how many entries are on disk for sure."""

    entries: list[Entry[Record]] = field(default_factory=list)
    synced: int = 0
    life: int = 0
    at_once: bool = True
    stands_against: JournalFault | None = None
    unkept: Durability = Durability.NEVER

    def put(self, now: Now, record: Record) -> int:
        at = Stamp(now.ros, now.robot, now.steady, now.steady)
        self.entries.append(Entry(len(self.entries) + 1, self.life, at, record))
        if self.at_once and self.stands_against is None:
            self.synced = len(self.entries)
        return len(self.entries)

    def durable(self, ticket: int) -> Durability:
        if ticket <= self.synced:
            return Durability.ON_DISK
        return Durability.WAITING if self.stands_against is None else self.unkept

    def sync(self) -> None:
        if self.stands_against is None:
            self.synced = len(self.entries)

    def fault(self) -> JournalFault | None:
        return self.stands_against

    def close(self, now: Now, how: str, within_s: float) -> None:
        self.put(now, LifeEnded(how=how))

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The records of one class, in order."""
        return [each.record for each in self.entries if isinstance(each.record, kind)]


class WitnessRobot(FakeRobot):
    """Tells `seen` of each request before it goes out."""

    seen: Callable[[str, Endpoint], None]

    def send(
        self, session_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        self.seen(session_id, endpoint)
        super().send(session_id, endpoint, arguments, goal_id)


class Lives:
    """One robot, one journal, and one executive after the other.

    Attributes:
        sent: How often a call that must not be made twice went out, by the proposal's id.
        faults: What must not be, in sentences.
    """

    def __init__(self, *overrides: str) -> None:
        self.overrides = overrides
        self.journal = DiskJournal()
        self.sent: Counter[str] = Counter()
        self.faults: list[str] = []
        self.has: set[str] = set()  # goals that the actions' servers know
        self.now = self.ros = 100.0
        self.proposals = 0
        self.ended: list[str] = []
        self.begin()

    @property
    def disk(self) -> list[Entry[Record]]:
        return self.journal.entries

    def begin(self) -> None:
        """The next life, with what the disk has."""
        past = past_of(self.disk)
        self.journal.life += 1
        life = self.journal.life
        it = self.it = make_bench(*[None] * 500, overrides=self.overrides)
        it.now = self.now
        it._ros, it._at = self.ros, self.now
        robot = WitnessRobot(it.inbox, has=self.has)
        robot.seen = self._witness
        robot.reply = it.robot.reply
        it.robot = robot
        self.journal.put(
            it.moment,
            LifeBegan(run_id=f'run-{life}', run_dir='', pid=1, boot_id='b', version='1'),
        )
        ports = replace(it.context.ports, journal=self.journal, robot=robot)
        known = resume(ports, life, past, ApprovalRegistry(f'life{life}'))
        tracer = Tracer(f'run-{life}', [it._trace, it.memory], lambda: it.now)
        it.recast(known, journal=self.journal, robot=robot, tracer=tracer)
        self.past = past

    def crash(self, cut: int | None = None, ros: float | None = None) -> None:
        """Power is lost: what is not on disk is gone. `cut`: so many entries have got there.

        `ros`: what ROS time is at the next start; it goes on, if that is left out.
        """
        self.ended += self.it.reporter.ended_ids
        self._rest()
        self.ros = self.ros if ros is None else ros
        kept = self.journal.synced if cut is None else max(cut, self.journal.synced)
        self.journal = replace(self.journal, entries=self.disk[:kept])
        self.journal.synced = len(self.disk)
        self.begin()

    def shut_down(self) -> None:
        """A clean stop, and the next start."""
        self.it.executive.shut_down()
        self.journal.close(self.it.moment, 'shut down', 1.0)
        self.ended += self.it.reporter.ended_ids
        self.journal.sync()
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
        it.inbox.put(BatterySeen(it.now, 100.0))
        it.inbox.put(PoseSeen(it.now, x, 0.0, 0.0, 0.0, it.now))
        it.status(mast='closed', mast_is_open=False, moving=False)

    def tick(self, after: float = 0.1) -> None:
        self.it.tick(after=after)

    def answer(self, happened: CallInput = CallInput.SUCCEED, **fields: object) -> None:
        """The server of the latest request has its say."""
        session, _ = self.it.robot.sent[-1]
        self.it.inbox.put(SessionAnswer(session, happened, fields))

    def _witness(self, session_id: str, endpoint: Endpoint) -> None:
        context = self.it.context
        opened = [
            (entry.number, entry.record)
            for entry in self.disk
            if isinstance(entry.record, kinds.CallOpened) and entry.record.session_id == session_id
        ]
        if not opened:
            self.faults.append(f'{session_id} has no record')
            return
        number, record = opened[-1]
        if record.idempotent:
            return
        proposal = context.round.proposal
        self.sent[proposal.call_id if proposal else session_id] += 1
        if number > self.journal.synced and self.journal.stands_against is None:
            self.faults.append(f'{session_id} was sent before its record was on disk')

    def ends(self) -> Counter[str]:
        """How often each goal has ended."""
        return Counter(each.goal_id for each in self.journal.of(kinds.GoalEnded))

    def goals(self) -> set[str]:
        return {each.goal_id for each in self.journal.of(kinds.GoalReceived)}
