"""The traction of the wheels: slip on slopes and soft ground."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from curiosity_sim.rover.attitude import Attitude
from curiosity_sim.rover.kinematics import DriveCommand
from rover_common.config.settings.world import Feature, WheelSettings
from rover_common.geometry.planar_motion import Pose2D

NOISE_PERIOD_S = 0.5  # duration of a deviation: stones are larger than one step
FAULTY_SLIP = 0.8  # lost when the fault wheel_slip is on


class Traction:
    """Turns a command into the motion that comes of it. Without slip and noise they are equal."""

    def __init__(self, wheels: WheelSettings, soft: Sequence[Feature], seed: int) -> None:
        self._wheels = wheels
        self._soft = soft
        self._rng = np.random.default_rng((seed, 4))
        self._deviation = (0.0, 0.0)
        self._left_s = 0.0
        self.faulty = False

    def motion(
        self, command: DriveCommand, pose: Pose2D, attitude: Attitude, seconds: float
    ) -> DriveCommand:
        """The command that frictionless wheels would need for the same motion."""
        speed, steering = self._noise(seconds)
        uphill = math.copysign(1.0, command.linear) * -attitude.pitch
        kept = max(1.0 - self.slip(pose, uphill), 0.0)
        return DriveCommand(
            command.linear * kept * (1.0 + speed), command.angular * (1.0 + steering)
        )

    def slip(self, pose: Pose2D, uphill: float) -> float:
        """The lost fraction of the motion; negative where a slope pulls the rover on.

        `uphill` is the slope in the direction of the motion, rad.
        """
        slip = self._wheels.slip + self._wheels.slip_per_slope * uphill
        for place in self._soft:
            if math.hypot(pose.x - place.x, pose.y - place.y) < place.size_m:
                slip = max(slip, place.slip)
        return max(slip, FAULTY_SLIP) if self.faulty else slip

    def _noise(self, seconds: float) -> tuple[float, float]:
        if not self._wheels.noise:
            return 0.0, 0.0
        self._left_s -= seconds
        if self._left_s <= 0.0:
            self._left_s += NOISE_PERIOD_S
            speed, steering = self._rng.normal(0.0, self._wheels.noise, 2).clip(-0.5, 0.5)
            self._deviation = float(speed), float(steering)
        return self._deviation
