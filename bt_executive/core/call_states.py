"""The states of one call to a ROS service, action or topic, as a table.

    REQUESTED ─send─▶ SENT ─accept─▶ ACCEPTED ─progress─▶ RUNNING ─▶ SUCCEEDED, FAILED, …
        │              ├─reject─▶ REJECTED     ├─cancel─▶ CANCELLING ─▶ CANCELLED, or as it ended
        │ cancel       │ cancel                └─expire─▶ EXPIRED ─▶ TIMED_OUT
        ▼              ▼
    CANCELLED    CANCEL_WANTED ─accept─▶ CANCELLING

- A service knows no acceptance: sending it is accepting it. It cannot be cancelled either: a
  cancelled service call is CANCELLING until its answer, or its timeout, ends it.
- A message on a topic has SUCCEEDED when it is published.
- CANCEL_WANTED: cancelled before the server has said yes. The wish is kept and sent with its yes.
- EXPIRED: the time of an action is over and its server has been told to end it. Whatever its last
  word is, the call has timed out; until then it may still move something.
- A refused cancellation ends nothing: the call stays CANCELLING and is asked again.
- TIME_OUT and LOSE end every open state.

What the table does not list changes nothing: a result that arrives late, twice or for a call
long ended is only traced. Everything that decides about a call's course stands in this table;
nothing else may look at answers of a server. docs/skills.md shows it.
"""

from __future__ import annotations

from enum import Enum


class CallState(Enum):
    """Where a call stands."""

    REQUESTED = 'requested'
    SENT = 'sent'
    ACCEPTED = 'accepted'
    RUNNING = 'running'
    CANCEL_WANTED = 'cancel wanted'
    CANCELLING = 'cancelling'
    EXPIRED = 'expired'
    SUCCEEDED = 'succeeded'
    FAILED = 'failed'
    REJECTED = 'rejected'
    CANCELLED = 'cancelled'
    TIMED_OUT = 'timed out'
    LOST = 'lost'


class CallInput(Enum):
    """What can happen to a call."""

    SEND = 'send'
    ACCEPT = 'accept'
    REJECT = 'reject'
    PROGRESS = 'progress'
    SUCCEED = 'succeed'
    FAIL = 'fail'
    CANCEL = 'cancel'
    CANCEL_ACCEPTED = 'cancel accepted'
    CANCEL_REFUSED = 'cancel refused'
    CANCELLED = 'cancelled'
    EXPIRE = 'expire'
    TIME_OUT = 'time out'
    LOSE = 'lose'


_S = CallState
_I = CallInput

TERMINAL = frozenset({_S.SUCCEEDED, _S.FAILED, _S.REJECTED, _S.CANCELLED, _S.TIMED_OUT, _S.LOST})
ENDING = frozenset({_S.CANCEL_WANTED, _S.CANCELLING, _S.EXPIRED})  # the server is to end it

_GIVEN_UP = {_I.TIME_OUT: _S.TIMED_OUT, _I.LOSE: _S.LOST}

_LAST_WORDS = {
    _I.SUCCEED: _S.SUCCEEDED,
    _I.FAIL: _S.FAILED,
    _I.CANCELLED: _S.CANCELLED,
    **_GIVEN_UP,
}

TRANSITIONS: dict[CallState, dict[CallInput, CallState]] = {
    _S.REQUESTED: {_I.SEND: _S.SENT, _I.CANCEL: _S.CANCELLED, **_GIVEN_UP},
    _S.SENT: {
        _I.ACCEPT: _S.ACCEPTED,
        _I.REJECT: _S.REJECTED,
        _I.FAIL: _S.FAILED,  # it could not be sent
        _I.PROGRESS: _S.SENT,  # feedback may overtake the acceptance
        _I.CANCEL: _S.CANCEL_WANTED,
        _I.EXPIRE: _S.EXPIRED,
        **_GIVEN_UP,
    },
    _S.ACCEPTED: {
        _I.PROGRESS: _S.RUNNING,
        _I.CANCEL: _S.CANCELLING,
        _I.EXPIRE: _S.EXPIRED,
        **_LAST_WORDS,
    },
    _S.RUNNING: {
        _I.PROGRESS: _S.RUNNING,
        _I.CANCEL: _S.CANCELLING,
        _I.EXPIRE: _S.EXPIRED,
        **_LAST_WORDS,
    },
    _S.CANCEL_WANTED: {
        _I.ACCEPT: _S.CANCELLING,
        _I.REJECT: _S.CANCELLED,
        _I.FAIL: _S.CANCELLED,
        _I.PROGRESS: _S.CANCEL_WANTED,
        **_GIVEN_UP,
    },
    _S.CANCELLING: {
        _I.PROGRESS: _S.CANCELLING,
        _I.CANCEL_ACCEPTED: _S.CANCELLING,
        _I.CANCEL_REFUSED: _S.CANCELLING,
        **_LAST_WORDS,
    },
    _S.EXPIRED: {
        _I.ACCEPT: _S.EXPIRED,
        _I.PROGRESS: _S.EXPIRED,
        _I.CANCEL_ACCEPTED: _S.EXPIRED,
        _I.CANCEL_REFUSED: _S.EXPIRED,
        _I.REJECT: _S.TIMED_OUT,
        **dict.fromkeys(_LAST_WORDS, _S.TIMED_OUT),
    },
    **{state: {} for state in TERMINAL},
}


def advance(state: CallState, happened: CallInput) -> CallState | None:
    """The state after `happened`; None if it changes nothing in this state."""
    return TRANSITIONS[state].get(happened)
