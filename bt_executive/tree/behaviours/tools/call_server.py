"""Call a server: one session with a service or action, from request to its terminal entry."""

from __future__ import annotations

from bt_executive.core.call_table import Session
from bt_executive.core.calls import SessionState
from bt_executive.core.error_codes import CallError
from bt_executive.core.ports import ToolResult
from bt_executive.core.readable import fields_in_words
from bt_executive.skills.registry import Tool
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Asked, Brain
from rover_common.config.settings import Endpoint

CODES = {
    SessionState.FAILED: CallError.FAILED,
    SessionState.REJECTED: CallError.REJECTED,
    SessionState.TIMED_OUT: CallError.TIMED_OUT,
    SessionState.LOST: CallError.LOST,
    SessionState.CANCELLED: CallError.CANCELLED,
}


class CallServer(Leaf):
    """SUCCESS or FAILURE as the session ends; result and error code go into the round.

    An absent server is waited for, `guards.server_wait_s` at most. Preempted, the session is only
    entered as cancelled: the reaper tells the server, and the leases last until its last word.
    """

    def __init__(self, name: str, brain: Brain, tool: Tool, endpoint: Endpoint) -> None:
        super().__init__(name, brain)
        self._tool = tool
        self._endpoint = endpoint
        self._session_id = ''
        self._since = 0.0

    def initialise(self) -> None:
        """Nothing is sent yet."""
        self._session_id = ''
        self._since = self.brain.now.steady

    def update(self) -> Status:
        """Sends the request as soon as there is a server, then looks for the answer."""
        if not self._session_id and self._tool.permit_for and self.brain.stops.pending:
            return self.running('waiting until the last stop is confirmed')
        if not self._session_id and not self._send():
            return self._absent()
        session = self.brain.book.get(self._session_id)
        if session is None or not session.ended:
            return self.running(self._waiting(session))
        return self._read(session)

    def terminate(self, new_status: Status) -> None:
        """Preempted: the answer is no longer wanted."""
        if new_status is Status.INVALID and self._session_id:
            brain = self.brain
            patience = brain.config.executive.sessions.cancel_timeout_s
            if brain.book.cancel(self._session_id, brain.now, patience):
                brain.ring_at(steady=brain.now.steady)  # the reaper's turn comes at once

    def _send(self) -> bool:
        brain = self.brain
        if not brain.robot.ready(self._endpoint):
            return False
        proposal = brain.round.proposal
        session = brain.book.open(
            call_id=brain.round.call_id,
            label=self._endpoint.name,
            now=brain.now,
            timeout_s=self._tool.skill.timeout_s,
            endpoint=self._endpoint,
            cancellable=self._tool.cancellable,
            skill=self._tool.name,
        )
        self._session_id = session.session_id
        robot = brain.state.robot
        brain.round.asked = Asked(brain.now, robot.pose, robot.pose_stamp)
        if self._tool.permit_for:
            brain.permits.give(self._tool.permit_for)
        brain.book.sent(session.session_id)
        request = self._tool.request(proposal.arguments if proposal else {})
        brain.robot.send(session.session_id, self._endpoint, request)
        return True

    def _waiting(self, session: Session | None) -> str:
        feedback = session.progress if session else None
        words = fields_in_words(feedback or {}, self._tool.skill.result.units)
        return f'{words:.200}' if words else f'waiting for {self._endpoint.name}'

    def _absent(self) -> Status:
        patience = self.brain.config.executive.guards.server_wait_s
        name = self._endpoint.name
        if self.brain.now.steady - self._since < patience:
            return self.running(f'{name} is not there; waiting')
        kind = self._endpoint.kind.capitalize()
        return self._fail(
            CallError.UNAVAILABLE.value, f'{kind} {name} did not appear within {patience:g} s'
        )

    def _read(self, session: Session) -> Status:
        fields = session.fields or {}
        code = self._tool.error_code(fields)
        if session.state is SessionState.SUCCEEDED:
            result = self._tool.read(fields)
            if result.ok:
                self.brain.round.result = result
                return self.success('done')
            return self._fail(code or CallError.FAILED.value, result.error_reason, result)
        reason = session.reason or self._tool.reason(fields) or code
        reason = reason or f'{session.label}: {session.state.value}'
        return self._fail(code or CODES[session.state].value, reason)

    def _fail(self, code: str, reason: str, result: ToolResult | None = None) -> Status:
        self.brain.round.error_code = code
        self.brain.round.result = result or ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
