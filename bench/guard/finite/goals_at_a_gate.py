"""An action gate, its action's server, and another client's goal there.

Invariants, beside those of `gate_link.py`:
- Only goals that a heartbeat named are cancelled: a server has other clients.
- A goal that goes on although nothing permits it is cancelled again and again.
- Where a measurement says whether it moves, an old one is no standstill.
- No goal that has not ended counts as a standstill, unless the server has just said that it knows
  no such goal, and has not listed it since.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from bench.guard.finite.gate_link import HERE, STOP, TIMEOUT_S, UPDATE, GateLink, permit_here
from gates.action_gate import ActionGate
from gates.goals_to_cancel import OwnGoals, Stage
from gates.permit_rules import PermitRules

LATE_S = 0.5  # after a heartbeat named a goal
CANCEL_WITHIN_S = 0.3  # the longest period of a gate's checks
LISTS = 'the server lists'


class Goals(GateLink):
    """An action gate, its action's server, and another client's goal there."""

    gives = (('reach', HERE),)

    def __init__(self, permits: int = 2, heartbeats: int = 2) -> None:
        super().__init__(permits, heartbeats)
        self.gate = _impatient(ActionGate(HERE, TIMEOUT_S))
        self.server = {'a goal of others': True}  # goal → whether it has not ended
        self.listed: dict[str, bool] = {}
        self.named: set[str] = set()
        self.asked: dict[str, float] = {}
        self.cancels: list[str] = []
        self.unknown: set[str] = set()

    @property
    def rules(self) -> PermitRules:
        """See `GateLink.rules`."""
        return self.gate._rules

    @classmethod
    def stopped(cls) -> Goals:
        """A goal continues although a stop was requested: the cancel was lost."""
        found = cls()
        begin = (f'permit reach {HERE}', 'heartbeat 0 arrives', 'begins: goal 1', LISTS)
        for move in (*begin, STOP, 'lost: goal 1'):
            assert not found.do(move)
        found.most_permits = found.most_heartbeats = 1
        return found

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        found = [*super().moves(), LISTS]
        for number in range(1, self.permits.issued + 1):
            if f'goal {number}' not in self.server:
                found.append(f'begins: goal {number}')
        found += [f'cancel: {goal}' for goal in self.cancels]
        found += [f'lost: {goal}' for goal in self.cancels]
        return found

    def _do(self, move: str) -> str:
        if self.at_executive(move):
            return ''
        what, _, goal = move.partition(': ')
        if what == 'begins':
            self.server[goal] = True
        elif what in ('cancel', 'lost'):
            self.cancels.remove(goal)
            if what == 'cancel':
                self._cancelled(goal)
        elif move == LISTS:
            self.listed = dict(self.server)
            self.unknown -= set(self.listed)
            self.gate.goals.update_status(self.listed)
        else:
            return self._at_gate(move)
        return self._standstill()

    def _cancelled(self, goal: str) -> None:
        if goal not in self.server:
            self.gate.goals.note_unknown(goal, self.now)
            is_over = self.gate.goals._stages.get(goal) is Stage.ENDED
            self.unknown |= {goal} if is_over else set()
        elif not self.server[goal]:
            self.gate.goals.note_ended(goal)
        else:
            self.server[goal] = False

    def _at_gate(self, move: str) -> str:
        held = self.gate._rules.holder.number
        self.note_end(held)
        if move == STOP:
            self.note_stop()
            self.gate.stop('a stop')
        elif move == UPDATE:
            self.gate.update(self.now)
        else:
            self.gate.receive(self.arriving(move), self.now, self.now)
            if self.counted and (named := permit_here(self.counted).goal):
                self.named.add(named)
        if held and self.gate._rules.holder.number != held:
            self.over.add(held)
        return self.held_wrongly(self.gate._rules.holder) or self._act() or self._standstill()

    def _act(self) -> str:
        held = self.gate.held_goal(self.now)
        if held and held != self.permit.goal:
            return 'a goal goes on only under a young permit for it that has ended nothing'
        due = self.gate.goals.to_cancel(held, self.now)
        if set(due) - self.named:
            return 'only goals that a heartbeat named are cancelled'
        self.asked |= dict.fromkeys(due, self.now)
        self.cancels = sorted({*self.cancels, *due})
        for goal in self.named - {held}:
            is_open = self.listed.get(goal) and self.server[goal]
            if is_open and self.now - self.asked.get(goal, -99.0) > CANCEL_WITHIN_S:
                return 'a goal that nothing permits is cancelled again and again'
        return ''

    def _standstill(self) -> str:
        unended = any(self.server.get(each, True) for each in self.named - self.unknown)
        if unended and self.gate.moving(self.now) is False:
            return 'no goal that has not ended counts as a standstill'
        return ''

    def key(self) -> Hashable:
        """See `Machine`."""
        goals = self.gate.goals
        return (
            self.link_key(self.gate),
            tuple(sorted(self.server.items())),
            tuple(sorted(self.listed.items())),
            (tuple(sorted(self.named)), tuple(sorted(self.unknown))),
            tuple(self.cancels),
            tuple(sorted(goals._listed.items())),
            self._ages(self.asked, [each for each in self.asked if self.server.get(each)]),
            self._ages(goals._cancelled_at, goals._cancelled_at),
            # A goal's delay matters until the server has reported on it.
            self._ages(goals._named_at, [g for g, s in goals._stages.items() if s is Stage.NAMED]),
            tuple(sorted((goal, each.name) for goal, each in goals._stages.items())),
        )

    def _ages(self, moments: Mapping[str, float], goals: Iterable[str]) -> Hashable:
        return tuple((goal, self.age(moments[goal])) for goal in sorted(goals))


class MeasuredGoals(Goals):
    """The same, where a measurement shows whether the arm moves."""

    def __init__(self, permits: int = 2, heartbeats: int = 2) -> None:
        super().__init__(permits, heartbeats)
        self.gate = _impatient(ActionGate(HERE, TIMEOUT_S, TIMEOUT_S))
        self.measured: tuple[bool, float] | None = None

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        return [*super().moves(), 'it is seen to move', 'it is seen to stand']

    def _do(self, move: str) -> str:
        if not move.startswith('it is seen'):
            return super()._do(move)
        self.measured = (move.endswith('move'), self.now)
        self.gate.measure(*self.measured)
        return self._standstill()

    def _standstill(self) -> str:
        fresh = self.measured is not None and self.now - self.measured[1] <= TIMEOUT_S
        stands = fresh and self.measured is not None and not self.measured[0]
        if self.gate.moving(self.now) is False and not stands:
            return 'what nothing has measured lately is no standstill'
        return super()._standstill()

    def key(self) -> Hashable:
        """See `Machine`."""
        measured = self.measured and (self.measured[0], self.age(self.measured[1]))
        return super().key(), measured


def _impatient(gate: ActionGate) -> ActionGate:
    """Return it with goals that are on their way for a shorter time: fewer states."""
    gate.goals = OwnGoals(LATE_S)
    return gate
