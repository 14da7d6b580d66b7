"""The heartbeats of an executive that come to a gate, and what the gate may let pass by them.

The executive's part is `core/given_permits.py`; the gates are in `velocities_at_a_gate.py` and
`goals_at_a_gate.py`. Heartbeats are late, lost, doubled and overtaken. Time passes in steps that
are shorter than the deadman's time; two of them are longer.

Invariants of every gate:
- Nothing passes and no goal goes on but under a permit of this gate for it, which the latest
  heartbeat gives that was young when it was read, and which is young now.
- A permit whose motion has ended, by a stop, by silence or otherwise, begins nothing again.
- A motion ends with the heartbeat that no longer has its permit.
- A heartbeat that is too old when it is read, or was overtaken, counts as none: it is read once,
  changes nothing, and is gone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from bt_executive.core.given_permits import Permits
from gates.action_gate import ActionGate
from gates.permit_rules import PermitRules
from gates.velocity_gate import VelocityGate
from rover_common.message_order import HeartbeatFilter, RunNumber
from rover_common.permit import NO_PERMIT, NO_PERMIT_ID, Heartbeat, Permit

TIMEOUT_S, STEP_S, OVER_S = 0.3, 0.2, 0.6  # longer than anything is waited for
HERE = 'base'
WITHDRAW, HEARTBEAT_SENT, PASS, UPDATE, STOP = (
    'the permit is withdrawn',
    'a heartbeat is sent',
    '0.2 s pass',
    'the gate looks',
    'somebody asks for a stop',
)


def permit_here(heartbeat: Heartbeat) -> Permit:
    """Return what a heartbeat permits at the gate that is explored."""
    return next((each for each in heartbeat.gates if each.gate == HERE), NO_PERMIT)


class GateLink:
    """An executive, and the messages in flight from it to one gate.

    Args:
        permits: How many it gives at most.
        heartbeats: Maximum number of heartbeats in flight: of more, the oldest is lost.
    """

    gives: Sequence[tuple[str, str]] = ()  # motion and gate

    def __init__(self, permits: int = 2, heartbeats: int = 2) -> None:
        self.most_permits, self.most_heartbeats = permits, heartbeats
        self.now, self.sequence = 10.0, 0
        self.heartbeats: list[Heartbeat] = []
        self.counted: Heartbeat | None = None
        self.over: set[int] = set()  # permits that may begin nothing again
        self.permits = Permits(self._send)

    def _send(self, _permit: Permit) -> Heartbeat:
        self.sequence += 1
        heartbeat = Heartbeat(
            'run', self.sequence, self.now, gates=tuple(self.permits.given.values())
        )
        self.heartbeats = [*self.heartbeats, heartbeat][-self.most_heartbeats :]
        return heartbeat

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        found = [PASS, HEARTBEAT_SENT, UPDATE, STOP, WITHDRAW]
        if self.permits.issued < self.most_permits:
            found += [f'permit {motion} {gate}' for motion, gate in self.gives]
        for at in range(len(self.heartbeats)):
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
        for heartbeat in tuple(self.heartbeats):
            overtaken = latest is not None and heartbeat.sequence <= latest.sequence
            if overtaken or self.now - heartbeat.sent_at > TIMEOUT_S:
                if rules.receive(heartbeat, self.now, self.now) is None:
                    return 'a heartbeat that is too old, or was overtaken, counts as none'
                self.heartbeats.remove(heartbeat)
        return ''

    def at_executive(self, move: str) -> bool:
        """Do what the gate does not see; return whether it was that."""
        if move == PASS:
            self.now = round(self.now + STEP_S, 3)
        elif move == HEARTBEAT_SENT:
            self.permits.repeat()
        elif move == WITHDRAW:
            self.permits.withdraw()
        elif move.startswith('permit '):
            _, motion, gate = move.split()
            self.permits.give(motion, gate, goal=f'goal {self.permits.issued + 1}')
        else:
            return False
        return True

    def arriving(self, move: str) -> Heartbeat:
        """Deliver a heartbeat, and note whether it counts, in plain words."""
        _, at, how = move.split(' ', 2)
        heartbeat = self.heartbeats[int(at)]
        if not how.endswith('again'):
            del self.heartbeats[int(at)]
        is_young = self.now - heartbeat.sent_at <= TIMEOUT_S
        if is_young and (self.counted is None or heartbeat.sequence > self.counted.sequence):
            self.counted = heartbeat
        return heartbeat

    @property
    def permit(self) -> Permit:
        """What the gate may let pass now."""
        heartbeat = self.counted
        if heartbeat is None or self.now - heartbeat.sent_at > TIMEOUT_S:
            return NO_PERMIT
        permit = permit_here(heartbeat)
        return NO_PERMIT if permit.number in self.over else permit

    def note_end(self, held: int) -> None:
        """A motion of which the heartbeat is old is over."""
        if held and self.counted and self.now - self.counted.sent_at > TIMEOUT_S:
            self.over.add(held)

    def note_stop(self) -> None:
        """Note that the permit of the heartbeat that counted begins nothing any more."""
        if self.counted:
            self.over.add(permit_here(self.counted).number)

    def held_wrongly(self, holder: RunNumber) -> str:
        """Return which invariant is broken if a motion goes on without its permit, or ''."""
        named = permit_here(self.counted).number if self.counted else 0
        if holder != NO_PERMIT_ID and holder.number != named:
            return 'a motion ends with the heartbeat that no longer has its permit'
        return ''

    def age(self, moment: float) -> float:
        """Return how long ago it was in s, as far as that matters."""
        return round(min(self.now - moment, OVER_S), 3)

    def link_key(self, gate: ActionGate | VelocityGate) -> Hashable:
        """Return the part of a state's key that every gate has."""
        rules = gate._rules
        latest = rules._heartbeats.latest
        assert isinstance(rules._heartbeats, HeartbeatFilter)
        remembered = [each for each in (latest, self.counted) if each]
        named = {permit_here(each).number for each in (*self.heartbeats, *remembered)}
        alive = sorted({*named, self.permits.at(HERE).number, rules.holder.number})

        def shown(heartbeat: Heartbeat | None) -> Hashable:
            return heartbeat and (min(self.age(heartbeat.sent_at), 2 * STEP_S), heartbeat.gates)

        return (
            tuple(map(shown, self.heartbeats)),  # each comes after the latest one that counted
            (shown(latest), shown(self.counted), rules.holder.number),
            tuple(each for each in alive if rules._used.has(RunNumber('run', each))),
            tuple(each for each in alive if each in self.over),
            (self.permits.issued, tuple(self.permits.given.values())),
            rules._timeout.is_silent(self.now),
        )
