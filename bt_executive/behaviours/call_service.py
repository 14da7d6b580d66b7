"""Call a service: one session, from request to its terminal entry in the book."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.kernel.session_book import Session
from bt_executive.kernel.sessions import SessionInput, SessionState
from bt_executive.ports import ToolResult
from bt_executive.settings import Endpoint
from bt_executive.skills.registry import Tool

_CODES = {
    SessionState.FAILED: 'FAILED',
    SessionState.TIMED_OUT: 'TIMED_OUT',
    SessionState.LOST: 'LOST',
    SessionState.CANCELLED: 'CANCELLED',
}


class CallService(Leaf):
    """SUCCESS or FAILURE as the response says; the result goes into the round.

    An absent server is waited for, `guards.server_wait_s` at most. Preempted, the call is left to
    the reaper: a ROS service cannot be cancelled, so its lease lasts until it answers.
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
        self._since = self.brain.now

    def update(self) -> Status:
        """Sends the request as soon as there is a server, then looks for the answer."""
        if not self._session_id and not self._send():
            return self._absent()
        session = self.brain.book.get(self._session_id)
        if session is None or not session.ended:
            return self.running(f'waiting for {self._endpoint.name}')
        return self._read(session)

    def terminate(self, new_status: Status) -> None:
        """Preempted: the answer is no longer wanted."""
        if new_status is Status.INVALID and self._session_id:
            self.brain.book.apply(self._session_id, SessionInput.CANCEL)

    def _send(self) -> bool:
        brain = self.brain
        if not brain.robot.ready(self._endpoint):
            return False
        proposal = brain.round.proposal
        arguments = dict(proposal.arguments) if proposal and not self._tool.skill.motion else {}
        session = brain.book.open(
            brain.round.call_id, self._endpoint.name, brain.now, self._tool.skill.timeout_s
        )
        self._session_id = session.session_id
        brain.book.apply(session.session_id, SessionInput.SEND)
        brain.book.apply(session.session_id, SessionInput.ACCEPT)
        brain.robot.send(session.session_id, self._endpoint, arguments)
        brain.ring_at(session.deadline)
        return True

    def _absent(self) -> Status:
        patience = self.brain.config.executive.guards.server_wait_s
        name = self._endpoint.name
        if self.brain.now - self._since < patience:
            return self.running(f'{name} is not there; waiting')
        return self._fail('UNAVAILABLE', f'Service {name} did not appear within {patience:g} s')

    def _read(self, session: Session) -> Status:
        if session.state is not SessionState.SUCCEEDED:
            reason = session.reason or f'{session.label}: {session.state.value}'
            return self._fail(_CODES[session.state], reason)
        result = self._tool.read(session.fields or {})
        if not result.ok:
            return self._fail('FAILED', result.error_reason, result)
        self.brain.round.result = result
        return self.success('done')

    def _fail(self, code: str, reason: str, result: ToolResult | None = None) -> Status:
        self.brain.round.error_code = code
        self.brain.round.result = result or ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
