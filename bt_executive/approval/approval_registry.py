"""The registry in which requests lie until a human answers. Pure: a table, and the time is given.

An approval is worth one use, of one tool, with the arguments that were shown or edited, in the
situation that was shown. Everything else is refused with a reason, and silence is a refusal.
Whether an answer came in time is decided once, when it comes: an approval of the last moment then
holds for as long as the request was to wait.

| state     | answered in time | expires | situation changed | withdrawn | used |
|-----------|------------------|---------|-------------------|-----------|------|
| waiting   | agreed, rejected | expired | stale             | withdrawn | –    |
| agreed    | –                | expired | stale             | withdrawn | used |
| the rest  | –                | –       | –                 | –         | –    |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
import secrets
from typing import Any, Literal, TypeAlias

from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.approval.approval_validity import another_call, not_fitting, what_changed
from rover_common.call_text import call_in_words
from rover_common.errors import ProtocolError

Action: TypeAlias = Literal['approve', 'edit', 'reject']
ENDED_KEPT = 100  # ended requests that a late answer is still told about


class Standing(Enum):
    """How a request stands; the value completes "Request … "."""

    WAITING = 'waits for an answer'
    AGREED = 'has been approved already'
    REJECTED = 'has been rejected already'
    EXPIRED = 'has expired'
    STALE = 'is out of date: the situation has changed'
    WITHDRAWN = 'is no longer wanted'
    USED = 'has been approved and used already'


OPEN = frozenset({Standing.WAITING, Standing.AGREED})


@dataclass(frozen=True)
class Approval:
    """What the operator said. `arguments`: wanted with edit; with approve, the same or none."""

    action: Action
    arguments: Mapping[str, Any] | None = None
    word: str = ''
    source: str = 'the operator'


@dataclass(frozen=True)
class Entry:
    """A request in the registry.

    `arguments`: those that may be used, once somebody has agreed. `agreed_at`: steady time in s.
    """

    request: ApprovalRequest
    standing: Standing
    arguments: Mapping[str, Any]
    answer: Approval | None = None
    why: str = ''  # it became stale or was withdrawn
    agreed_at: float | None = None

    @property
    def expires_at(self) -> float:
        """Until when it waits or, once it is agreed to, may be used; steady time in s."""
        began = self.request.asked_at if self.agreed_at is None else self.agreed_at
        return began + self.request.expiry_s


class RulingCode(Enum):
    """What became of an answer, or of the use of an approval."""

    APPROVED = auto()
    EDITED = auto()
    REJECTED = auto()
    USED = auto()
    UNKNOWN_REQUEST = auto()  # no request has that id, or the answer names none
    NOT_OPEN = auto()  # as the request stands, it takes no answer or use
    NOT_FITTING = auto()  # the answer's arguments do not fit the request
    OTHER_CALL = auto()  # another call was approved
    STALE = auto()  # the situation has changed


ACCEPTING = frozenset(
    {RulingCode.APPROVED, RulingCode.EDITED, RulingCode.REJECTED, RulingCode.USED}
)


@dataclass(frozen=True)
class ApprovalOutcome:
    """What became of an answer or a use, and a sentence about it."""

    code: RulingCode
    message: str

    @property
    def accepted(self) -> bool:
        """Whether it was taken."""
        return self.code in ACCEPTING


class ApprovalRegistry:
    """All requests of one executive. Not thread-safe: it belongs to the tick thread.

    `run_token` is in every id: answers to a former executive's requests fit none here.
    """

    def __init__(self, run_token: str = '') -> None:
        self._entries: dict[str, Entry] = {}
        self.changes = 0  # grows with each change
        self.run_token = run_token or secrets.token_hex(3)
        self._opened = 0

    def new_id(self) -> str:
        """An id that no other request has, whatever any clock says: `ask-`, token, `-`, count."""
        self._opened += 1
        return f'ask-{self.run_token}-{self._opened}'

    def open(self, request: ApprovalRequest) -> None:
        """Lays a request in the registry.

        Raises:
            ProtocolError: A request of that id lies there, or has lain there.
        """
        if request.request_id in self._entries:
            raise ProtocolError(f'request {request.request_id!r} was opened twice')
        self._put(Entry(request, Standing.WAITING, request.arguments))
        self._forget_oldest()

    def restore(self, request: ApprovalRequest, standing: Standing, why: str) -> None:
        """Enters a request of the previous run as ended: a late answer is refused with that."""
        self._put(Entry(request, standing, request.arguments, why=why))

    def entries(self) -> tuple[Entry, ...]:
        """All requests, oldest first."""
        return tuple(self._entries.values())

    def waiting(self) -> tuple[ApprovalRequest, ...]:
        """The requests that nobody has answered, oldest first. Call `expire` before."""
        return tuple(
            entry.request for entry in self._entries.values() if entry.standing is Standing.WAITING
        )

    def entry(self, request_id: str) -> Entry:
        """How a request stands.

        Raises:
            ProtocolError: No request has this id.
        """
        if request_id not in self._entries:
            raise ProtocolError(f'no request {request_id!r} was opened')
        return self._entries[request_id]

    def find(self, request_id: str) -> ApprovalRequest | ApprovalOutcome:
        """The waiting request that an operator means, or why there is none. Call `expire` before.

        An answer that names no request is none.
        """
        entry = self._entries.get(request_id)
        if entry is not None:
            return entry.request if entry.standing is Standing.WAITING else _not_open(entry)
        waiting = ', '.join(each.request_id for each in self.waiting()) or 'none'
        if request_id:
            said = f'No request {request_id!r:.40}; waiting: {waiting}'
        else:
            said = f'The answer names no request: give its id; waiting: {waiting}'
        return ApprovalOutcome(RulingCode.UNKNOWN_REQUEST, said)

    def resolve(
        self, request_id: str, answer: Approval, facts: Mapping[str, Any], now: float
    ) -> ApprovalOutcome:
        """Takes an answer. `facts`: the state that matters, as it is now."""
        self.expire(now)
        request = self.find(request_id)
        if isinstance(request, ApprovalOutcome):
            return request
        entry = self._entries[request.request_id]
        name = f'Request {request.request_id}'
        if answer.action == 'reject':
            self._put(replace(entry, standing=Standing.REJECTED, answer=answer))
            return ApprovalOutcome(RulingCode.REJECTED, f'{name} is rejected')
        fault = not_fitting(entry.request, answer.action, answer.arguments)
        if fault is not None:
            return ApprovalOutcome(RulingCode.NOT_FITTING, f'{name}: {fault}')
        stale = self._stale(entry, facts)
        if stale:
            return stale
        arguments = entry.arguments if answer.arguments is None else answer.arguments
        self._put(
            replace(
                entry,
                standing=Standing.AGREED,
                arguments=dict(arguments),
                answer=answer,
                agreed_at=now,
            )
        )
        if answer.action == 'edit':
            asked, wanted = (
                call_in_words(request.tool, each) for each in (entry.arguments, arguments)
            )
            said = f'{name} is approved with a change, {asked} to {wanted}, which is checked again'
            return ApprovalOutcome(RulingCode.EDITED, said)
        return ApprovalOutcome(RulingCode.APPROVED, f'{name} is approved')

    def use(
        self,
        request_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        facts: Mapping[str, Any],
        now: float,
    ) -> ApprovalOutcome:
        """Spends an approval on a call that is about to be made."""
        self.expire(now)
        entry = self._entries.get(request_id)
        if entry is None:
            return ApprovalOutcome(RulingCode.UNKNOWN_REQUEST, f'No request {request_id!r:.40}')
        name = f'Request {request_id}'
        if entry.standing is not Standing.AGREED:
            return _not_open(entry)
        other = another_call(entry.request, entry.arguments, tool, arguments)
        if other is not None:
            return ApprovalOutcome(RulingCode.OTHER_CALL, other)
        stale = self._stale(entry, facts)
        if stale:
            return stale
        self._put(replace(entry, standing=Standing.USED))
        return ApprovalOutcome(RulingCode.USED, f'{name} is used')

    def expire(self, now: float) -> None:
        """Ends the requests whose time is over; approvals that were not used as well."""
        for entry in list(self._entries.values()):
            if entry.standing in OPEN and now >= entry.expires_at:
                self._put(replace(entry, standing=Standing.EXPIRED))

    def withdraw(self, request_id: str, why: str) -> bool:
        """Ends a request that is not wanted any more; False if it has ended already."""
        entry = self.entry(request_id)
        if entry.standing not in OPEN:
            return False
        self._put(replace(entry, standing=Standing.WITHDRAWN, why=why))
        return True

    def _stale(self, entry: Entry, facts: Mapping[str, Any]) -> ApprovalOutcome | None:
        changed = what_changed(entry.request.facts, facts)
        if changed is None:
            return None
        self._put(replace(entry, standing=Standing.STALE, why=changed))
        said = f'Request {entry.request.request_id} is out of date: {changed}'
        return ApprovalOutcome(RulingCode.STALE, said)

    def _put(self, entry: Entry) -> None:
        self._entries[entry.request.request_id] = entry
        self.changes += 1

    def _forget_oldest(self) -> None:
        ended = [each for each, entry in self._entries.items() if entry.standing not in OPEN]
        for request_id in ended[: max(0, len(ended) - ENDED_KEPT)]:
            del self._entries[request_id]


def _not_open(entry: Entry) -> ApprovalOutcome:
    why = f' ({entry.why})' if entry.why else ''
    said = f'Request {entry.request.request_id} {entry.standing.value}{why}'
    return ApprovalOutcome(RulingCode.NOT_OPEN, said)
