"""Replays one process of the executive: runs the same tree on recorded inputs, and compares.

The executive is a function of its configuration and of the results of its ports in each tick, so a
replay must make the same requests and the same trace events. Compared are all trace events, with
verdicts, the reading of every guard, decisions and the winning branch, and all requests to robot,
planner and ROS graph, including cancellations, stops and permits. Not compared are the stamps
(`ts`) and ids of events, which depend on the time of writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
import json
from typing import Any

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.inputs import Input
from bt_executive.core.state import BrainState
from bt_executive.core.trace import MemorySink, TraceData, TraceFields, Tracer
from bt_executive.replay.recorded_run import RecordedRun
from bt_executive.replay.recorded_ticks import DAMAGE, RecordedProcess, RecordedTick, damaged
from bt_executive.replay.replayed_ports import (
    Call,
    Tape,
    decode,
    recorded_requests,
    replayed_ports,
)
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.tick_recorder import DRAIN, RecordKind
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.tree_ports import Ports
from bt_executive.tree.tree_summary import TreeSummary, summarise
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.errors import JournalError
from rover_common.trace_event import TraceEvent, event_to_json

TREE = 'tree'  # the summary of the tick in an event's data
NOT_COMPARED = frozenset({'ts', 'event_id'})


@dataclass(frozen=True)
class Difference:
    """The first difference between a recording and its replay.

    Attributes:
        kind: `event` of the trace, or `call` of a port.
        recorded: None: the replay has an additional one.
        replayed: None: the replay lacks it.
        before: The latest earlier tick with a recorded state, and the replayed state after it.
        after: The replayed state after this tick.
        tree: The replayed tree after this tick.
    """

    tick: RecordedTick
    kind: str
    recorded: Any
    replayed: Any
    before: tuple[int, BrainState] | None
    after: BrainState
    tree: TreeSummary


class EventList:
    """A trace sink that collects the events of a tick."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []

    def emit(self, event: TraceEvent) -> None:
        """See `TraceSink.emit`."""
        self.events.append(event)


OnDecision = Callable[[TraceFields], None]  # receives the fields of a DECIDE event on a tool


def _ignore(_fields: TraceFields) -> None:
    """Default of `ObservedTracer.on_decision`."""


class ObservedTracer(Tracer):
    """A tracer that calls `on_decision` for each decision on a tool, while it is made."""

    on_decision: OnDecision = staticmethod(_ignore)

    def add(self, fields: dict[str, Any]) -> None:
        """See `Tracer.add`."""
        super().add(fields)
        if fields['kind'] == 'DECIDE' and fields['tool_name']:
            data: TraceData = fields['data'] or TraceData()
            self.on_decision(
                {'ok': fields['ok'], 'error_reason': fields['error_reason'], 'data': data}
            )


class Replay:
    """Replays a process step by step.

    Attributes:
        context: Of the tree, after the latest step.
        tracer: Calls back for each decision.

    Raises:
        ConfigError: The tools of the configuration cannot be used.
        RecordingError: The recorded begin of the run is damaged.
    """

    def __init__(self, process: RecordedProcess, config: Config) -> None:
        self._process = process
        self._latest_state: tuple[int, BrainState] | None = None  # whose recorded one exists
        self._tape = Tape()
        self._trace = EventList()
        memory = MemorySink(config.prompts.memory.max_events)
        self.tracer = ObservedTracer(
            process.run_id, [self._trace, memory], lambda: self.context.now.ros
        )
        ports = replayed_ports(self._tape, self.tracer, memory)
        registry, approvals = Registry(config), ApprovalRegistry(process.approvals)
        persistent = _resume(process, ports, config, registry, approvals)
        self.context = Context(config, registry, ports, persistent)
        self.executive = Executive(self.context)

    @property
    def events(self) -> Sequence[TraceEvent]:
        """The events of the latest tick."""
        return self._trace.events

    @property
    def requests(self) -> Sequence[Call]:
        """The requests of the latest tick to its ports."""
        return self._tape.requests

    def inputs(self, tick: RecordedTick) -> list[Input]:
        """Return the inputs of a tick.

        Raises:
            RecordingError: A line of the tick is damaged.
        """
        self._load(tick)
        return [
            event
            for (port, _), events in self._tape.values.items()
            if port == DRAIN
            for event in events
        ]

    def step(self, tick: RecordedTick) -> Difference | None:
        """Replays a tick; returns the first difference.

        Raises:
            RecordingError: A line of the tick is damaged.
        """
        self._load(tick)
        self._trace.events = []
        for ros, robot, steady in self._tape.read(RecordKind.QUIET):
            self._step_without_inputs(Now(ros, robot, steady, self.context.now.standstills))
        for sentence in self._tape.read(RecordKind.FAULT):
            self.context.tracer.emit('ERROR', sentence)
        if tick.ends_process:
            self.context.begin_tick(tick.now)
            self.executive.shut_down()
        else:
            self.executive.step(tick.now)
        difference = self._compare(tick)
        before, state = self._latest_state, self.context.state
        if tick.number in self._process.states:
            self._latest_state = tick.number, state
        tree = summarise(self.executive.root)
        return Difference(tick, *difference, before, state, tree) if difference else None

    def _compare(self, tick: RecordedTick) -> tuple[str, Any, Any] | None:
        """Compares events, then calls, and last the tree summaries in the events."""
        replayed = [json.loads(event_to_json(each)) for each in self._trace.events]
        recorded, replayed = [*map(_comparable, tick.events)], [*map(_comparable, replayed)]
        return (
            _first_difference(
                'event', *([*map(_without_tree, side)] for side in (recorded, replayed))
            )
            or _first_difference('call', recorded_requests(tick), self._tape.requests)
            or _first_difference('event', recorded, replayed)
        )

    def _step_without_inputs(self, now: Now) -> None:
        """Replays a quiet tick; anything that it does is a difference."""
        values, self._tape.values = self._tape.values, {}
        self.executive.step(now)
        self._tape.values = values
        self._tape.calls.clear()

    def _load(self, tick: RecordedTick) -> None:
        try:
            self._tape.load(tick)
        except DAMAGE as error:
            raise damaged(tick, error) from None


@dataclass(frozen=True)
class Moment:
    """A replayed tick. `replay` has the tree and the state after it."""

    process: RecordedProcess
    tick: RecordedTick
    replay: Replay
    before: BrainState
    difference: Difference | None


def replay(run: RecordedRun, config: Config) -> Iterator[Moment]:
    """Replays a run tick by tick, up to the first difference.

    Raises:
        RecordingError: A line is damaged.
        ConfigError: The tools of the configuration cannot be used.
    """
    for process in run.processes:
        player = Replay(process, config)
        for tick in process.ticks:
            before = player.context.state
            difference = player.step(tick)
            if difference is not None and process.cut and tick is process.ticks[-1]:
                difference = None  # the recording ends within this tick
            yield Moment(process, tick, player, before, difference)
            if difference is not None:
                return


def _resume(
    process: RecordedProcess,
    ports: Ports,
    config: Config,
    registry: Registry,
    approvals: ApprovalRegistry,
) -> PersistentState:
    """Return the initial state of the run, loaded as by its executive."""
    begins = RunBegins()
    for tick in process.ticks[:1]:
        for entry in tick.entries:
            if entry.event == RecordKind.BEGINS.value:
                try:
                    begins = decode(RunBegins, entry.fields, entry)
                    return resume(ports, config, registry, begins, approvals)
                except (*DAMAGE, JournalError) as error:
                    raise damaged(tick, error) from None
    return resume(ports, config, registry, begins, approvals)


def _comparable(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in NOT_COMPARED}


def _without_tree(event: dict[str, Any]) -> dict[str, Any]:
    data = {key: value for key, value in (event.get('data') or {}).items() if key != TREE}
    return {**event, 'data': data}


def _first_difference(
    kind: str, recorded: Sequence[Call | Any], replayed: Sequence[Call | Any]
) -> tuple[str, Any, Any] | None:
    for index in range(max(len(recorded), len(replayed))):
        was = recorded[index] if index < len(recorded) else None
        now = replayed[index] if index < len(replayed) else None
        if _text(was) != _text(now):
            return kind, was, now
    return None


def _text(value: Any) -> str:
    """Return JSON text, in which NaN equals itself."""
    return json.dumps(value, sort_keys=True)
