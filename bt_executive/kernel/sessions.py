"""The life of one call to a ROS service or action, as a table.

    REQUESTED ──send──▶ SENT ──accept──▶ RUNNING ──▶ SUCCEEDED | FAILED
        │                 │ cancel          │ cancel
        │ cancel          ▼                 ▼
        ▼           CANCEL_WANTED ──accept──▶ CANCELLING ──▶ CANCELLED (or how it ended anyway)
    CANCELLED

A service knows no acceptance: sending it is accepting it. TIMED_OUT and LOST can come in every
open state. What the table does not list changes nothing: a result that arrives late, twice or
for a session long ended is only traced. Everything that decides about a session's life must
stand in this table; nothing else may look at answers of a server.
"""

from __future__ import annotations

from enum import Enum


class SessionState(Enum):
    """Where a call stands."""

    REQUESTED = 'requested'
    SENT = 'sent'
    RUNNING = 'running'
    CANCEL_WANTED = 'cancel wanted'
    CANCELLING = 'cancelling'
    SUCCEEDED = 'succeeded'
    FAILED = 'failed'
    CANCELLED = 'cancelled'
    TIMED_OUT = 'timed out'
    LOST = 'lost'


class SessionInput(Enum):
    """What can happen to a call."""

    SEND = 'send'
    ACCEPT = 'accept'
    REJECT = 'reject'
    SUCCEED = 'succeed'
    FAIL = 'fail'
    CANCEL = 'cancel'
    CANCELLED = 'cancelled'
    TIME_OUT = 'time out'
    LOSE = 'lose'


TERMINAL = frozenset(
    {
        SessionState.SUCCEEDED,
        SessionState.FAILED,
        SessionState.CANCELLED,
        SessionState.TIMED_OUT,
        SessionState.LOST,
    }
)

_ENDINGS = {
    SessionInput.SUCCEED: SessionState.SUCCEEDED,
    SessionInput.FAIL: SessionState.FAILED,
    SessionInput.CANCELLED: SessionState.CANCELLED,
    SessionInput.TIME_OUT: SessionState.TIMED_OUT,
    SessionInput.LOSE: SessionState.LOST,
}

TRANSITIONS: dict[SessionState, dict[SessionInput, SessionState]] = {
    SessionState.REQUESTED: {
        SessionInput.SEND: SessionState.SENT,
        SessionInput.CANCEL: SessionState.CANCELLED,
        SessionInput.TIME_OUT: SessionState.TIMED_OUT,
        SessionInput.LOSE: SessionState.LOST,
    },
    SessionState.SENT: {
        SessionInput.ACCEPT: SessionState.RUNNING,
        SessionInput.REJECT: SessionState.FAILED,
        SessionInput.CANCEL: SessionState.CANCEL_WANTED,
        **_ENDINGS,
    },
    SessionState.RUNNING: {SessionInput.CANCEL: SessionState.CANCELLING, **_ENDINGS},
    SessionState.CANCEL_WANTED: {
        SessionInput.ACCEPT: SessionState.CANCELLING,
        SessionInput.REJECT: SessionState.CANCELLED,
        **_ENDINGS,
    },
    SessionState.CANCELLING: dict(_ENDINGS),
    **{state: {} for state in TERMINAL},
}


def advance(state: SessionState, happened: SessionInput) -> SessionState | None:
    """The state after `happened`; None if it changes nothing in this state."""
    return TRANSITIONS[state].get(happened)
