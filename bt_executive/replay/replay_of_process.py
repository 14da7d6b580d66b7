"""One process of the executive again: the same tree, fed with what was recorded, and compared.

The executive is a function of its configuration and of what its ports tell it in each tick, so it
must ask for the same and tell the same. Compared are all events of the trace, with verdicts,
every guard's reading, decisions and the winning branch in them, and all that was asked of robot,
planner and ROS graph: requests, cancellations, stops and permits. Not compared are stamps (`ts`)
and ids of events, which are those of the moment in which they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import json
from typing import Any

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.inputs import Input
from bt_executive.core.recent_events import MemorySink
from bt_executive.core.state import BrainState
from bt_executive.core.trace_fields import TraceData, TraceFields
from bt_executive.core.tracer import Tracer
from bt_executive.replay import recorded_lines_decoding
from bt_executive.replay.recorded_ticks import DAMAGE, RecordedProcess, RecordedTick, damaged
from bt_executive.replay.replayed_ports import (
    Call,
    Tape,
    asked_in,
    replayed_ports,
)
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.tick_recorder import DRAIN, RecordKind
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.state_between_ticks import PersistentState
from bt_executive.tree.tree_ports import Ports
from bt_executive.tree.tree_summary import TreeSummary, summarise
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.errors import JournalError
from rover_common.trace_event import TraceEvent, event_to_json

TREE = 'tree'  # the summary of the tick in an event's data
OF_THE_MOMENT = frozenset({'ts', 'event_id'})


@dataclass(frozen=True)
class Difference:
    """The first thing that is not as recorded. None: there is nothing on that side.

    `kind`: `event` of the trace, or `call` of a port. `before`: the latest tick after which the
    recorded state is known, too, and the replayed state after that one. `after`, `tree`: the
    replayed state and tree after this tick.
    """

    tick: RecordedTick
    kind: str
    recorded: Any
    replayed: Any
    before: tuple[int, BrainState] | None
    after: BrainState
    tree: TreeSummary


class KeptEvents:
    """Keeps the events of a tick."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []

    def emit(self, event: TraceEvent) -> None:
        """See `TraceSink.emit`."""
        self.events.append(event)


Decided = Callable[[TraceFields], None]  # takes the fields of an event DECIDE about a tool


def _nobody(_fields: TraceFields) -> None:
    """Hears nothing."""


class ListenedTracer(Tracer):
    """Tells `decided` of each decision on a tool in the moment in which it is made."""

    decided: Decided = staticmethod(_nobody)

    def add(self, fields: dict[str, Any]) -> None:
        """See `Tracer.add`."""
        super().add(fields)
        if fields['kind'] == 'DECIDE' and fields['tool_name']:
            data: TraceData = fields['data'] or TraceData()
            self.decided(
                {'ok': fields['ok'], 'error_reason': fields['error_reason'], 'data': data}
            )


class Replay:
    """Steps through a process.

    Attributes:
        context: Of the tree, as it was after the latest step.
        tracer: Tells of decisions while they are made.

    Raises:
        ConfigError: The tools of the configuration cannot be used.
        RecordingError: What the run was resumed from is damaged.
    """

    def __init__(self, process: RecordedProcess, config: Config) -> None:
        self._process = process
        self._known: tuple[int, BrainState] | None = None
        self._tape = Tape()
        self._trace = KeptEvents()
        memory = MemorySink(config.prompts.memory.max_events)
        self.tracer = ListenedTracer(
            process.run_id, [self._trace, memory], lambda: self.context.now.ros
        )
        ports = replayed_ports(self._tape, self.tracer, memory)
        registry, approvals = Registry(config), ApprovalRegistry(process.approvals)
        known = _known(process, ports, config, registry, approvals)
        self.context = Context(config, registry, ports, known)
        self.executive = Executive(self.context)

    @property
    def events(self) -> Sequence[TraceEvent]:
        """The events of the latest tick."""
        return self._trace.events

    @property
    def asked(self) -> Sequence[Call]:
        """What the latest tick asked of its ports."""
        return self._tape.asked

    def told(self, tick: RecordedTick) -> list[Input]:
        """The events of the inbox in a tick.

        Raises:
            RecordingError: A line of the tick is damaged.
        """
        self._load(tick)
        return [
            each
            for (port, _), events in self._tape.told.items()
            if port == DRAIN
            for each in events
        ]

    def step(self, tick: RecordedTick) -> Difference | None:
        """Does a recorded tick again; returns what is first not as recorded.

        Raises:
            RecordingError: A line of the tick is damaged.
        """
        self._load(tick)
        self._trace.events = []
        for ros, robot, steady in self._tape.read(RecordKind.QUIET):
            self._step_quietly(Now(ros, robot, steady, self.context.now.standstills))
        for sentence in self._tape.read(RecordKind.FAULT):
            self.context.tracer.emit('ERROR', sentence)
        if tick.ends_process:
            self.context.begin_tick(tick.now)
            self.executive.shut_down()
        else:
            self.executive.step(tick.now)
        found = self._compare(tick)
        before, state = self._known, self.context.state
        if tick.number in self._process.states:
            self._known = tick.number, state
        tree = summarise(self.executive.root)
        return Difference(tick, *found, before, state, tree) if found else None

    def _compare(self, tick: RecordedTick) -> tuple[str, Any, Any] | None:
        """Events, calls, and last what all events of a tick share: which branch has won."""
        replayed = [json.loads(event_to_json(each)) for each in self._trace.events]
        recorded, replayed = [*map(_comparable, tick.events)], [*map(_comparable, replayed)]
        return (
            _first_difference(
                'event', *([*map(_without_tree, each)] for each in (recorded, replayed))
            )
            or _first_difference('call', asked_in(tick), self._tape.asked)
            or _first_difference('event', recorded, replayed)
        )

    def _step_quietly(self, now: Now) -> None:
        """A tick to which nothing was told; if it does anything now, that is a difference."""
        told, self._tape.told = self._tape.told, {}
        self.executive.step(now)
        self._tape.told = told
        self._tape.calls.clear()

    def _load(self, tick: RecordedTick) -> None:
        try:
            self._tape.load(tick)
        except DAMAGE as error:
            raise damaged(tick, error) from None


def _known(
    process: RecordedProcess,
    ports: Ports,
    config: Config,
    registry: Registry,
    approvals: ApprovalRegistry,
) -> PersistentState:
    """What the run knew at first, loaded as its executive did."""
    begins = RunBegins()
    for tick in process.ticks[:1]:
        for entry in tick.entries:
            if entry.event == RecordKind.BEGINS.value:
                try:
                    begins = recorded_lines_decoding.beginning_of(entry)
                    return resume(ports, config, registry, begins, approvals)
                except (*DAMAGE, JournalError) as error:
                    raise damaged(tick, error) from None
    return resume(ports, config, registry, begins, approvals)


def _comparable(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in OF_THE_MOMENT}


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
    """By the text: a number that is none (NaN) is the same as itself."""
    return json.dumps(value, sort_keys=True)
