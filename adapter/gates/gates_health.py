"""The health of the gates for /diagnostics. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gates.gates_status import EXECUTIVE_SILENT, OneGate
from rover_common.diagnostic_status import Health, Part, stale


def parts_of(gates: Sequence[OneGate], clock: Callable[[], float]) -> tuple[Part, ...]:
    """Return one part for each gate, with its name. `clock`: steady time in s."""
    return tuple(_part(gate, clock) for gate in gates)


def _part(gate: OneGate, clock: Callable[[], float]) -> Part:
    def health() -> Health:
        now = clock()
        if gate.is_silent(now):
            return stale(EXECUTIVE_SILENT)
        if gate.moving(now) is None:
            return stale(f'it is not known whether it moves: {gate.why_unknown(now)}')
        return Health()

    def figures() -> Mapping[str, Any]:
        return {
            'moving': gate.moving(clock()),
            'permit': gate.heartbeat.permit_at(gate.name).motion or 'none',
            'last_ending': gate.ending.reason if gate.ending else 'none',
        }

    return Part(gate.name, health, figures)
