"""Always stop: whatever way a motion ends, a stop is sent."""

from __future__ import annotations

import py_trees

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.behaviours.stop_the_base import send_stop
from bt_executive.brain import Brain
from bt_executive.kernel.sessions import SessionState
from bt_executive.ports import ToolResult
from bt_executive.skills.endpoints import stop_endpoints
from bt_executive.skills.registry import Tool


class AlwaysStop(py_trees.decorators.Decorator):
    """Passes its child's status on and sends a stop on every way out.

    Success, failure, preemption and an exception elsewhere all end in `terminate`; py_trees calls
    it exactly when the decorator leaves RUNNING or is interrupted.
    """

    def __init__(
        self, name: str, brain: Brain, tool: Tool, child: py_trees.behaviour.Behaviour
    ) -> None:
        super().__init__(name=name, child=child)
        self.brain = brain
        base, _ = stop_endpoints(brain.config)
        self._stop = tool.stop if tool.stop != base else None
        self.stop_session = ''
        self._call_id = ''
        self._driving = False

    def initialise(self) -> None:
        """A motion may be under way from here on."""
        self._driving = True
        self.stop_session = ''
        self._call_id = self.brain.round.call_id

    def update(self) -> Status:
        """Takes over the child's status."""
        self.feedback_message = self.decorated.feedback_message
        return self.decorated.status

    def terminate(self, _new_status: Status) -> None:
        """Sends the stop, once for each motion."""
        if self._driving:
            self._driving = False
            self.stop_session = send_stop(self.brain, self._call_id, self._stop)


class StandsAgain(Leaf):
    """SUCCESS when the stop of a motion was confirmed; FAILURE if it was not."""

    def __init__(self, name: str, brain: Brain, motion: AlwaysStop) -> None:
        super().__init__(name, brain)
        self._motion = motion

    def update(self) -> Status:
        """Looks for the answer to the stop."""
        session = self.brain.book.get(self._motion.stop_session)
        if session is not None and not session.ended:
            return self.running('waiting for the stop to be confirmed')
        fields = (session.fields if session else None) or {}
        refused = fields.get('success') is False  # std_srvs/srv/Trigger; Empty says nothing
        if session is not None and session.state is SessionState.SUCCEEDED and not refused:
            return self.success('stands')
        why = fields.get('message') or (session.reason if session else '') or 'no answer'
        reason = f'The stop was not confirmed: {why}'
        self.brain.round.error_code = 'FAILED'
        self.brain.round.result = ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
