"""Gates that wait longer than a robot's file may say, for tests on a machine that may be late."""

from __future__ import annotations

from rover_common.config.settings import Config, VelocityGateSettings

LIMIT_S = 60.0


def patient(config: Config, deadman_s: float = LIMIT_S) -> None:
    """Changes the limits of a configuration's gates."""
    for name, gate in config.robot.gates.items():
        longer = {'deadman_s': deadman_s}
        if isinstance(gate, VelocityGateSettings):
            longer |= {'silence_s': LIMIT_S}
        config.robot.gates[name] = gate.model_copy(update=longer)
