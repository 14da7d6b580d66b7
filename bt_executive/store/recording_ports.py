"""The ports of a running executive, wrapped so that each call is recorded.

An answer that equals the previous one of its kind is not recorded again. Nor is the streamed text
of a model: no decision depends on it (`tree/executive.py`).
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
    PendingResult,
    Planner,
    PlannerContext,
    PlannerNews,
    PlannerOutput,
    Robot,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import Durability, Entry, InputLine, Store, StoreFault
from bt_executive.store.tick_recorder import RecordKind, TickRecorder
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit


class RecordedInbox(Inbox):
    """An inbox whose content is recorded when a tick drains it."""

    def __init__(self, recorder: TickRecorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._recorded_drops = 0

    @property
    def dropped(self) -> int:
        """Number of inputs dropped so far."""
        count, nth = super().dropped, self._recorder.count_call(RecordKind.DROPPED)
        if count != self._recorded_drops and self._recorder.is_open:
            self._recorded_drops = count
            self._recorder.record(RecordKind.DROPPED, {'count': count}, nth)
        return count

    def drain(self) -> list[Input]:
        """Return the inputs since the last drain."""
        inputs = super().drain()
        self._recorder.record_inputs(inputs)
        return inputs


def result_fields(result: ToolResult) -> Json:
    """Return the recorded fields of a result."""
    return {'ok': result.ok, 'error_reason': result.error_reason, 'data': dict(result.data)} | (
        {'units': dict(result.units)} if result.units else {}
    )


def start_fields(goal: str, context: PlannerContext) -> Json:
    """Return the recorded fields of a planner's start: its context without the configuration."""
    return {
        'goal': goal,
        'tools': [offer.name for offer in context.toolset],
        'memory': list(context.memory),
        'max_tool_calls': context.max_tool_calls,
        'history': [[call.tool, result.ok] for call, result in context.history],
        'tokens_used': context.tokens_used,
    }


def send_fields(server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str) -> Json:
    """Return the recorded fields of a request to the robot."""
    fields = {'session': server_call_id, 'endpoint': endpoint.name, 'arguments': dict(arguments)}
    return fields | ({'goal_id': goal_id} if goal_id else {})


def goal_fields(server_call_id: str, endpoint: Endpoint, goal_id: str) -> Json:
    """Return the recorded fields of a request about a goal that was sent before."""
    return {'session': server_call_id, 'endpoint': endpoint.name, 'goal_id': goal_id}


class RecordedPlanner:
    """Forwards to `planner`, and records the calls."""

    def __init__(self, planner: Planner, recorder: TickRecorder) -> None:
        self._planner, self._recorder = planner, recorder
        self._use = ModelUse()

    def start(self, goal: str, context: PlannerContext) -> None:
        self._recorder.record(RecordKind.START, start_fields(goal, context))
        self._planner.start(goal, context)

    def poll(self) -> PlannerOutput | None:
        output, nth = self._planner.poll(), self._recorder.count_call(RecordKind.POLL)
        if output is not None:
            self._recorder.record(
                RecordKind.POLL, {'kind': type(output).__name__, **vars(output)}, nth
            )
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        self._recorder.record(RecordKind.GIVE, result_fields(result))
        self._planner.give(result, barred)

    def cancel(self) -> None:
        self._recorder.record(RecordKind.CANCEL_PLANNER, {})
        self._planner.cancel()

    def news(self) -> tuple[PlannerNews, ...]:
        news, nth = self._planner.news(), self._recorder.count_call(RecordKind.NEWS)
        for notice in news:
            if isinstance(notice, Notice):
                self._recorder.record(RecordKind.NEWS, asdict(notice), nth)
        return news

    def use(self) -> ModelUse:
        use, nth = self._planner.use(), self._recorder.count_call(RecordKind.USE)
        if use != self._use:
            self._use = use
            self._recorder.record(RecordKind.USE, use.as_data(), nth)
        return use

    def close(self, within_s: float = 0.0) -> None:
        self._planner.close(within_s)


class RecordedRobot:
    """Forwards to `robot`, and records the calls."""

    def __init__(self, robot: Robot, recorder: TickRecorder) -> None:
        self._robot, self._recorder = robot, recorder
        self._ready: dict[str, bool] = {}

    def ready(self, endpoint: Endpoint) -> bool:
        ready, nth = self._robot.ready(endpoint), self._recorder.count_call(RecordKind.READY)
        if self._ready.get(endpoint.name) is not ready:
            self._ready[endpoint.name] = ready
            self._recorder.record(
                RecordKind.READY, {'endpoint': endpoint.name, 'ready': ready}, nth
            )
        return ready

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        self._recorder.record(
            RecordKind.SEND, send_fields(server_call_id, endpoint, arguments, goal_id)
        )
        self._robot.send(server_call_id, endpoint, arguments, goal_id)

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._recorder.record(RecordKind.ADOPT, goal_fields(server_call_id, endpoint, goal_id))
        self._robot.adopt(server_call_id, endpoint, goal_id)

    def cancel(self, server_call_id: str) -> None:
        self._recorder.record(RecordKind.CANCEL, {'session': server_call_id})
        self._robot.cancel(server_call_id)

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        self._recorder.record(
            RecordKind.CANCEL_AGAIN, goal_fields(server_call_id, endpoint, goal_id)
        )
        self._robot.cancel_again(server_call_id, endpoint, goal_id)

    def permit(self, permit: Permit) -> Heartbeat:
        """See `Robot.permit`; request and heartbeat share one line."""
        heartbeat, nth = self._robot.permit(permit), self._recorder.count_call(RecordKind.PERMIT)
        answer = {
            'sender': heartbeat.sender,
            'sequence': heartbeat.sequence,
            'sent_at': heartbeat.sent_at,
        }
        self._recorder.record(RecordKind.PERMIT, {**asdict(permit), **answer}, nth)
        return heartbeat

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        self._recorder.record(
            RecordKind.STOP, {'session': server_call_id, 'past_the_adapter': past_the_adapter}
        )
        self._robot.stop(server_call_id, past_the_adapter)


class RecordedResult(PendingResult[Found]):
    """A reading whose result is recorded by the first tick that sees it.

    `to_fields` converts the result to the recorded fields.
    """

    def __init__(
        self,
        reading: PendingResult[Found],
        recorder: TickRecorder,
        kind: RecordKind,
        to_fields: Callable[[Found], Json],
    ) -> None:
        self._reading, self._recorder = reading, recorder
        self._kind, self._to_fields = kind, to_fields
        self._is_recorded = False
        super().__init__()
        self.on_cancel(reading.cancel)

    @property
    def result(self) -> Found | None:
        result, nth = self._reading.result, self._recorder.count_call(self._kind)
        if result is not None and not self._is_recorded:
            self._is_recorded = True
            self._recorder.record(self._kind, self._to_fields(result), nth)
        return result

    @result.setter
    def result(self, result: Found | None) -> None:
        if result is not None:  # None would discard a result that another thread has just set
            self._reading.result = result


class RecordedGraph:
    """Forwards to `graph`, and records the calls."""

    def __init__(self, graph: GraphReader, recorder: TickRecorder) -> None:
        self._graph, self._recorder = graph, recorder
        self._count = 0

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        self._count += 1
        self._recorder.record(
            RecordKind.READ, {'reading': self._count, 'what': what, 'topic': topic}
        )
        number = self._count
        return RecordedResult(
            self._graph.read(what, topic),
            self._recorder,
            RecordKind.READING,
            lambda result: {'reading': number, 'result': result_fields(result)},
        )


class RecordedGoalReader:
    """Forwards to `reader`, and records the calls."""

    def __init__(self, reader: GoalReader, recorder: TickRecorder) -> None:
        self._reader, self._recorder = reader, recorder

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        self._recorder.record(RecordKind.READ_GOAL, {'goal': goal})
        return RecordedResult(
            self._reader.read(goal, toolset), self._recorder, RecordKind.ASKED_FOR, asdict
        )


class RecordedStore:
    """Forwards to `store`, and records its faults and its durability.

    Checkpoints and entries are not recorded: the store has them, and it receives the lines of
    `recorder` as well. `begins` is the state at the begin of this run
    (`bt_executive.tree.resume_from_checkpoints.RunBegins`), recorded by the first tick.
    """

    def __init__(self, store: Store, recorder: TickRecorder, begins: Any = None) -> None:
        self._store, self._recorder = store, recorder
        recorder.write = store.record
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
        durable, nth = self._store.durable(ticket), self._recorder.count_call(RecordKind.DURABLE)
        if durable is not self._durable:
            self._durable = durable
            self._recorder.record(RecordKind.DURABLE, {'durable': durable.name}, nth)
        return durable

    def fault(self) -> StoreFault | None:
        """See `Store.fault`; called by the first tick, too."""
        fault, nth = self._store.fault(), self._recorder.count_call(RecordKind.STORE)
        if self._begins is not None and self._recorder.is_open:
            self._recorder.record(RecordKind.BEGINS, self._begins)
            self._begins = None
        if fault != self._fault and self._recorder.is_open:
            self._fault = fault
            fields = {'code': fault.code.name, 'sentence': fault.sentence} if fault else {}
            self._recorder.record(RecordKind.STORE, fields, nth)
        return fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        self._store.close(now, how, within_s)
