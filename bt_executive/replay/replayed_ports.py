"""The ports of the executive in a replay: they return recorded values and collect requests.

The values of a tick are decoded before it begins, so that a damaged line is reported as such and
not as an exception of a behaviour.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from bt_executive.core.executive_ports import (
    Barred,
    Found,
    Json,
    Notice,
    PendingResult,
    PlannerContext,
    PlannerNews,
    PlannerOutput,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import Durability, NoStore, StoreFault
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.replay import recorded_lines_decoding
from bt_executive.replay.recorded_ticks import RecordedTick
from bt_executive.store.recording_ports import (
    goal_fields,
    result_fields,
    send_fields,
    start_fields,
)
from bt_executive.store.run_folder_formats import InboxEntry
from bt_executive.store.tick_recorder import DRAIN, REQUEST_KINDS, RecordKind
from bt_executive.tree.tree_ports import Ports
from rover_common.config.settings import Endpoint
from rover_common.json_values import to_json_value
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit

REQUEST_NAMES = frozenset(note.value for note in REQUEST_KINDS)
READERS: Mapping[str, Callable[[InboxEntry], Any]] = {
    RecordKind.POLL.value: recorded_lines_decoding.output_of,
    RecordKind.NEWS.value: recorded_lines_decoding.notice_of,
    RecordKind.USE.value: recorded_lines_decoding.use_of,
    RecordKind.READING.value: lambda entry: (
        entry.fields.get('reading'),
        recorded_lines_decoding.result_of(entry),
    ),
    RecordKind.ASKED_FOR.value: recorded_lines_decoding.requested_acts_of,
    RecordKind.READY.value: lambda entry: (
        entry.fields.get('endpoint'),
        bool(entry.fields['ready']),
    ),
    RecordKind.DROPPED.value: lambda entry: int(entry.fields['count']),
    RecordKind.QUIET.value: lambda entry: tuple(
        float(entry.fields[key]) for key in ('ts', 'robot', 'steady')
    ),
    RecordKind.PERMIT.value: lambda entry: recorded_lines_decoding.heartbeat_of(entry, Permit()),
    RecordKind.DURABLE.value: lambda entry: Durability[entry.fields['durable']],
    RecordKind.STORE.value: recorded_lines_decoding.fault_of,
    RecordKind.FAULT.value: lambda entry: str(entry.fields['sentence']),
}
Call = tuple[str, dict[str, Any]]  # a request to a port, with its arguments as JSON values
ANSWER_FIELDS = frozenset({'sender', 'sequence', 'sent_at'})  # of the line of a permit


class Tape:
    """The recorded values of the current tick, by port and call number, and its requests."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, int], list[Any]] = {}
        self.calls: Counter[str] = Counter()
        self.requests: list[Call] = []

    def load(self, tick: RecordedTick) -> None:
        """Loads the next tick.

        Raises:
            RecordingError, KeyError, TypeError, ValueError: A line is damaged.
        """
        values: dict[tuple[str, int], list[Any]] = defaultdict(list)
        for entry in tick.entries:
            if recorded_lines_decoding.is_event(entry):
                values[DRAIN, entry.nth].append(recorded_lines_decoding.event_of(entry))
            elif entry.event in READERS:
                values[entry.event, entry.nth].append(READERS[entry.event](entry))
        self.values, self.requests = dict(values), []
        self.calls.clear()

    def read(self, name: RecordKind | str) -> list[Any]:
        """Return the recorded values of this call of a port."""
        key = name.value if isinstance(name, RecordKind) else name
        self.calls[key] += 1
        return self.values.get((key, self.calls[key]), [])

    def request(self, kind: RecordKind, fields: Json) -> None:
        """Collects a request to a port."""
        self.requests.append((kind.value, to_json_value(fields)))


def recorded_requests(tick: RecordedTick) -> list[Call]:
    """Return the requests of a recorded tick."""
    return [
        (entry.event, {key: v for key, v in entry.fields.items() if key not in ANSWER_FIELDS})
        for entry in tick.entries
        if entry.event in REQUEST_NAMES
    ]


class ReplayedInbox(Inbox):
    """Returns the recorded inputs, which include those of the tree itself."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape, self._count = tape, 0

    def put(self, event: Input) -> str:
        """Does nothing: the recording has the input."""
        del event
        return ''

    def drain(self) -> list[Input]:
        return self._tape.read(DRAIN)

    @property
    def dropped(self) -> int:
        for count in self._tape.read(RecordKind.DROPPED):
            self._count = count
        return self._count


class ReplayedPlanner:
    """Returns the recorded outputs of the planner."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._use = ModelUse()

    def start(self, goal: str, context: PlannerContext) -> None:
        self._tape.request(RecordKind.START, start_fields(goal, context))

    def poll(self) -> PlannerOutput | None:
        return next(iter(self._tape.read(RecordKind.POLL)), None)

    def give(self, result: ToolResult, barred: Barred = ()) -> None:  # noqa: ARG002 - follows
        self._tape.request(RecordKind.GIVE, result_fields(result))

    def cancel(self) -> None:
        self._tape.request(RecordKind.CANCEL_PLANNER, {})

    def news(self) -> tuple[PlannerNews, ...]:
        """See `Planner.news`; streamed text is not recorded."""
        notices: list[Notice] = self._tape.read(RecordKind.NEWS)
        return tuple(notices)

    def use(self) -> ModelUse:
        for use in self._tape.read(RecordKind.USE):
            self._use = use
        return self._use

    def close(self, within_s: float = 0.0) -> None:
        """See `Planner.close`."""


class ReplayedRobot:
    """Returns the recorded answers of the robot; sends nothing."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._ready: dict[str, bool] = {}
        self._heartbeat = Heartbeat('', 0, 0.0)

    def ready(self, endpoint: Endpoint) -> bool:
        self._ready |= dict(self._tape.read(RecordKind.READY))
        return self._ready.get(endpoint.name, True)

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        self._tape.request(
            RecordKind.SEND, send_fields(server_call_id, endpoint, arguments, goal_id)
        )

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._tape.request(RecordKind.ADOPT, goal_fields(server_call_id, endpoint, goal_id))

    def cancel(self, server_call_id: str) -> None:
        self._tape.request(RecordKind.CANCEL, {'session': server_call_id})

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._tape.request(RecordKind.CANCEL_AGAIN, goal_fields(server_call_id, endpoint, goal_id))

    def permit(self, permit: Permit) -> Heartbeat:
        self._tape.request(RecordKind.PERMIT, asdict(permit))
        for heartbeat in self._tape.read(RecordKind.PERMIT):
            self._heartbeat = heartbeat
        return replace(self._heartbeat, permit=permit)

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        self._tape.request(
            RecordKind.STOP, {'session': server_call_id, 'past_the_adapter': past_the_adapter}
        )


class ReplayedResult(PendingResult[Found]):
    """A reading that has its result from the same tick on as the recorded one.

    `read` returns the new results since its last call.
    """

    def __init__(self, read: Callable[[], Iterable[Found]]) -> None:
        super().__init__()
        self._read = read
        self._latest: Found | None = None

    @property
    def result(self) -> Found | None:
        for result in self._read():
            self._latest = result
        return self._latest

    @result.setter
    def result(self, result: Found | None) -> None:
        """Does nothing: the recording has the result."""


class ReplayedGraph:
    """Returns the recorded results of queries."""

    def __init__(self, tape: Tape) -> None:
        self._tape, self._count = tape, 0

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        self._count += 1
        self._tape.request(RecordKind.READ, {'reading': self._count, 'what': what, 'topic': topic})
        number = self._count
        return ReplayedResult(
            lambda: [result for of, result in self._tape.read(RecordKind.READING) if of == number]
        )


class ReplayedGoalReader:
    """Returns the recorded results of reading goals."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:  # noqa: ARG002
        self._tape.request(RecordKind.READ_GOAL, {'goal': goal})
        return ReplayedResult(lambda: self._tape.read(RecordKind.ASKED_FOR))


class ReplayedStore(NoStore):
    """Stores nothing; returns the recorded durability and faults."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def durable(self, ticket: int) -> Durability:
        for durable in self._tape.read(RecordKind.DURABLE):
            self._durability = durable
        return super().durable(ticket)

    def fault(self) -> StoreFault | None:
        for fault in self._tape.read(RecordKind.STORE):
            self._fault = fault
        return super().fault()


class NoReporter:
    """A goal reporter without clients."""

    def feedback(self, task: Any, progress: Any, verdict: str, mode: str) -> None:
        """See `GoalReporter.feedback`."""

    def ended(self, task: Any, summary: dict[str, Any]) -> None:
        """See `GoalReporter.ended`; the trace has it."""

    def left_open(self, task: Any, summary: dict[str, Any]) -> None:
        """See `GoalReporter.left_open`; the trace has it."""


def replayed_ports(tape: Tape, tracer: Tracer, memory: MemorySink) -> Ports:
    """Return all ports of an executive, on one tape."""
    return Ports(
        inbox=ReplayedInbox(tape),
        robot=ReplayedRobot(tape),
        planner=ReplayedPlanner(tape),
        reporter=NoReporter(),
        tracer=tracer,
        memory=memory,
        graph=ReplayedGraph(tape),
        reader=ReplayedGoalReader(tape),
        store=ReplayedStore(tape),
    )
