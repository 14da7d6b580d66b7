"""What is wrong with a robot's gates and shows only in the types on the wire."""

from __future__ import annotations

from rover_common.config.settings import Config
from rover_common.config.settings.state import TopicField, steps_of
from rover_common.errors import ConfigError
from rover_common.ros.interfaces import interface_class


def check_gates(config: Config) -> None:
    """Raises ConfigError if what shows a motion has a type without such a field."""
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
