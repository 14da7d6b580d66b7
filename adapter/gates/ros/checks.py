"""What is wrong with a robot's gates and shows only in the types on the wire."""

from __future__ import annotations

from functools import reduce
from typing import Any

from rover_common.config.settings import ActionGateSettings, Config
from rover_common.config.settings.gates import MovingField
from rover_common.errors import ConfigError
from rover_common.ros.interfaces import interface_class


def check_gates(config: Config) -> None:
    """Raises ConfigError if what shows a motion cannot be read."""
    for name, gate in config.robot.gates.items():
        if isinstance(gate, ActionGateSettings) and isinstance(gate.moving, MovingField):
            _check_moving(name, gate.moving)


def value_at(message: Any, path: str) -> Any:
    """Return the value of a field at a dotted path."""
    return reduce(getattr, path.split('.'), message)


def _check_moving(name: str, moving: MovingField) -> None:
    key = f'robot.yaml: gates.{name}.moving'
    try:
        value = value_at(interface_class(moving.type)(), moving.field)
    except (LookupError, AttributeError) as error:
        raise ConfigError(f'{key}: {error.args[0]}.') from None
    if not isinstance(value, (bool, int, float)):
        raise ConfigError(
            f'{key}.field is {moving.field!r}, which is no number and no bool in {moving.type}.'
        )
