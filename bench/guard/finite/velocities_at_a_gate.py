"""A velocity gate, and who drives through it.

Invariants, beside those of `gate_link.py`:
- A motion whose driver sends no velocity for longer than it may is over.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from bench.guard.finite.gate_link import HERE, STOP, TIMEOUT_S, UPDATE, GateLink
from gates.permit_rules import PermitRules
from gates.velocity_gate import VelocityGate

STANDSTILL_S = 0.5  # after a standstill was commanded
OWN, FOREIGN = 'straight', 'follow'
VELOCITY, STANDSTILL = 'a velocity comes', 'a standstill'


class Velocities(GateLink):
    """A velocity gate, and who drives through it."""

    gives = ((FOREIGN, HERE), (OWN, HERE), (FOREIGN, 'arm'))

    def __init__(self) -> None:
        super().__init__()
        self.gate = VelocityGate(
            FOREIGN.__eq__, TIMEOUT_S, TIMEOUT_S, standstill_s=STANDSTILL_S, gate=HERE
        )
        self.passed_at, self.stands = -99.0, False

    @property
    def rules(self) -> PermitRules:
        """See `GateLink.rules`."""
        return self.gate._rules

    @classmethod
    def standstill(cls) -> Velocities:
        """A motion is under way and stands; there is one permit, and one heartbeat at a time."""
        found = cls()
        for move in (f'permit {FOREIGN} {HERE}', 'heartbeat 0 arrives', VELOCITY, STANDSTILL):
            assert not found.do(move)
        assert found.gate.holder.number
        found.most_permits = found.most_heartbeats = 1
        return found

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        return [*super().moves(), VELOCITY, 'an own velocity comes', STANDSTILL]

    def _do(self, move: str) -> str:
        if self.at_executive(move):
            return ''
        held = self.gate.holder.number
        self.note_end(held)
        if held and self.now - self.passed_at > (STANDSTILL_S if self.stands else TIMEOUT_S):
            self.over.add(held)
        fault = ''
        if move == UPDATE:
            self.gate.update(self.now)
        elif move == STOP:
            self.note_stop()
            self.gate.stop('a stop')
        elif move == STANDSTILL:
            if held:
                self.stands, self.passed_at = True, self.now
            self.gate.command_standstill(self.now)
        elif move.startswith('heartbeat'):
            self.gate.receive(self.arriving(move), self.now, self.now)
        else:
            fault = self._commanded(OWN if 'own' in move else '')
        if held and self.gate.holder.number != held:
            self.over.add(held)
        return fault or self.held_wrongly(self.gate.holder)

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
        gate, mine = self.gate, (self.age(self.passed_at), self.stands)
        return self.link_key(gate), self.age(gate._commanded_at), gate._stands, mine
