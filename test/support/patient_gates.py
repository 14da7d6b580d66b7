"""Gates that wait longer than a robot's file may say, for tests on a machine that may be late."""

from __future__ import annotations

from rover_common.config.settings import Config, VelocityGateSettings

LIMIT_S = 60.0


def patient(config: Config, deadman_s: float = LIMIT_S, odom_max_age_s: float = LIMIT_S) -> Config:
    """Returns the configuration with other limits of its gates."""
    gates = {}
    for name, gate in config.robot.gates.items():
        longer = {'deadman_s': deadman_s}
        if isinstance(gate, VelocityGateSettings):
            longer |= {'silence_s': LIMIT_S, 'odom_max_age_s': odom_max_age_s}
        gates[name] = gate.model_copy(update=longer)
    robot = config.robot.model_copy(update={'gates': gates})
    return config.model_copy(update={'robot': robot})
