"""Runs of the whole tree that are all different: worlds, faults, approvals, preemptions, clocks.

Everything is drawn from a seed and recorded as the executive's node records it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
import random
from typing import Any, Literal

from drawn_lives import DrawnLives
from lives import DiskStore, saved_of
from outside import (
    ENDINGS,
    GARBAGE,
    GOOD,
    INVALID,
    LONG,
    MASTS,
    REFUSED,
    SERVER_WORDS,
    SETUPS,
    VALID,
    WORDS,
)
from recorded_run import RecordedExecutive, RecordedFolder
from tree_bench import TreeBench

from bt_executive.core.executive_ports import (
    Notice,
    PendingResult,
    Proposal,
    StreamChunk,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    ParametersSet,
    PauseRequested,
    PoseReceived,
    ReadinessReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
    ZonesReceived,
)
from bt_executive.core.requested_acts import RequestedAct, RequestedActs
from bt_executive.core.store_port import Durability, Saved, StoreCode
from bt_executive.store.run_configuration_and_metadata import RunMetadata
from bt_executive.tree.resume_from_checkpoints import RunBegins
from rover_common.clocks import Standstill, append_standstill
from rover_common.config.settings import KeepOutZone
from rover_common.llm.model_usage import ModelUse
from rover_common.reason import Reason

HAPPENINGS = 40
FLOOD = 1010  # more than the inbox takes
MORE_TOOLS: list[tuple[str, dict[str, Any]]] = [
    ('list_nodes', {}),
    ('read_topic', {'topic': '/tf'}),
    ('navigate_to', {'x': 1, 'y': 2}),
]
ANSWERS: list[tuple[Literal['approve', 'edit', 'reject'], dict[str, float] | None]] = [
    *(('approve', None), ('approve', None)),
    *(('edit', {'duration_s': 1.0}), ('reject', None)),
]
GOALS_ASK_FOR = [
    RequestedActs(),
    RequestedActs((RequestedAct('take a picture', ('capture_and_score',)),)),
    RequestedActs(
        (RequestedAct('drive 4 s', ('move_forward',), {}, {'move_forward': ('duration_s', 4.0)}),)
    ),
    RequestedActs(unknown='the encoder is not installed'),
]
PIT = KeepOutZone(name='pit', polygon=((0.5, -1.0), (3.0, -1.0), (3.0, 1.0), (0.5, 1.0)))


class SlowGraph:
    """Reads the graph when it is told to."""

    def __init__(self) -> None:
        self.open: list[PendingResult[ToolResult]] = []

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """See `GraphReader.read`."""
        self.open.append(PendingResult[ToolResult]())
        return self.open[-1]


class SlowReader:
    """Has read a goal when it is told to."""

    def __init__(self) -> None:
        self.open: list[PendingResult[RequestedActs]] = []

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """See `GoalReader.read`."""
        self.open.append(PendingResult[RequestedActs]())
        return self.open[-1]


class VariedRun:
    """One run into `folder`, drawn from `seed`."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.bench = bench = TreeBench(repeat(None), chance.choice(SETUPS))
        self.graph = SlowGraph()
        self.reader = SlowReader()
        bench.recast(graph=self.graph, reader=self.reader)
        bench.robot.reply = chance.choice([GOOD, GOOD, None])
        metadata = RunMetadata(bench.context.tracer.run_id, bench.context.config)
        self.folder = RecordedFolder(folder, metadata, bench.context.approvals.run_token)
        self.store = DiskStore(run=7)
        saved = self._saved(seed) if seed % 3 == 0 else None
        kept = self.store if seed % 3 != 1 else None
        begins = RunBegins(7, saved, bench.moment) if kept else None
        self.executive = RecordedExecutive(bench, self.folder, kept, begins)
        self.asked: list[str] = []
        self.standstills = bench.moment.standstills
        self.happenings: list[Callable[[], None]] = [
            *[self.all_is_well, self.goal, self.proposal, self.proposal, self.long_tool] * 2,
            *(self.status, self.battery, self.pose, self.zones, self.readiness, self.parameters),
            *(self.words, self.by_hand, self.cancel, self.interrupt, self.approval, self.approval),
            *(self.answer, self.answer, self.servers, self.safety, self.reset, self.ending),
            *(self.costs, self.news, self.reads, self.clock, self.suspension, self.nonsense),
            *(self.quiet, self.quiet, self.disk, self.disk),
        ]

    def _saved(self, seed: int) -> Saved | None:
        """What other executives have left open, killed at some moment."""
        processes = DrawnLives(seed)
        processes.play(happenings=10)
        processes.has.update(processes.it.robot.goals.values())
        self.bench.robot.has |= processes.has
        return saved_of(processes.store.puts[: self.chance.randint(1, len(processes.store.puts))])

    def play(self) -> None:
        """Lets things happen, and ends the run; one in four is killed."""
        self.all_is_well()
        self.goal()
        for _ in range(HAPPENINGS):
            self.chance.choice(self.happenings)()
            for _ in range(self.chance.choice([0, 1, 1, 2, 5])):
                self.tick(self.chance.choice([0.0, 0.02, 0.1, 0.1, 0.5, 1.4]))
        if self.chance.random() < 0.02:
            self.flood()
        if self.chance.random() < 0.75:
            self.executive.shut_down()
        self.folder.close(60.0)

    def tick(self, after: float) -> None:
        """A tick, mostly with a word of the adapter."""
        self.bench.now += after
        if self.chance.random() < 0.7:
            self.bench.status()
        self.executive.step(replace(self.bench.moment, standstills=self.standstills))

    # --- the world

    def all_is_well(self) -> None:
        self.bench.inbox.put(BatteryReceived(self.bench.now, 100.0))
        self.bench.inbox.put(PoseReceived(self.bench.now, 0.0, 0.0, 0.0))
        self.bench.status(**MASTS[0], moving=False)
        self.bench.inbox.put(ResetRequested('the operator'))
        self.bench.inbox.put(ResumeRequested('the operator'))
        self.tick(0.0)

    def status(self) -> None:
        self.bench.status(
            **self.chance.choice(MASTS), moving=self.chance.choice([False, True, None])
        )

    def battery(self) -> None:
        percent = self.chance.choice([0.0, 19.9, 59.9, 60.0, 100.0, 100.0])
        self.bench.inbox.put(BatteryReceived(self.bench.now, percent))

    def pose(self) -> None:
        x, tilt = self.chance.uniform(0.0, 12.0), self.chance.choice([0.0, 0.0, 0.0, 0.7])
        self.bench.inbox.put(PoseReceived(self.bench.now, x, 0.0, 0.0, tilt, self.bench.now))

    def zones(self) -> None:
        self.bench.inbox.put(ZonesReceived(self.chance.choice([(), (PIT,)])))

    def readiness(self) -> None:
        reason = self.chance.choice(['', 'no picture yet'])
        parts = ['environment_simulator: camera', 'curiosity_navigation: path']
        self.bench.inbox.put(
            ReadinessReceived({self.chance.choice(parts): reason} if reason else {})
        )

    def clock(self) -> None:
        self.bench.run_clock(self.chance.choice([0.0, 1.0, 20.0]), self.chance.choice([0.0, -5.0]))

    def suspension(self) -> None:
        self.bench.now += 7.0
        self.standstills = append_standstill(self.standstills, Standstill(self.bench.now, 7.0))

    def quiet(self) -> None:
        for _ in range(8):
            self.bench.now += 0.1
            self.executive.step(replace(self.bench.moment, standstills=self.standstills))

    # --- people

    def goal(self) -> None:
        self.ask(
            'find light',
            priority=self.chance.randint(-1, 2),
            preemptible=self.chance.random() < 0.7,
            deadline=self.chance.choice([None, None, self.bench.now + 3.0]),
            approve_all=self.chance.random() < 0.2,
        )

    def words(self) -> None:
        self.ask(self.chance.choice(WORDS)[0])

    def by_hand(self) -> None:
        tool, arguments = self.chance.choice(VALID)
        self.ask('by hand', tool=tool, arguments=arguments)

    def ask(self, words: str, **fields: object) -> None:
        task_id = f'goal-{len(self.asked) + 1}'
        self.asked.append(task_id)
        task = replace(Task(task_id, words), **fields)  # type: ignore[arg-type]
        self.bench.inbox.put(GoalReceived(task))

    def cancel(self) -> None:
        self.bench.inbox.put(GoalCancelled(self.chance.choice(self.asked), 'changed my mind'))

    def interrupt(self) -> None:
        wanted: list[Input] = [StopRequested('me'), PauseRequested('me'), ResumeRequested('me')]
        self.bench.inbox.put(self.chance.choice(wanted))

    def approval(self) -> None:
        ids = [each.request_id for each in self.bench.context.approvals.waiting()]
        action, arguments = self.chance.choice(ANSWERS)
        request = self.chance.choice([*ids * 4, 'ask-of-nobody'])
        self.bench.inbox.put(ApprovalGiven(request, action, arguments, 'so be it'))

    def parameters(self) -> None:
        values = [
            ('goal.max_distance_m', 0.5),
            ('battery.low_pct', 50.0),
            ('goal.max_wall_s', 9.0),
        ]
        key, value = self.chance.choice(values)
        self.bench.inbox.put(ParametersSet({f'executive.{key}': value}))

    def flood(self) -> None:
        for _ in range(FLOOD):
            self.bench.inbox.put(ApprovalGiven('ask-of-nobody', 'approve'))
        self.tick(0.1)

    # --- the servers

    def answer(self) -> None:
        if self.bench.robot.sent:
            server_call_id, _ = self.chance.choice(self.bench.robot.sent[-4:])
            happened = self.chance.choice(SERVER_WORDS)
            fields = self.chance.choice([GOOD, GOOD, REFUSED, *GARBAGE])
            self.bench.inbox.put(
                ServerCallUpdate(server_call_id, happened, fields, 'the server says so')
            )

    def servers(self) -> None:
        absent = self.chance.choice([set(), {'/adapter/move_forward'}, {'/capture_and_score'}])
        self.bench.robot.absent = absent
        self.bench.robot.reply = self.chance.choice([GOOD, GOOD, None])

    def disk(self) -> None:
        """Late, full, or taking what waits."""
        self.store.sync()
        self.store.at_once = self.chance.random() < 0.4
        self.store.unkept = self.chance.choice([Durability.NEVER, Durability.NOT_KEPT])
        full = Reason(StoreCode.DISK_FULL, 'the disk is full')
        self.store.stands_against = full if self.chance.random() < 0.2 else None

    def safety(self) -> None:
        self.bench.inbox.put(SafetyEvent('cliff ahead', '/safety_events'))

    def reset(self) -> None:
        self.bench.inbox.put(ResetRequested('the operator'))

    def reads(self) -> None:
        while self.reader.open:
            self.reader.open.pop().result = self.chance.choice(GOALS_ASK_FOR)
        while self.graph.open:
            self.graph.open.pop().result = ToolResult(ok=True, data={'nodes': ['/rover']})

    # --- the planner

    def proposal(self) -> None:
        self.bench.planner.say(
            Proposal('call', *self.chance.choice([*VALID, *MORE_TOOLS]), 'because')
        )

    def long_tool(self) -> None:
        self.all_is_well()
        self.bench.planner.say(Proposal('call', *self.chance.choice(LONG)))

    def nonsense(self) -> None:
        self.bench.planner.say(Proposal('call', *self.chance.choice(INVALID)))

    def ending(self) -> None:
        self.bench.planner.say(self.chance.choice(ENDINGS))

    def costs(self) -> None:
        costs = self.bench.planner.costs
        self.bench.planner.costs = costs + ModelUse(1, self.chance.randint(10, 900), 40, 0.01)

    def news(self) -> None:
        notice = Notice('The model is slow', ok=self.chance.random() < 0.5)
        self.bench.planner.tells = [StreamChunk('text', 'I think'), notice]
