"""The states of one call to a ROS service, action or topic, as a table.

    REQUESTED ─send─▶ SENT ─accept─▶ ACCEPTED ─progress─▶ RUNNING ─▶ SUCCEEDED, FAILED, …
        │              ├─reject─▶ REJECTED     ├─cancel─▶ CANCELLING ─▶ CANCELLED, or as it ended
        │ cancel       │ cancel                └─expire─▶ EXPIRED ─▶ TIMED_OUT
        ▼              ▼
    CANCELLED    CANCEL_WANTED ─accept─▶ CANCELLING

- A service has no acceptance: its call is accepted when it is sent. It cannot be cancelled either:
  a cancelled service call is CANCELLING until its answer, or its timeout, ends it.
- A message on a topic has SUCCEEDED when it is published.
- CANCEL_WANTED: cancelled before the server has accepted. The cancellation is sent once it has.
- EXPIRED: the time of an action is over and its server was asked to cancel it. Whatever its final
  response is, the call has timed out; until then it may still move something.
- A refused cancellation ends nothing: the call stays CANCELLING and the request is repeated.
- TIME_OUT and LOSE end every open state.

A transition that the table does not list changes nothing: a result that arrives late, twice or
for a call that has ended is only traced. This table alone decides how a server's response changes
a call. docs/skills.md shows it.
"""

from __future__ import annotations

from enum import Enum


class CallState(Enum):
    """The state of a call."""

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
ENDING = frozenset({_S.CANCEL_WANTED, _S.CANCELLING, _S.EXPIRED})  # the server is to cancel it
# A server that reports one of these does not run the goal any more.
ENDS = frozenset({_I.REJECT, _I.SUCCEED, _I.FAIL, _I.CANCELLED, _I.LOSE})

_GIVEN_UP = {_I.TIME_OUT: _S.TIMED_OUT, _I.LOSE: _S.LOST}

_FINAL = {_I.SUCCEED: _S.SUCCEEDED, _I.FAIL: _S.FAILED, _I.CANCELLED: _S.CANCELLED, **_GIVEN_UP}

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
        **_FINAL,
    },
    _S.RUNNING: {
        _I.PROGRESS: _S.RUNNING,
        _I.CANCEL: _S.CANCELLING,
        _I.EXPIRE: _S.EXPIRED,
        **_FINAL,
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
        **_FINAL,
    },
    _S.EXPIRED: {
        _I.ACCEPT: _S.EXPIRED,
        _I.PROGRESS: _S.EXPIRED,
        _I.CANCEL_ACCEPTED: _S.EXPIRED,
        _I.CANCEL_REFUSED: _S.EXPIRED,
        _I.REJECT: _S.TIMED_OUT,
        **dict.fromkeys(_FINAL, _S.TIMED_OUT),
    },
    **{state: {} for state in TERMINAL},
}


def advance(state: CallState, happened: CallInput) -> CallState | None:
    """Return the state after an input; None: it changes nothing in this state."""
    return TRANSITIONS[state].get(happened)
