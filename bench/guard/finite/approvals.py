"""One request for approval after the other: `approval/approval_registry.py`.

Answers come late, twice, for another request, with other arguments, or for a situation that has
changed; the tool's call is made in any of them.

Invariants:
- A call is made only after a yes to that very request, for those arguments, in that situation,
  before the request has expired; and once.
- What was rejected, has expired or was withdrawn is never used.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from bt_executive.approval.approval_registry import ApprovalAnswer, ApprovalRegistry, RequestState
from bt_executive.approval.approval_request import ApprovalRequest

EXPIRY_S = 2.0
SHOWN, OTHER = {'duration_s': 2}, {'duration_s': 20}
STANDS, MOVED = {'mast': 'closed'}, {'mast': 'open'}
IDS = ('ask-run-1', 'ask-run-2')
OPEN, PASS, CHANGE = 'a call is asked for', 'a second passes', 'the situation changes'
SITUATIONS = (STANDS, MOVED)


class Approvals:
    """The registry with two requests of the same tool."""

    def __init__(self) -> None:
        self.registry = ApprovalRegistry('run')
        self.now = 0.0
        self.situation = 0
        self.agreed: dict[str, tuple[float, int]] = {}  # by us: when, in which situation
        self.asked: dict[str, tuple[float, int]] = {}
        self.used: frozenset[str] = frozenset()

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        answers = ('yes', 'yes to others', 'edit', 'no', 'use', 'use for others', 'withdraw')
        found = [PASS, CHANGE]
        if len(self.asked) < len(IDS):
            found.append(OPEN)
        return (*found, *(f'{each}: {name}' for name in IDS for each in answers))

    def do(self, move: str) -> str:
        """See `Machine`."""
        registry, situation = self.registry, SITUATIONS[self.situation]
        if move == PASS:
            self.now += 1.0
        elif move == CHANGE:
            self.situation = 1 - self.situation
        elif move == OPEN:
            name = registry.new_id()
            self.asked[name] = self.now, self.situation
            request = ApprovalRequest(
                name,
                'goal',
                'drive',
                'move_forward',
                SHOWN,
                '',
                '',
                0.0,
                self.now,
                EXPIRY_S,
                situation,
            )
            registry.open(request)
        else:
            what, _, name = move.partition(': ')
            return self._answer(what, name)
        return ''

    def _answer(self, what: str, name: str) -> str:
        registry, situation = self.registry, SITUATIONS[self.situation]
        if what == 'withdraw':
            if name in self.asked:
                registry.withdraw(name, 'not wanted')
            return ''
        if what.startswith('use'):
            return self._use(name, SHOWN if what == 'use' else OTHER)
        arguments = {'yes': None, 'yes to others': OTHER, 'edit': OTHER, 'no': None}[what]
        action = {'edit': 'edit', 'no': 'reject'}.get(what, 'approve')
        ruling = registry.resolve(name, ApprovalAnswer(action, arguments), situation, self.now)  # type: ignore[arg-type]
        if ruling.accepted and what == 'yes to others':
            return 'a yes is for the arguments that were shown'
        if ruling.accepted and what != 'no':
            self.agreed[name] = self.now, self.situation
        return ''

    def _use(self, name: str, arguments: dict[str, int]) -> str:
        entry = next((e for e in self.registry.entries() if e.request.request_id == name), None)
        ruling = self.registry.use(
            name, 'move_forward', arguments, SITUATIONS[self.situation], self.now
        )
        if not ruling.accepted:
            return ''
        if name in self.used:
            return 'an approval is used once'
        self.used |= {name}
        if name not in self.agreed or entry is None:
            return 'a call is made only after a yes'
        if dict(entry.arguments) != arguments:
            return 'an approval is of the arguments that were agreed to'
        if self.situation != self.asked[name][1]:
            return 'an approval is of the situation that was shown'
        if self.now - self.agreed[name][0] >= EXPIRY_S:
            return 'an approval that has expired is not used'
        return ''

    def key(self) -> Hashable:
        """See `Machine`."""
        entries = tuple(
            (
                each.request.request_id,
                each.state,
                tuple(each.arguments.items()),
                max(each.expires_at - self.now, -1.0) if each.state in LIVE else 0.0,
            )
            for each in self.registry.entries()
        )
        agreed = ((name, min(self.now - at, EXPIRY_S)) for name, (at, _) in self.agreed.items())
        asked = tuple((name, situation) for name, (_, situation) in self.asked.items())
        return entries, self.situation, tuple(sorted(self.used)), tuple(sorted(agreed)), asked


LIVE = (RequestState.WAITING, RequestState.APPROVED)
