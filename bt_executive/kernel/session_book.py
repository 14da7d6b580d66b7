"""The book of sessions: every call that has been started, until its terminal entry.

A tool call (`call_id`) may open several sessions, for example a motion and its stop. The call's
leases are given back when the tool has ended and its last session has, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
import itertools
from typing import Any

from bt_executive.kernel.leases import Leases
from bt_executive.kernel.sessions import TERMINAL, SessionInput, SessionState, advance


@dataclass(frozen=True)
class Session:
    """One call to a service or action. Times are ROS seconds."""

    session_id: str
    call_id: str
    label: str  # name of the service or action
    started_at: float
    timeout_s: float
    state: SessionState = SessionState.REQUESTED
    fields: Mapping[str, Any] | None = None  # the response, once it came
    reason: str = ''  # why it ended without one

    @property
    def ended(self) -> bool:
        """Whether it has its terminal entry."""
        return self.state in TERMINAL

    @property
    def deadline(self) -> float:
        """When it times out."""
        return self.started_at + self.timeout_s


class SessionBook:
    """All sessions that are open, the result of those just ended, and the leases."""

    def __init__(self) -> None:
        self.leases = Leases()
        self._sessions: dict[str, Session] = {}
        self._finished_calls: set[str] = set()
        self._numbers = itertools.count(1)

    def open(self, call_id: str, label: str, now: float, timeout_s: float) -> Session:
        """Enters a new session in state REQUESTED."""
        session = Session(f'{call_id}.{next(self._numbers)}', call_id, label, now, timeout_s)
        self._sessions[session.session_id] = session
        return session

    def get(self, session_id: str) -> Session | None:
        """The session, unless it ended and was cleared."""
        return self._sessions.get(session_id)

    def apply(
        self,
        session_id: str,
        happened: SessionInput,
        fields: Mapping[str, Any] | None = None,
        reason: str = '',
    ) -> bool:
        """Enters what happened; False if the table gives it no effect."""
        session = self._sessions.get(session_id)
        after = advance(session.state, happened) if session else None
        if session is None or after is None:
            return False
        self._sessions[session_id] = replace(
            session,
            state=after,
            fields=session.fields if fields is None else fields,
            reason=reason or session.reason,
        )
        return True

    def running(self) -> tuple[Session, ...]:
        """Sessions without a terminal entry, oldest first."""
        return tuple(session for session in self._sessions.values() if not session.ended)

    def overdue(self, now: float) -> tuple[Session, ...]:
        """Open sessions whose time is over."""
        return tuple(session for session in self.running() if now >= session.deadline)

    def finish_call(self, call_id: str) -> None:
        """The tool has ended: nothing new is opened for this call."""
        self._finished_calls.add(call_id)

    def clear_finished(self) -> tuple[str, ...]:
        """Releases the leases of finished calls without open sessions; returns those calls."""
        busy = {session.call_id for session in self.running()}
        cleared = tuple(call for call in self._finished_calls if call not in busy)
        for call_id in cleared:
            self.leases.release(call_id)
            self._finished_calls.discard(call_id)
        self._forget(cleared)
        return cleared

    def _forget(self, calls: Iterable[str]) -> None:
        gone = set(calls)
        self._sessions = {
            key: session for key, session in self._sessions.items() if session.call_id not in gone
        }
