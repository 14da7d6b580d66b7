"""The common status of all gates of a robot. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gates.permit_rules import NO_HEARTBEAT
from rover_common.adapter_status import MOVING_AT, AdapterStatus, Ending
from rover_common.permit import EndingCode, Heartbeat, PermitId

EXECUTIVE_SILENT = 'the executive has fallen silent'
WITHDRAWN = 'the executive withdrew its permission'


@dataclass(frozen=True)
class GateEnding:
    """How a motion that had a permit ended.

    `stood`: its driver had commanded a standstill before.
    """

    permit: PermitId
    code: EndingCode
    reason: str
    stood: bool


class OneGate(Protocol):
    """The interface of each gate. Times in s of a steady clock."""

    @property
    def name(self) -> str:
        """Its key in `gates`."""

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""

    @property
    def ending(self) -> GateEnding | None:
        """How its last motion ended; None before the first."""

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""

    def moving(self, now: float) -> bool | None:
        """Return whether something moves or a motion is under way; None if that is not known."""

    def why_unknown(self, now: float) -> str:
        """Return why that is not known, as the end of a sentence."""


class AllGates:
    """Joins the gates of one robot: it stands when nothing moves at any of them.

    A status has one ending: each new one is in a status of its own, and those of permits that the
    executive still gives are reported again in turn, since a status may be lost.

    Args:
        gates: One at least.
        sender: The run of this process.
    """

    def __init__(self, gates: Sequence[OneGate], sender: str) -> None:
        self._gates, self._sender = gates, sender
        self._seen_endings = [each.ending for each in gates]
        self._unreported: deque[GateEnding | None] = deque()
        self._latest: GateEnding | None = None
        self._turn = 0

    @property
    def has_new_ending(self) -> bool:
        """Whether there is an ending that was in no status yet."""
        for at, gate in enumerate(self._gates):
            if gate.ending is not self._seen_endings[at]:
                self._seen_endings[at] = gate.ending
                self._unreported.append(gate.ending)
        return bool(self._unreported)

    def status(self, now: float) -> AdapterStatus:
        """Return the present status, with the next ending to report."""
        moving = {gate: gate.moving(now) for gate in self._gates}
        unknown = [gate for gate, moves in moving.items() if moves is None]
        moves = None if unknown else False
        if any(moving.values()):
            moves = True
        heartbeat, ended = self._oldest_heartbeat(), self._next_ending()
        return AdapterStatus(
            sender=self._sender,
            moving=moves,
            at_rest=None if moves is None else not moves,
            standing_unknown=_sentence(unknown[0], now) if moves is None else '',
            manual_mode=False,
            heartbeat=heartbeat.number,
            executive_alive=not any(gate.is_silent(now) for gate in self._gates),
            permit=heartbeat.gates[0] if heartbeat.gates else heartbeat.permit,
            ending=Ending(ended.permit, ended.code.value, ended.reason) if ended else None,
            details={MOVING_AT: {gate.name: each for gate, each in moving.items()}},
        )

    def _next_ending(self) -> GateEnding | None:
        if self.has_new_ending:
            self._latest = self._unreported.popleft()
            return self._latest
        given = [
            gate.ending
            for gate in self._gates
            if gate.ending and gate.ending.permit == gate.heartbeat.permit_id_at(gate.name)
        ]
        self._turn += 1
        return given[self._turn % len(given)] if given else self._latest

    def _oldest_heartbeat(self) -> Heartbeat:
        """The latest heartbeat that has counted at every gate."""
        heartbeats = [gate.heartbeat for gate in self._gates]
        if any(not heartbeat.number.is_of(heartbeats[0].number) for heartbeat in heartbeats):
            return NO_HEARTBEAT  # not all have one of the new executive
        return min(heartbeats, key=lambda heartbeat: heartbeat.sequence)


def _sentence(gate: OneGate, now: float) -> str:
    return f'It is not known whether the robot stands: at the gate {gate.name} ' + (
        gate.why_unknown(now)
    )
