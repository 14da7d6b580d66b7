"""The ports of the executive in a replay: they return recorded values and collect requests.

The values of a tick are decoded from its lines before it begins, so that a damaged line is
reported as such and not as an exception of a behaviour. Unknown fields are refused.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    Found,
    Json,
    Notice,
    PendingResult,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import Durability, NoStore, StoreCode, StoreFault
from bt_executive.core.stored_names import INPUTS, fields_in_code
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.replay.recorded_ticks import RecordedTick
from bt_executive.store.recording_ports import (
    goal_fields,
    result_fields,
    send_fields,
    start_fields,
)
from bt_executive.store.run_folder_formats import InboxEntry
from bt_executive.store.tick_recorder import DRAIN, REQUEST_KINDS, RecordKind
from bt_executive.tree.resume_from_checkpoints import RunBegins
from bt_executive.tree.tree_ports import Ports
from rover_common.config.settings import Endpoint
from rover_common.errors import RecordingError
from rover_common.json_values import to_json_value
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit
from rover_common.reason import Reason

REQUEST_NAMES = frozenset(note.value for note in REQUEST_KINDS)
Call = tuple[str, dict[str, Any]]  # a request to a port, with its arguments as JSON values
ANSWER_FIELDS = frozenset({'sender', 'sequence', 'sent_at'})  # of the line of a permit
OUTPUTS: Mapping[str, type] = {each.__name__: each for each in (Proposal, Answer, PlannerFailure)}
_OTHERS: tuple[type, ...] = (
    *(Notice, ModelUse, ToolResult, Heartbeat, RunBegins),
    RequestedActs,
)
_ADAPTERS: Mapping[type, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (*INPUTS.values(), *OUTPUTS.values(), *_OTHERS)
}
Value = TypeVar('Value')


def decode(kind: type[Value], fields: Mapping[str, Any], entry: InboxEntry) -> Value:
    """Return the value that the fields of a line stand for.

    Raises:
        RecordingError: They do not fit, or have a field that this version does not know.
    """
    fields = fields_in_code(kind, fields)
    try:
        value: Value = _ADAPTERS[kind].validate_python(fields)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = '.'.join(str(part) for part in fault['loc'])
        raise RecordingError(f'{entry.event}: {where!r}: {fault["msg"]}') from None
    unknown = _unknown_in(fields, _ADAPTERS[kind].dump_python(value))
    if unknown:
        raise RecordingError(f'{entry.event}: this version of bt_executive knows no {unknown!r}')
    return value


def _unknown_in(given: Any, read: Any) -> str:
    """Return a field that was not read, as that of a later version, with its path; empty: none."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        for name, each in given.items():
            if name not in read:
                return str(name)[:80]
            if found := _unknown_in(each, read[name]):
                return f'{name}.{found}'
    if isinstance(given, (list, tuple)) and isinstance(read, (list, tuple)):
        return next(filter(None, map(_unknown_in, given, read)), '')
    return ''


def _planner_output(entry: InboxEntry) -> PlannerOutput:
    fields = dict(entry.fields)
    kind = OUTPUTS.get(str(fields.pop('kind', '')))
    if kind is None:
        raise RecordingError(f'a planner gives no {entry.fields.get("kind")!r}')
    output: PlannerOutput = decode(kind, fields, entry)
    return output


def _heartbeat(entry: InboxEntry) -> Heartbeat:
    """Decode the heartbeat that carried a permit."""
    fields = {key: entry.fields.get(key) for key in ANSWER_FIELDS}
    return decode(Heartbeat, {**fields, 'permit': Permit()}, entry)


def _store_fault(entry: InboxEntry) -> StoreFault | None:
    """Decode a fault of the store; None: it has passed."""
    fields = entry.fields
    return Reason(StoreCode[fields['code']], str(fields['sentence'])) if fields else None


READERS: Mapping[str, Callable[[InboxEntry], Any]] = {
    RecordKind.POLL.value: _planner_output,
    RecordKind.NEWS.value: lambda entry: decode(Notice, entry.fields, entry),
    RecordKind.USE.value: lambda entry: decode(ModelUse, entry.fields, entry),
    RecordKind.READING.value: lambda entry: (
        entry.fields.get('reading'),
        decode(ToolResult, entry.fields.get('result', {}), entry),
    ),
    RecordKind.ASKED_FOR.value: lambda entry: decode(RequestedActs, entry.fields, entry),
    RecordKind.READY.value: lambda entry: (
        entry.fields.get('endpoint'),
        bool(entry.fields['ready']),
    ),
    RecordKind.DROPPED.value: lambda entry: int(entry.fields['count']),
    RecordKind.QUIET.value: lambda entry: tuple(
        float(entry.fields[key]) for key in ('ts', 'robot', 'steady')
    ),
    RecordKind.PERMIT.value: _heartbeat,
    RecordKind.DURABLE.value: lambda entry: Durability[entry.fields['durable']],
    RecordKind.STORE.value: _store_fault,
    RecordKind.FAULT.value: lambda entry: str(entry.fields['sentence']),
}


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
            if entry.event in INPUTS:
                given: Input = decode(INPUTS[entry.event], entry.fields, entry)
                values[DRAIN, entry.nth].append(given)
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
