"""What the rover bumps into: its outline from above against rocks that its wheels cannot climb."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.kinematics import (
    CHASSIS_LENGTH_M,
    CHASSIS_WIDTH_M,
)
from curiosity_sim.rover.rocks import Rock
from rover_common.config.settings.world_features import WHEEL_RADIUS_M
from rover_common.geometry.pose2d import Pose2D

HALF_LENGTH_M = CHASSIS_LENGTH_M / 2.0 + WHEEL_RADIUS_M
HALF_WIDTH_M = CHASSIS_WIDTH_M / 2.0 + 0.2  # half a wheel's width
CLIMBABLE_M = WHEEL_RADIUS_M  # lower rocks pass under the body or the wheels

Integers = NDArray[np.intp]


class RockObstacles:
    """The rocks of a world that stop the rover, seen as upright cylinders."""

    def __init__(self, rocks: Sequence[Rock]) -> None:
        self._rocks = [rock for rock in rocks if rock.height > CLIMBABLE_M]
        self._centres = np.array([(rock.x, rock.y) for rock in self._rocks]).reshape(-1, 2)
        self._radii = np.array([rock.radius for rock in self._rocks])
        # No rock farther away than this touches the outline.
        self._reaches = self._radii + math.hypot(HALF_LENGTH_M, HALF_WIDTH_M)

    def met(self, here: Pose2D, there: Pose2D) -> Rock | None:
        """The rock that is pressed on by a small step from `here` to `there`.

        A step that leads out of a contact meets nothing.
        """
        away = self._centres - (there.x, there.y)
        near = np.flatnonzero(np.hypot(away[:, 0], away[:, 1]) < self._reaches)
        if not len(near):
            return None
        deep = self._depths(there, near)
        index = int(deep.argmax())
        if deep[index] <= 0.0 or deep[index] < self._depths(here, near)[index]:
            return None
        return self._rocks[int(near[index])]

    def _depths(self, pose: Pose2D, chosen: Integers) -> Doubles:
        """How deep each chosen rock reaches into the outline, m; negative is its distance."""
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        away = self._centres[chosen] - (pose.x, pose.y)
        ahead = np.abs(away @ (cos, sin)) - HALF_LENGTH_M
        aside = np.abs(away @ (-sin, cos)) - HALF_WIDTH_M
        outside = np.hypot(np.maximum(ahead, 0.0), np.maximum(aside, 0.0))
        inside = np.minimum(np.maximum(ahead, aside), 0.0)
        depths: Doubles = self._radii[chosen] - outside - inside
        return depths
