"""Call a server: one session with a service or action, from request to its terminal entry."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.call_table import ServerCall
from bt_executive.core.calls import CallState
from bt_executive.core.error_codes import CallError
from bt_executive.core.ports import ToolResult
from bt_executive.core.readable import fields_in_words
from bt_executive.skills.registry import Tool
from bt_executive.tree.access import ToolAccess
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.call_result import result_of
from bt_executive.tree.journal_gate import JournalGate
from bt_executive.tree.round import Asked
from rover_common.config.settings import Endpoint


class CallServer(Leaf[ToolAccess]):
    """SUCCESS or FAILURE as the session ends; result and error code go into the round.

    An absent server is waited for, `guards.server_wait_s` at most; so is the journal,
    `journal.patience_s` at most, by a call that must not be made twice or needs a permit.
    Preempted, the session is only entered as cancelled: `CleanUpCancelledCalls` tells the server,
    and the leases last until its last word.
    """

    def __init__(self, name: str, context: ToolAccess, tool: Tool, endpoint: Endpoint) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._endpoint = endpoint
        self._session_id = ''
        self._since = 0.0
        self._gate = JournalGate(context)

    def initialise(self) -> None:
        """Nothing is sent yet."""
        self._session_id = ''
        self._since = self.context.now.steady

    def update(self) -> Status:
        """Sends the request as soon as it may go, then looks for the answer."""
        session = self.context.calls.get(self._session_id)
        if session is None or session.state is CallState.REQUESTED:
            status = self._send(session)
            if status is not Status.SUCCESS:
                return status
            session = self.context.calls.get(self._session_id)
        if session is None or not session.ended:
            return self.running(self._waiting(session))
        return self._read(session)

    def terminate(self, new_status: Status) -> None:
        """Preempted: the answer is no longer wanted. What has not been permitted will not be."""
        context = self.context
        context.permits.forgo()
        if new_status is Status.INVALID and self._session_id:
            patience = context.config.executive.sessions.cancel_timeout_s
            if context.calls.cancel(self._session_id, context.now, patience):
                context.wake_at(steady=context.now.steady)  # it is cleaned up at once

    def _send(self, session: ServerCall | None) -> Status:
        """SUCCESS: the request is out."""
        context = self.context
        if self._tool.permit_for and context.stops.pending:
            return self.running('waiting until the last stop is confirmed')
        if session is None:
            if self._session_id:
                return self.running(self._waiting(None))
            if not context.robot.ready(self._endpoint):
                return self._absent()
            session = self._open()
        kept = self._gate.look() if self._waits_for_disk else Status.SUCCESS
        if kept is Status.RUNNING:
            return self.running('waiting for the journal')
        if kept is Status.FAILURE:
            context.calls.cancel(session.session_id, context.now, 0.0)
            return self._fail(self._gate.code, self._gate.reason)
        self._go(session)
        return Status.SUCCESS

    @property
    def _waits_for_disk(self) -> bool:
        """Whether the records of this call must be on disk before it is sent."""
        tool = self._tool
        return bool(not tool.skill.idempotent or tool.permit_for or self.context.round.approved)

    def _open(self) -> ServerCall:
        """Enters the call, and all that must be known of it before it is sent."""
        context, proposal = self.context, self.context.round.proposal
        if self._tool.permit_for:
            context.permits.foresee(self._tool.permit_for)
        session = context.calls.open(
            call_id=context.round.call_id,
            label=self._endpoint.name,
            now=context.now,
            timeout_s=self._tool.skill.timeout_s,
            endpoint=self._endpoint,
            cancellable=self._tool.cancellable,
            skill=self._tool.name,
            arguments=self._tool.request(proposal.arguments if proposal else {}),
            idempotent=self._tool.skill.idempotent,
            run_id=context.tracer.run_id,
        )
        self._session_id = session.session_id
        self._gate.begin()
        return session

    def _go(self, session: ServerCall) -> None:
        """The guards above have been asked in this very tick."""
        context, robot = self.context, self.context.state.robot
        asked = Asked(context.now, robot.pose, robot.pose_stamp)
        context.round = replace(context.round, asked=asked)
        if self._tool.permit_for:
            context.permits.give(self._tool.permit_for)
        context.calls.sent(session.session_id, context.now)
        context.robot.send(session.session_id, self._endpoint, session.arguments, session.goal_id)

    def _waiting(self, session: ServerCall | None) -> str:
        feedback = session.progress if session else None
        words = fields_in_words(feedback or {}, self._tool.skill.result.units)
        return f'{words:.200}' if words else f'waiting for {self._endpoint.name}'

    def _absent(self) -> Status:
        patience = self.context.config.executive.guards.server_wait_s
        name = self._endpoint.name
        if self.context.now.steady - self._since < patience:
            return self.running(f'{name} is not there; waiting')
        kind = self._endpoint.kind.capitalize()
        return self._fail(
            CallError.UNAVAILABLE.value, f'{kind} {name} did not appear within {patience:g} s'
        )

    def _read(self, session: ServerCall) -> Status:
        read = result_of(self._tool, session)
        if not read.result.ok:
            own = read.result if session.state is CallState.SUCCEEDED else None
            return self._fail(read.code, read.words, own)
        self.context.round = replace(self.context.round, result=read.result)
        return self.success('done')

    def _fail(self, code: str, reason: str, result: ToolResult | None = None) -> Status:
        self.context.fail(code, reason, result)
        return self.failure(reason)
