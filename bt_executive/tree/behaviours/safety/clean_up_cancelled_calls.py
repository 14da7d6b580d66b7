"""Reap what was cancelled: sessions live here until the server's last word or their timeout."""

from __future__ import annotations

from bt_executive.core.call_table import Session
from bt_executive.core.calls import SessionInput
from bt_executive.core.running import show_running
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Brain


class ReapWhatWasCancelled(Leaf):
    """Always succeeds. The only place that ends sessions from our side.

    It tells the servers of cancelled and overdue actions to end, again and again until they
    confirm; gives up on servers that have gone or do not answer in time; gives back the leases
    of calls that have come to their end; and enters in the state what still runs.
    """

    def update(self) -> Status:
        """Looks through the book."""
        brain = self.brain
        for session in brain.book.running():
            self._lose(session)
        for session in brain.book.overdue(brain.now):
            self._time_out(session)
        tell_servers_to_end(brain)
        brain.book.clear_finished()
        brain.state = show_running(brain.state, brain.book, brain.config.skills.resources)
        return self.success(', '.join(session.label for session in brain.book.running()))

    def _lose(self, session: Session) -> None:
        if session.endpoint is None:
            return
        brain = self.brain
        limit = brain.config.executive.sessions.lost_after_s
        there = brain.robot.ready(session.endpoint)
        if brain.book.server_seen(session.session_id, there, brain.now.steady) < limit:
            return
        reason = f'The server of {session.label} has gone'
        brain.book.apply(session.session_id, SessionInput.LOSE, reason=reason)
        self._tell(reason)

    def _time_out(self, session: Session) -> None:
        brain = self.brain
        reason = f'No answer from {session.label} within {session.timeout_s:g} s'
        if session.ending:
            reason = f'{session.label} was told to end and did not'
        patience = brain.config.executive.sessions.cancel_timeout_s
        brain.book.expire(session.session_id, brain.now, patience, reason)
        if not session.quiet:
            self._tell(reason)

    def _tell(self, reason: str) -> None:
        self.brain.tracer.emit('ERROR', reason, ok=False, error_reason=reason)


def tell_servers_to_end(brain: Brain) -> None:
    """Sends the cancellations that are due: at once, then again until they are confirmed."""
    period, now = brain.config.executive.sessions.cancel_repeat_s, brain.now.steady
    for session in brain.book.running():
        if not session.ending or session.cancel_accepted:
            continue
        sent_at = session.cancel_sent_at
        if sent_at is None or now - sent_at >= period:
            sent_at = now
            brain.book.cancel_sent(session.session_id, now)
            brain.robot.cancel(session.session_id)
        brain.ring_at(steady=sent_at + period)
