"""Satisfies a precondition: the tree itself calls the tool that makes it true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from py_trees.common import Status

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import decision_after
from bt_executive.core.guard_view_and_verdict import GuardCode, GuardReading
from bt_executive.core.guards import STANDING_STILL, Precondition
from bt_executive.core.modes import PAUSE, interrupted_by
from bt_executive.core.state import DecisionType
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import (
    CallResult,
    result_of,
)
from bt_executive.tree.context_roles import RoundAccess, ServerAccess, ToolAccess
from bt_executive.tree.wait_until_stored import StoreGate
from rover_common.config.settings import PartCondition
from rover_common.dataclass_replace import replace

RETRY_S = 2.0


class SatisfyPrecondition(Leaf[ServerAccess]):
    """Calls a tool's server under a lease of its own, with what is used for arguments left out.

    SUCCESS when the service succeeded; RUNNING while it works, while a resource is still in use,
    and while its server is away, `guards.server_wait_s` at most. FAILURE with the reason, unless
    `again` is set: then it tries until it works, which is what a branch without an alternative
    needs. After an error that the table of codes calls fatal, nothing goes on: it makes SAFE.
    """

    def __init__(self, name: str, context: ServerAccess, tool: Tool, again: bool = False) -> None:
        super().__init__(name, context)
        self.tool = tool
        self._again = again
        self._call_id = ''
        self._server_call_id = ''
        self._not_before = self._since = 0.0
        self.read: CallResult | None = None
        self._gate = StoreGate(context)

    @property
    def at_work(self) -> bool:
        """Returns whether a request was sent, for whomever, and has no response yet."""
        return bool(self._server_call_id) or self._running_call is not None

    @property
    def _running_call(self) -> ServerCall | None:
        """Returns a call of the tool that has not ended, such as for another member."""
        running = self.context.calls.running()
        return next((each for each in running if each.skill == self.tool.name), None)

    def initialise(self) -> None:
        self._server_call_id = ''
        self.read = None
        self._not_before = self._since = self.context.now.steady

    def arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the call: the defaults of the tool."""
        return {}

    def update(self) -> Status:
        """Sends the request as soon as possible, then checks for the response."""
        if not self._server_call_id:
            return self._begin()
        call, is_own = self.context.calls.get(self._server_call_id), bool(self._call_id)
        if call is not None and is_own and call.state is CallState.REQUESTED:
            hindrance = self._hindrance_since_begun()
            message = f'waiting: {hindrance}' if hindrance else self._advance(call)
            call = self.context.calls.get(self._server_call_id)
            if call is not None and not call.ended:
                return self.running(message)
        if call is not None and not call.ended:
            return self.running(f'waiting for {call.label}')
        self._let_go()
        read = self.read = result_of(self.tool, call) if call else None
        if read and read.result.ok:
            if is_own:
                self._trace('done', ok=True)
            return self.success('done')
        if not is_own:  # the guard may hold now, else this calls it itself
            self.context.wake_at(steady=self.context.now.steady)
            return self.running(f'{self.tool.name} has ended')
        reason = self._gate.reason or (read.reason if read else '')
        self._trace(reason, ok=False)
        code = read.code if read else None
        if decision_after(code, self.tool.skill.error_map) is DecisionType.ABORT:
            self.context.make_safe(self.tool.name, reason, code)
        if not self._again:
            return self.failure(reason)
        self._not_before = self.context.now.steady + RETRY_S
        self.context.wake_at(steady=self._not_before)
        return self.running(f'{reason}; trying again')

    def terminate(self, new_status: Status) -> None:
        """Cancels a preempted call, which `CleanUpCancelledCalls` then ends."""
        if new_status is Status.INVALID:
            self._let_go()

    def _begin(self) -> Status:
        message = self._send()
        end = self._since + self.context.config.executive.guards.server_wait_s
        if self.at_work or self._again or self.context.now.steady < end:
            return self.running(message)
        self._trace(message, ok=False)
        return self.failure(message)

    def _send(self) -> str:
        context, endpoint = self.context, self.tool.endpoint
        if context.now.steady < self._not_before:
            return 'waiting before the next try'
        absence = context.absence(endpoint) if endpoint else 'is not there'
        if endpoint is None or absence:
            return f'its server {absence}; waiting'
        hindrance = self._hindrance()
        if hindrance:
            return f'waiting: {hindrance}'
        call_id = context.call_id('tree', f'{context.calls.latest_number + 1}-{self.tool.name}')
        resources = self.tool.skill.resources_required
        if context.calls.leases.conflicts(call_id, resources):
            return 'waiting for the last tool to end'
        self._call_id = call_id
        context.calls.leases.acquire(call_id, resources)
        call = context.calls.open(
            call_id,
            endpoint.name,
            context.now,
            self.tool.skill.timeout_s,
            endpoint,
            cancellable=self.tool.cancellable,
            skill=self.tool.name,
            arguments=self.tool.request(self.arguments()),
            idempotent=self.tool.skill.idempotent,
            run_id=context.tracer.run_id,
        )
        self._server_call_id = call.server_call_id
        self._gate.begin()
        return self._advance(call)

    def _hindrance(self) -> str:
        """Returns why the tool may not run now, as it was not checked as a proposal.

        A low battery, before which it may be called, does not end a pause.
        """
        context = self.context
        if PAUSE.applies(context.state):
            return f'paused by {interrupted_by(context.state)}'
        reading = context.guards.hindrance(self.tool, self.arguments())
        if reading is not None:
            return reading.reason
        stands = any(each.name == STANDING_STILL for each in self.tool.preconditions)
        return 'the last stop is not confirmed' if stands and context.stops.pending else ''

    def _hindrance_since_begun(self) -> str:
        """Returns the same for a call that has not been sent yet; its own leases are none."""
        leases, resources = self.context.calls.leases, self.tool.skill.resources_required
        leases.release(self._call_id)
        hindrance = self._hindrance()
        leases.acquire(self._call_id, resources)
        return hindrance

    def _advance(self, call: ServerCall) -> str:
        """Sends the request; one that is not idempotent, once the journal has it."""
        context, endpoint = self.context, call.endpoint
        kept = Status.SUCCESS if call.idempotent else self._gate.evaluate()
        if kept is Status.FAILURE:
            context.calls.cancel(call.server_call_id, context.now, 0.0)
        if kept is not Status.SUCCESS or endpoint is None:
            return self._gate.reason or 'waiting for the journal'
        context.calls.sent(call.server_call_id, context.now)
        context.robot.send(call.server_call_id, endpoint, call.arguments, call.goal_id)
        context.tracer.emit(
            'ACT',
            f'{self.tool.name} starts',
            tool_name=self.tool.name,
            data={'proposed_by': 'tree'},
        )
        return f'{self.tool.name} starts'

    def _let_go(self) -> None:
        if self._call_id:
            context = self.context
            patience = context.config.executive.sessions.cancel_timeout_s
            if context.calls.cancel(self._server_call_id, context.now, patience):
                context.wake_at(steady=context.now.steady)  # for `CleanUpCancelledCalls`
            context.calls.finish_call(self._call_id)
        self._call_id = self._server_call_id = ''

    def _trace(self, message: str, ok: bool) -> None:
        self.context.tracer.emit(
            'RESULT' if ok else 'ERROR',
            f'{self.tool.name}: {message}',
            tool_name=self.tool.name,
            ok=ok,
            error_reason=None if ok else message,
        )


SEEN_WITHIN_S = 2.0


class ResolvePrecondition(SatisfyPrecondition):
    """Stands beside the guard that has refused, and never succeeds: the guard does, once it sees.

    RUNNING while the resolving tool works, and until the state shows what it has done. FAILURE
    when it could not do it, when the state does not show it in time, and when the tool below runs
    already: then a precondition has broken in the middle, and the guard's refusal ends the tool.
    """

    def __init__(
        self, name: str, context: ToolAccess, tool: Tool, precondition: Precondition
    ) -> None:
        super().__init__(name, context, tool)
        self._rounds: RoundAccess = context
        self._precondition = precondition
        self._changes = _on_the_same_parts(precondition.name, context.config.robot.guards)
        self._done_at: float | None = None

    def initialise(self) -> None:
        super().initialise()
        self._done_at = None

    def update(self) -> Status:
        """Calls the tool, then waits for the state, during which a refusal does not count."""
        if self.context.round.ran:
            return self.failure('the tool has started already')
        status = super().update() if self._done_at is None else self._wait(self._done_at)
        if status is Status.SUCCESS:
            self._done_at = self.context.now.steady
            self._rounds.note_resolved(self._changes)
            status = self._wait(self._done_at)
        if status is Status.RUNNING:
            self._rounds.round = replace(self.context.round, verdict=None)
        return status

    def outdated(self) -> GuardReading | None:
        """Returns the refusal while what is seen may be from before the last tool's end.

        None: what is seen counts. What that tool has done is waited for as what this one does.
        """
        if self.context.round.ran or self.at_work:
            return None
        if self.status is Status.RUNNING:
            until = self._since + SEEN_WITHIN_S
            if self._done_at is not None or self.context.now.steady >= until:
                return None
            self.context.wake_at(steady=until)
        guards = self.context.guards
        seen = self._precondition.read(guards.view_of_running())
        fresh = self._precondition.read(guards.view())
        is_waited_for = fresh.code is GuardCode.NOT_YET and seen.code is not GuardCode.NOT_YET
        return fresh if is_waited_for else None

    def _send(self) -> str:
        """As `SatisfyPrecondition`; the same call by another member serves this one, too."""
        call = self._running_call
        if call is None:
            outdated = self.outdated()
            return super()._send() if outdated is None else f'waiting: {outdated.reason}'
        if call.arguments == self.tool.request(self.arguments()):
            self._server_call_id = call.server_call_id
        return f'waiting for {call.label}'

    def _wait(self, done_at: float) -> Status:
        if self.context.now.steady - done_at >= SEEN_WITHIN_S:
            return self.failure(f'{self.tool.name} succeeded, but its effect is not seen')
        self.context.wake_at(steady=done_at + SEEN_WITHIN_S)
        return self.running(f'{self.tool.name} succeeded; waiting until its effect is seen')


def _on_the_same_parts(name: str, known: Mapping[str, PartCondition]) -> frozenset[str]:
    """Return the precondition and those on the same parts."""
    return conditions_on(known[name].fields if name in known else (), known) | {name}


def conditions_on(parts: Iterable[str], known: Mapping[str, PartCondition]) -> frozenset[str]:
    """Return the conditions that read one of these parts of the robot's state."""
    read = {*parts}
    return frozenset(name for name, each in known.items() if not read.isdisjoint(each.fields))
