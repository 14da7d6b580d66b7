"""What the gates report on /diagnostics."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gates.gates_health import parts_of
from gates.gates_status import GateEnding
from gates.permit_rules import NO_HEARTBEAT
from rover_common.diagnostic_status import Level
from rover_common.permit import EndingCode, Heartbeat, Permit, PermitId


@dataclass(eq=False)
class Gate:
    """A gate of which the test says what it has."""

    silent: bool = False
    moves: bool | None = False
    heartbeat: Heartbeat = NO_HEARTBEAT
    ending: GateEnding | None = None
    name: str = 'base'

    def is_silent(self, now: float) -> bool:
        return self.silent

    def moving(self, now: float) -> bool | None:
        return self.moves

    def why_unknown(self, now: float) -> str:
        return f'no odometry for {now:g} s'


@pytest.mark.parametrize(
    ('gate', 'level', 'reason'),
    [
        (Gate(), Level.OK, 'ok'),
        (Gate(moves=True), Level.OK, 'ok'),
        (Gate(silent=True, moves=None), Level.STALE, 'the executive has fallen silent'),
        (
            Gate(moves=None),
            Level.STALE,
            'it is not known whether it moves: no odometry for 2 s',
        ),
    ],
)
def test_a_gate_needs_an_executive_and_to_know_whether_it_moves(
    gate: Gate, level: Level, reason: str
) -> None:
    (part,) = parts_of([gate], lambda: 2.0)
    assert (part.name, part.health().level, part.health().reason) == ('base', level, reason)


def test_its_permit_and_the_end_of_its_last_motion_are_figures() -> None:
    gate = Gate(moves=None)
    (part,) = parts_of([gate], lambda: 0.0)
    assert part.figures() == {'moving': None, 'permit': 'none', 'last_ending': 'none'}
    gate.moves, gate.heartbeat = True, Heartbeat('run', 1, 0.0, gates=(Permit('go', 7, 'base'),))
    gate.ending = GateEnding(PermitId('run', 6), EndingCode.GAP, 'silence', stood=False)
    assert part.figures() == {'moving': True, 'permit': 'go', 'last_ending': 'silence'}
