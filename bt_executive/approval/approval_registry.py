"""Registry of approval requests and of the answers to them. Pure: the caller passes the time.

An approval is valid for one use of one tool, with the arguments that were shown or edited, in the
situation that was shown. Everything else is refused with a reason; no answer is a refusal.
Whether an answer is in time is decided once, on its arrival: an approval then stays valid for
another `expiry_s`.

| state     | answer in time     | expiry  | situation changed | withdrawal | use  |
|-----------|--------------------|---------|-------------------|------------|------|
| waiting   | approved, rejected | expired | stale             | withdrawn  | –    |
| approved  | –                  | expired | stale             | withdrawn  | used |
| any other | –                  | –       | –                 | –          | –    |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
import secrets
from typing import Any, Literal, TypeAlias

from bt_executive.approval.approval_request import (
    ApprovalRequest,
    describe_change,
    describe_invalid_answer,
    describe_other_call,
)
from rover_common.call_text import format_call
from rover_common.errors import ProtocolError

Action: TypeAlias = Literal['approve', 'edit', 'reject']
MAX_ENDED = 100  # ended requests that are kept to explain why a late answer is refused


class RequestState(Enum):
    """State of a request. The value completes "Request … " and is stored in checkpoints."""

    WAITING = 'waits for an answer'
    APPROVED = 'has been approved already'
    REJECTED = 'has been rejected already'
    EXPIRED = 'has expired'
    STALE = 'is out of date: the situation has changed'
    WITHDRAWN = 'is no longer wanted'
    USED = 'has been approved and used already'


OPEN_STATES = frozenset({RequestState.WAITING, RequestState.APPROVED})


@dataclass(frozen=True)
class ApprovalAnswer:
    """The operator's answer.

    `arguments`: required for edit; for approve, None or the arguments that were shown.
    """

    action: Action
    arguments: Mapping[str, Any] | None = None
    message: str = ''
    source: str = 'the operator'


@dataclass(frozen=True)
class ApprovalEntry:
    """A request and its state.

    `arguments`: those that may be used after an approval. `reason`: why it is stale or withdrawn.
    `approved_at`: steady time in s.
    """

    request: ApprovalRequest
    state: RequestState
    arguments: Mapping[str, Any]
    answer: ApprovalAnswer | None = None
    reason: str = ''
    approved_at: float | None = None

    @property
    def expires_at(self) -> float:
        """Steady time in s at which the request or, once given, the approval expires."""
        start = self.request.asked_at if self.approved_at is None else self.approved_at
        return start + self.request.expiry_s


@dataclass(frozen=True)
class ApprovalOutcome:
    """Whether an answer or a use was accepted, with a sentence for the operator."""

    accepted: bool
    message: str


class ApprovalRegistry:
    """All requests of one executive. Not thread-safe: it belongs to the tick thread.

    `run_token` is part of every id, so that an answer to a request of a previous run matches none.
    """

    def __init__(self, run_token: str = '') -> None:
        self._entries: dict[str, ApprovalEntry] = {}
        self.changes = 0  # number of changes so far
        self.run_token = run_token or secrets.token_hex(3)
        self._id_count = 0

    def new_id(self) -> str:
        """Return a unique id that depends on no clock: `ask-`, the run's token, `-`, a count."""
        self._id_count += 1
        return f'ask-{self.run_token}-{self._id_count}'

    def open(self, request: ApprovalRequest) -> None:
        """Adds a request that waits for an answer.

        Raises:
            ProtocolError: The registry has, or had, a request of that id.
        """
        if request.request_id in self._entries:
            raise ProtocolError(f'request {request.request_id!r} was opened twice')
        self._set(ApprovalEntry(request, RequestState.WAITING, request.arguments))
        self._discard_oldest()

    def restore(self, request: ApprovalRequest, state: RequestState, reason: str) -> None:
        """Adds an ended request of the previous run, so that a late answer is refused with why."""
        self._set(ApprovalEntry(request, state, request.arguments, reason=reason))

    def entries(self) -> tuple[ApprovalEntry, ...]:
        """Return all requests, oldest first."""
        return tuple(self._entries.values())

    def waiting(self) -> tuple[ApprovalRequest, ...]:
        """Return the unanswered requests, oldest first. Call `expire` first."""
        return tuple(
            entry.request
            for entry in self._entries.values()
            if entry.state is RequestState.WAITING
        )

    def entry(self, request_id: str) -> ApprovalEntry:
        """Return a request with its state.

        Raises:
            ProtocolError: No request has this id.
        """
        if request_id not in self._entries:
            raise ProtocolError(f'no request {request_id!r} was opened')
        return self._entries[request_id]

    def find(self, request_id: str) -> ApprovalRequest | ApprovalOutcome:
        """Return the waiting request of an id, or why there is none. Call `expire` first.

        An empty id matches no request, even if only one waits.
        """
        entry = self._entries.get(request_id)
        if entry is not None:
            waits = entry.state is RequestState.WAITING
            return entry.request if waits else _refuse_closed(entry)
        waiting = ', '.join(request.request_id for request in self.waiting()) or 'none'
        if request_id:
            message = f'No request {request_id!r:.40}; waiting: {waiting}'
        else:
            message = f'The answer names no request: give its id; waiting: {waiting}'
        return ApprovalOutcome(False, message)

    def resolve(
        self, request_id: str, answer: ApprovalAnswer, situation: Mapping[str, Any], now: float
    ) -> ApprovalOutcome:
        """Applies an answer. `situation`: the state that matters for the call, at this moment."""
        self.expire(now)
        request = self.find(request_id)
        if isinstance(request, ApprovalOutcome):
            return request
        entry = self._entries[request.request_id]
        name = f'Request {request.request_id}'
        if answer.action == 'reject':
            self._set(replace(entry, state=RequestState.REJECTED, answer=answer))
            return ApprovalOutcome(True, f'{name} is rejected')
        fault = describe_invalid_answer(entry.request, answer.action, answer.arguments)
        if fault is not None:
            return ApprovalOutcome(False, f'{name}: {fault}')
        stale = self._check_situation(entry, situation)
        if stale:
            return stale
        arguments = entry.arguments if answer.arguments is None else answer.arguments
        self._set(
            replace(
                entry,
                state=RequestState.APPROVED,
                arguments=dict(arguments),
                answer=answer,
                approved_at=now,
            )
        )
        if answer.action == 'edit':
            old = format_call(request.tool, entry.arguments)
            new = format_call(request.tool, arguments)
            message = f'{name} is approved with a change, {old} to {new}, which is checked again'
            return ApprovalOutcome(True, message)
        return ApprovalOutcome(True, f'{name} is approved')

    def use(
        self,
        request_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        situation: Mapping[str, Any],
        now: float,
    ) -> ApprovalOutcome:
        """Uses an approval up for a call that is about to be sent."""
        self.expire(now)
        entry = self._entries.get(request_id)
        if entry is None:
            message = f'No request {request_id!r:.40}'
            return ApprovalOutcome(False, message)
        if entry.state is not RequestState.APPROVED:
            return _refuse_closed(entry)
        other = describe_other_call(entry.request, entry.arguments, tool, arguments)
        if other is not None:
            return ApprovalOutcome(False, other)
        stale = self._check_situation(entry, situation)
        if stale:
            return stale
        self._set(replace(entry, state=RequestState.USED))
        return ApprovalOutcome(True, f'Request {request_id} is used')

    def expire(self, now: float) -> None:
        """Ends the requests, and the unused approvals, whose time is over."""
        for entry in list(self._entries.values()):
            if entry.state in OPEN_STATES and now >= entry.expires_at:
                self._set(replace(entry, state=RequestState.EXPIRED))

    def withdraw(self, request_id: str, reason: str) -> bool:
        """Ends a request that is no longer wanted. Return False if it has ended before."""
        entry = self.entry(request_id)
        if entry.state not in OPEN_STATES:
            return False
        self._set(replace(entry, state=RequestState.WITHDRAWN, reason=reason))
        return True

    def _check_situation(
        self, entry: ApprovalEntry, situation: Mapping[str, Any]
    ) -> ApprovalOutcome | None:
        change = describe_change(entry.request.facts, situation)
        if change is None:
            return None
        self._set(replace(entry, state=RequestState.STALE, reason=change))
        message = f'Request {entry.request.request_id} is out of date: {change}'
        return ApprovalOutcome(False, message)

    def _set(self, entry: ApprovalEntry) -> None:
        self._entries[entry.request.request_id] = entry
        self.changes += 1

    def _discard_oldest(self) -> None:
        ended = [key for key, entry in self._entries.items() if entry.state not in OPEN_STATES]
        for request_id in ended[: max(0, len(ended) - MAX_ENDED)]:
            del self._entries[request_id]


def _refuse_closed(entry: ApprovalEntry) -> ApprovalOutcome:
    reason = f' ({entry.reason})' if entry.reason else ''
    message = f'Request {entry.request.request_id} {entry.state.value}{reason}'
    return ApprovalOutcome(False, message)
