"""Reap what was cancelled: sessions live here until the server's last word or their timeout."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.kernel.sessions import SessionInput


class ReapWhatWasCancelled(Leaf):
    """Always succeeds. Ends overdue sessions and gives back the leases of finished calls."""

    def update(self) -> Status:
        """Looks through the book."""
        book = self.brain.book
        for session in book.overdue(self.brain.now):
            reason = f'No answer from {session.label} within {session.timeout_s:g} s'
            book.apply(session.session_id, SessionInput.TIME_OUT, reason=reason)
            self.brain.tracer.emit('ERROR', reason, ok=False, error_reason=reason)
        book.clear_finished()
        running = book.running()
        for session in running:
            self.brain.ring_at(session.deadline)
        return self.success(', '.join(session.label for session in running))
