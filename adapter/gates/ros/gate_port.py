"""What every gate on the wire says of itself, whatever it holds."""

from __future__ import annotations

from typing import Generic, TypeVar

from gates.action_gate import ActionGate
from gates.motion_end import GateEnding
from gates.velocity_gate import VelocityGate
from rover_common.permit import Beat

Gate = TypeVar('Gate', ActionGate, VelocityGate)


class GatePort(Generic[Gate]):
    """A gate under its name.

    Args:
        name: Of the gate in robot.yaml.
        gate: Its rules.
    """

    def __init__(self, name: str, gate: Gate) -> None:
        self.name = name
        self.gate: Gate = gate

    @property
    def beat(self) -> Beat:
        """The latest heartbeat that counted."""
        return self.gate.beat

    @property
    def ending(self) -> GateEnding | None:
        """Of the last motion."""
        return self.gate.ending

    def is_silent(self, now: float) -> bool:
        """Whether no heartbeat is young any more."""
        return self.gate.is_silent(now)
