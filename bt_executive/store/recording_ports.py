"""The ports of a running executive, each with a record of what passes through it.

An answer that is the same as the last one of its kind is not told again. The words of a model
while it speaks are not kept: nothing is decided by them (`tree/executive.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bt_executive.core.executive_ports import (
    Barred,
    Found,
    GoalReader,
    GraphReader,
    Json,
    Notice,
    Planner,
    PlannerContext,
    PlannerNews,
    PlannerOutput,
    Reading,
    Robot,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from bt_executive.core.requested_acts import AskedFor
from bt_executive.core.store_port import Durability, Entry, InputLine, Store, StoreFault
from bt_executive.store.tick_recorder import Note, TickLog
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit


class RecordedInbox(Inbox):
    """An inbox that also tells `log` what a tick takes from it."""

    def __init__(self, log: TickLog) -> None:
        super().__init__()
        self._log = log
        self._told = 0

    @property
    def dropped(self) -> int:
        """Events dropped so far."""
        count, nth = super().dropped, self._log.called(Note.DROPPED)
        if count != self._told and self._log.is_open:
            self._told = count
            self._log.note(Note.DROPPED, {'count': count}, nth)
        return count

    def drain(self) -> list[Input]:
        """Everything since the last drain."""
        events = super().drain()
        self._log.drained(events)
        return events


def result_fields(result: ToolResult) -> Json:
    """A result as it is recorded."""
    return {'ok': result.ok, 'error_reason': result.error_reason, 'data': dict(result.data)} | (
        {'units': dict(result.units)} if result.units else {}
    )


def start_fields(goal: str, context: PlannerContext) -> Json:
    """The start of a planner as it is recorded: what it is told besides the configuration."""
    return {
        'goal': goal,
        'tools': [offer.name for offer in context.toolset],
        'memory': list(context.memory),
        'max_tool_calls': context.max_tool_calls,
        'history': [[call.tool, result.ok] for call, result in context.history],
        'tokens_used': context.tokens_used,
    }


def send_fields(session_id: str, endpoint: Endpoint, arguments: Json, goal_id: str) -> Json:
    """A request as it is recorded."""
    asked = {'session': session_id, 'endpoint': endpoint.name, 'arguments': dict(arguments)}
    return asked | ({'goal_id': goal_id} if goal_id else {})


def goal_fields(session_id: str, endpoint: Endpoint, goal_id: str) -> Json:
    """The question for a goal that was sent before, as it is recorded."""
    return {'session': session_id, 'endpoint': endpoint.name, 'goal_id': goal_id}


class RecordedPlanner:
    """Passes everything on to `planner`."""

    def __init__(self, planner: Planner, log: TickLog) -> None:
        self._planner, self._log = planner, log
        self._use = ModelUse()

    def start(self, goal: str, context: PlannerContext) -> None:
        self._log.note(Note.START, start_fields(goal, context))
        self._planner.start(goal, context)

    def poll(self) -> PlannerOutput | None:
        output, nth = self._planner.poll(), self._log.called(Note.POLL)
        if output is not None:
            self._log.note(Note.POLL, {'kind': type(output).__name__, **vars(output)}, nth)
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        self._log.note(Note.GIVE, result_fields(result))
        self._planner.give(result, barred)

    def cancel(self) -> None:
        self._log.note(Note.CANCEL_PLANNER, {})
        self._planner.cancel()

    def news(self) -> tuple[PlannerNews, ...]:
        told, nth = self._planner.news(), self._log.called(Note.NEWS)
        for news in told:
            if isinstance(news, Notice):
                self._log.note(Note.NEWS, asdict(news), nth)
        return told

    def use(self) -> ModelUse:
        use, nth = self._planner.use(), self._log.called(Note.USE)
        if use != self._use:
            self._use = use
            self._log.note(Note.USE, use.as_data(), nth)
        return use

    def close(self, within_s: float = 0.0) -> None:
        self._planner.close(within_s)


class RecordedRobot:
    """Passes everything on to `robot`."""

    def __init__(self, robot: Robot, log: TickLog) -> None:
        self._robot, self._log = robot, log
        self._ready: dict[str, bool] = {}

    def ready(self, endpoint: Endpoint) -> bool:
        ready, nth = self._robot.ready(endpoint), self._log.called(Note.READY)
        if self._ready.get(endpoint.name) is not ready:
            self._ready[endpoint.name] = ready
            self._log.note(Note.READY, {'endpoint': endpoint.name, 'ready': ready}, nth)
        return ready

    def send(
        self, session_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        self._log.note(Note.SEND, send_fields(session_id, endpoint, arguments, goal_id))
        self._robot.send(session_id, endpoint, arguments, goal_id)

    def adopt(self, session_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._log.note(Note.ADOPT, goal_fields(session_id, endpoint, goal_id))
        self._robot.adopt(session_id, endpoint, goal_id)

    def cancel(self, session_id: str) -> None:
        self._log.note(Note.CANCEL, {'session': session_id})
        self._robot.cancel(session_id)

    def cancel_again(self, session_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._log.note(Note.CANCEL_AGAIN, goal_fields(session_id, endpoint, goal_id))
        self._robot.cancel_again(session_id, endpoint, goal_id)

    def permit(self, permit: Permit) -> Heartbeat:
        """See `Robot.permit`; the answer is in the same line."""
        beat, nth = self._robot.permit(permit), self._log.called(Note.PERMIT)
        told = {'sender': beat.sender, 'sequence': beat.sequence, 'sent_at': beat.sent_at}
        self._log.note(Note.PERMIT, {**asdict(permit), **told}, nth)
        return beat

    def stop(self, session_id: str, past_the_adapter: bool) -> None:
        self._log.note(Note.STOP, {'session': session_id, 'past_the_adapter': past_the_adapter})
        self._robot.stop(session_id, past_the_adapter)


class RecordedReading(Reading[Found]):
    """A reading whose result is noted, as these fields, by the tick that sees it first."""

    def __init__(
        self, reading: Reading[Found], log: TickLog, note: Note, fields: Callable[[Found], Json]
    ) -> None:
        self._reading, self._log, self._note, self._fields = reading, log, note, fields
        self._is_noted = False
        super().__init__()
        self.at_end(reading.end)

    @property
    def result(self) -> Found | None:
        result, nth = self._reading.result, self._log.called(self._note)
        if result is not None and not self._is_noted:
            self._is_noted = True
            self._log.note(self._note, self._fields(result), nth)
        return result

    @result.setter
    def result(self, result: Found | None) -> None:
        if result is not None:  # None would undo what another thread has just found
            self._reading.result = result


class RecordedGraph:
    """Passes everything on to `graph`."""

    def __init__(self, graph: GraphReader, log: TickLog) -> None:
        self._graph, self._log = graph, log
        self._count = 0

    def read(self, what: str, topic: str) -> Reading[ToolResult]:
        self._count += 1
        self._log.note(Note.READ, {'reading': self._count, 'what': what, 'topic': topic})
        number = self._count
        return RecordedReading(
            self._graph.read(what, topic),
            self._log,
            Note.READING,
            lambda result: {'reading': number, 'result': result_fields(result)},
        )


class RecordedGoalReader:
    """Passes everything on to `reader`."""

    def __init__(self, reader: GoalReader, log: TickLog) -> None:
        self._reader, self._log = reader, log

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> Reading[AskedFor]:
        self._log.note(Note.READ_GOAL, {'goal': goal})
        return RecordedReading(self._reader.read(goal, toolset), self._log, Note.ASKED_FOR, asdict)


class RecordedStore:
    """Passes everything on to `store`, and notes what it says of itself.

    What was put is not noted: the store has it, and gets what `log` takes, too. `begins` is what
    this run begins with (`bt_executive.tree.resume_from_checkpoints.RunBegins`); the first tick
    notes it.
    """

    def __init__(self, store: Store, log: TickLog, begins: Any = None) -> None:
        self._store, self._log = store, log
        log.keep = store.record
        self._begins: Json | None = None if begins is None else vars(begins)
        self._durable = Durability.NOT_KEPT
        self._fault: StoreFault | None = None

    @property
    def latest(self) -> int:
        return self._store.latest

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        return self._store.put(now, parts, entries)

    def record(self, lines: Sequence[InputLine]) -> None:
        self._store.record(lines)

    def durable(self, ticket: int) -> Durability:
        durable, nth = self._store.durable(ticket), self._log.called(Note.DURABLE)
        if durable is not self._durable:
            self._durable = durable
            self._log.note(Note.DURABLE, {'durable': durable.name}, nth)
        return durable

    def fault(self) -> StoreFault | None:
        """See `Store.fault`; the first tick asks for it."""
        fault, nth = self._store.fault(), self._log.called(Note.STORE)
        if self._begins is not None and self._log.is_open:
            self._log.note(Note.BEGINS, self._begins)
            self._begins = None
        if fault != self._fault and self._log.is_open:
            self._fault = fault
            told = {'code': fault.code.name, 'sentence': fault.sentence} if fault else {}
            self._log.note(Note.STORE, told, nth)
        return fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        self._store.close(now, how, within_s)
