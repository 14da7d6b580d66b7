"""A gate, the heartbeats that come to it, and what it holds: a base's velocities, an arm's goals.

The executive's part is `core/permits.py`; the gates are `gates/velocity_gate.py` and
`gates/action_gate.py` with `gates/own_goals.py`. Heartbeats are late, lost, doubled and overtaken.
Time passes in steps that are shorter than the deadman's time; two of them are longer.

Invariants of both:
- Nothing passes and no goal goes on but under a permit of this gate for it, which the latest
  heartbeat gives that was young when it was read, and which is young now.
- A permit whose motion has ended, by a stop, by silence or otherwise, begins nothing again.
- A motion ends with the heartbeat that no longer has its permit.
- A heartbeat that is too old when it is read, or was overtaken, counts as none: it is read once,
  changes nothing, and is gone.
Of a velocity gate:
- A motion whose driver sends no velocity for longer than it may is over.
Of an action gate:
- Only goals that a heartbeat named are cancelled: a server has other clients.
- A goal that goes on although nothing permits it is cancelled again and again.
- Where a measurement says whether it moves, an old one is no standstill.
- No goal that has not ended counts as a standstill, unless the server has just said that it knows
  no such goal, and has not listed it since.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from bt_executive.core.permits import Permits
from gates.action_gate import ActionGate
from gates.own_goals import OwnGoals, Stage
from gates.permit_rules import PermitRules
from gates.velocity_gate import VelocityGate
from rover_common.beat_filter import BeatFilter
from rover_common.permit import NO_PERMIT, NO_PERMIT_ID, Beat, Permit
from rover_common.run_number import RunNumber

TIMEOUT_S, STEP_S, OVER_S = 0.3, 0.2, 0.6  # longer than anything is waited for
STANDING_S = 0.5  # after a standstill was commanded
LATE_S = 0.5  # after a heartbeat named a goal
CANCEL_WITHIN_S = 0.3  # as often as a gate looks, at the latest
OWN, FOREIGN, HERE = 'straight', 'follow', 'base'
VELOCITY, STANDSTILL, LISTS = 'a velocity comes', 'a standstill', 'the server lists'
WITHDRAW, BEAT, PASS, UPDATE, STOP = (
    'the permit is withdrawn',
    'a heartbeat is sent',
    '0.2 s pass',
    'the gate looks',
    'somebody asks for a stop',
)


def _here(beat: Beat) -> Permit:
    return next((each for each in beat.gates if each.gate == HERE), NO_PERMIT)


class _ToGate:
    """An executive, and what is under way from it to one gate."""

    gives: Sequence[tuple[str, str]] = ()  # motion and gate
    most_permits = most_beats = 2  # of more heartbeats under way, the oldest is lost

    def __init__(self) -> None:
        self.now, self.sequence = 10.0, 0
        self.beats: list[Beat] = []
        self.counted: Beat | None = None
        self.over: set[int] = set()  # permits that may begin nothing again
        self.permits = Permits(self._tell)

    def _tell(self, _permit: Permit) -> Beat:
        self.sequence += 1
        beat = Beat('run', self.sequence, self.now, gates=tuple(self.permits.given.values()))
        self.beats = [*self.beats, beat][-self.most_beats :]
        return beat

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        found = [PASS, BEAT, UPDATE, STOP, WITHDRAW]
        if self.permits.issued < self.most_permits:
            found += [f'permit {motion} {gate}' for motion, gate in self.gives]
        for at in range(len(self.beats)):
            found += [f'heartbeat {at} arrives', f'heartbeat {at} arrives and will again']
        return found

    def do(self, move: str) -> str:
        """See `Machine`."""
        return self._do(move) or self._without_effect()

    def _do(self, move: str) -> str:
        raise NotImplementedError

    @property
    def rules(self) -> PermitRules:
        """Of the gate."""
        raise NotImplementedError

    def _without_effect(self) -> str:
        """Let heartbeats that count as none be read, and be lost from now on.

        That the gate looks at its own silence then is a move of its own.
        """
        rules = self.rules
        latest = rules._heartbeats.latest
        for beat in tuple(self.beats):
            overtaken = latest is not None and beat.sequence <= latest.sequence
            if overtaken or self.now - beat.sent_at > TIMEOUT_S:
                if rules.receive(beat, self.now, self.now) is None:
                    return 'a heartbeat that is too old, or was overtaken, counts as none'
                self.beats.remove(beat)
        return ''

    def _executive(self, move: str) -> bool:
        """Do what the gate does not see; return whether it was that."""
        if move == PASS:
            self.now = round(self.now + STEP_S, 3)
        elif move == BEAT:
            self.permits.repeat()
        elif move == WITHDRAW:
            self.permits.withdraw()
        elif move.startswith('permit '):
            _, motion, gate = move.split()
            self.permits.give(motion, gate, goal=f'goal {self.permits.issued + 1}')
        else:
            return False
        return True

    def _arriving(self, move: str) -> Beat:
        """Take a heartbeat from the way, and note whether it counts, in plain words."""
        _, at, how = move.split(' ', 2)
        beat = self.beats[int(at)]
        if not how.endswith('again'):
            del self.beats[int(at)]
        is_young = self.now - beat.sent_at <= TIMEOUT_S
        if is_young and (self.counted is None or beat.sequence > self.counted.sequence):
            self.counted = beat
        return beat

    @property
    def permit(self) -> Permit:
        """What the gate may let pass now."""
        beat = self.counted
        if beat is None or self.now - beat.sent_at > TIMEOUT_S:
            return NO_PERMIT
        permit = _here(beat)
        return NO_PERMIT if permit.number in self.over else permit

    def _note_end(self, held: int) -> None:
        """A motion of which the heartbeat is old is over."""
        if held and self.counted and self.now - self.counted.sent_at > TIMEOUT_S:
            self.over.add(held)

    def _stopped(self) -> None:
        if self.counted:
            self.over.add(_here(self.counted).number)

    def _held_wrongly(self, holder: RunNumber) -> str:
        named = _here(self.counted).number if self.counted else 0
        if holder != NO_PERMIT_ID and holder.number != named:
            return 'a motion ends with the heartbeat that no longer has its permit'
        return ''

    def _age(self, moment: float) -> float:
        return round(min(self.now - moment, OVER_S), 3)

    def _key(self, gate: ActionGate | VelocityGate) -> Hashable:
        rules = gate._rules
        latest = rules._heartbeats.latest
        assert isinstance(rules._heartbeats, BeatFilter)
        known = [each for each in (latest, self.counted) if each]
        named = {_here(each).number for each in (*self.beats, *known)}
        alive = sorted({*named, self.permits.at(HERE).number, rules.holder.number})

        def shown(beat: Beat | None) -> Hashable:
            return beat and (min(self._age(beat.sent_at), 2 * STEP_S), beat.gates)

        return (
            tuple(map(shown, self.beats)),  # each comes after the latest one that counted
            (shown(latest), shown(self.counted), rules.holder.number),
            tuple(each for each in alive if rules._used.has(RunNumber('run', each))),
            tuple(each for each in alive if each in self.over),
            (self.permits.issued, tuple(self.permits.given.values())),
            rules._silence.holds(self.now),
        )


class Velocities(_ToGate):
    """A velocity gate, and who drives through it."""

    gives = ((FOREIGN, HERE), (OWN, HERE), (FOREIGN, 'arm'))

    def __init__(self) -> None:
        super().__init__()
        self.gate = VelocityGate(
            FOREIGN.__eq__, TIMEOUT_S, TIMEOUT_S, standing_s=STANDING_S, gate=HERE
        )
        self.passed_at, self.stands = -99.0, False

    @property
    def rules(self) -> PermitRules:
        """See `_ToGate.rules`."""
        return self.gate._rules

    @classmethod
    def standing(cls) -> Velocities:
        """A motion is under way and stands; there is one permit, and one heartbeat at a time."""
        found = cls()
        for move in (f'permit {FOREIGN} {HERE}', 'heartbeat 0 arrives', VELOCITY, STANDSTILL):
            assert not found.do(move)
        assert found.gate.holder.number
        found.most_permits = found.most_beats = 1
        return found

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        return [*super().moves(), VELOCITY, 'an own velocity comes', STANDSTILL]

    def _do(self, move: str) -> str:
        if self._executive(move):
            return ''
        held = self.gate.holder.number
        self._note_end(held)
        if held and self.now - self.passed_at > (STANDING_S if self.stands else TIMEOUT_S):
            self.over.add(held)
        fault = ''
        if move == UPDATE:
            self.gate.update(self.now)
        elif move == STOP:
            self._stopped()
            self.gate.stop('a stop')
        elif move == STANDSTILL:
            if held:
                self.stands, self.passed_at = True, self.now
            self.gate.arrive(self.now)
        elif move.startswith('heartbeat'):
            self.gate.receive(self._arriving(move), self.now, self.now)
        else:
            fault = self._commanded(OWN if 'own' in move else '')
        if held and self.gate.holder.number != held:
            self.over.add(held)
        return fault or self._held_wrongly(self.gate.holder)

    def _commanded(self, own: str) -> str:
        permit = self.permit
        if not self.gate.command(self.now, own):
            return ''
        self.passed_at, self.stands = self.now, False
        if permit.motion != (own or FOREIGN):
            return 'a velocity passes only under a young permit for it that has ended nothing'
        return ''

    def key(self) -> Hashable:
        """See `Machine`."""
        gate, mine = self.gate, (self._age(self.passed_at), self.stands)
        return self._key(gate), self._age(gate._commanded_at), gate._stands, mine


class Goals(_ToGate):
    """An action gate, its action's server, and another client's goal there."""

    gives = (('reach', HERE),)

    def __init__(self) -> None:
        super().__init__()
        self.gate = _impatient(ActionGate(HERE, TIMEOUT_S))
        self.server = {'a goal of others': True}  # goal → whether it has not ended
        self.listed: dict[str, bool] = {}
        self.named: set[str] = set()
        self.asked: dict[str, float] = {}
        self.cancels: list[str] = []
        self.unknown: set[str] = set()

    @property
    def rules(self) -> PermitRules:
        """See `_ToGate.rules`."""
        return self.gate._rules

    @classmethod
    def stopped(cls) -> Goals:
        """A goal goes on although a stop was asked for: the cancel was lost."""
        found = cls()
        begin = (f'permit reach {HERE}', 'heartbeat 0 arrives', 'begins: goal 1', LISTS)
        for move in (*begin, STOP, 'lost: goal 1'):
            assert not found.do(move)
        found.most_permits = found.most_beats = 1
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
        if self._executive(move):
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
            self.gate.goals.status(self.listed)
        else:
            return self._at_gate(move)
        return self._standstill()

    def _cancelled(self, goal: str) -> None:
        if goal not in self.server:
            self.gate.goals.is_unknown(goal, self.now)
            is_over = self.gate.goals._stages.get(goal) is Stage.ENDED
            self.unknown |= {goal} if is_over else set()
        elif not self.server[goal]:
            self.gate.goals.is_over(goal)
        else:
            self.server[goal] = False

    def _at_gate(self, move: str) -> str:
        held = self.gate._rules.holder.number
        self._note_end(held)
        if move == STOP:
            self._stopped()
            self.gate.stop('a stop')
        elif move == UPDATE:
            self.gate.update(self.now)
        else:
            self.gate.receive(self._arriving(move), self.now, self.now)
            if self.counted and (named := _here(self.counted).goal):
                self.named.add(named)
        if held and self.gate._rules.holder.number != held:
            self.over.add(held)
        return self._held_wrongly(self.gate._rules.holder) or self._act() or self._standstill()

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
            self._key(self.gate),
            tuple(sorted(self.server.items())),
            tuple(sorted(self.listed.items())),
            (tuple(sorted(self.named)), tuple(sorted(self.unknown))),
            tuple(self.cancels),
            tuple(sorted(goals._listed.items())),
            self._ages(self.asked, [each for each in self.asked if self.server.get(each)]),
            self._ages(goals._asked_at, goals._asked_at),
            # How late a goal is matters until the server has said something of it.
            self._ages(goals._named_at, [g for g, s in goals._stages.items() if s is Stage.NAMED]),
            tuple(sorted((goal, each.name) for goal, each in goals._stages.items())),
        )

    def _ages(self, moments: Mapping[str, float], goals: Iterable[str]) -> Hashable:
        return tuple((goal, self._age(moments[goal])) for goal in sorted(goals))


class MeasuredGoals(Goals):
    """The same, where a measurement says whether the arm moves."""

    def __init__(self) -> None:
        super().__init__()
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
        measured = self.measured and (self.measured[0], self._age(self.measured[1]))
        return super().key(), measured


def _impatient(gate: ActionGate) -> ActionGate:
    """Return it with goals that are on their way for a shorter time: fewer states."""
    gate.goals = OwnGoals(LATE_S)
    return gate
