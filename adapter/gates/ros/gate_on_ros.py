"""The common part of all gates on ROS."""

from __future__ import annotations

from typing import Generic, TypeVar

from gates.action_gate import ActionGate
from gates.gates_status import GateEnding
from gates.velocity_gate import VelocityGate
from rover_common.config.settings import Config
from rover_common.config.settings.state_entries import TopicField, steps_of
from rover_common.errors import ConfigError
from rover_common.permit import Heartbeat
from rover_common.ros.interface_types import interface_class

Gate = TypeVar('Gate', ActionGate, VelocityGate)


class GatePort(Generic[Gate]):
    """A gate and its name.

    Args:
        name: Of the gate in robot.yaml.
        gate: Its rules.
    """

    def __init__(self, name: str, gate: Gate) -> None:
        self.name = name
        self.gate: Gate = gate

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""
        return self.gate.heartbeat

    @property
    def ending(self) -> GateEnding | None:
        """How the last motion ended; None before the first."""
        return self.gate.ending

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""
        return self.gate.is_silent(now)


def check_gates(config: Config) -> None:
    """Raises ConfigError if the type of the topic that shows motion has no such field."""
    for name in config.robot.gates:
        moving = config.robot.moving_field(name)
        if moving is not None and moving.type is not None:
            _check_moving(f'robot.yaml: gates.{name}.moving', moving, moving.type)


def _check_moving(key: str, moving: TopicField, type_name: str) -> None:
    try:
        fields = interface_class(type_name).get_fields_and_field_types()
    except LookupError as error:
        raise ConfigError(f'{key}: {error.args[0]}.') from None
    first = steps_of(moving.field)[0][0]
    if first not in fields:
        raise ConfigError(
            f'{key}: {type_name} has no field {first!r}, only {", ".join(fields):.200}.'
        )
