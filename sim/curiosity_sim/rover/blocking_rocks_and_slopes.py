"""What stops the rover: a rock that its outline meets, and a slope that is too steep for it."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.attitude import wheel_places
from curiosity_sim.rover.kinematics import CHASSIS_LENGTH_M, CHASSIS_WIDTH_M
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.terrain import steepest
from curiosity_sim.rover.world import World
from rover_common.config.settings.world import WHEEL_RADIUS_M
from rover_common.geometry.planar_motion import Pose2D

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
        """The rock that is pressed on most by a small step from `here` to `there`.

        A rock that the step leads out of is none, whatever else it is in contact with.
        """
        away = self._centres - (there.x, there.y)
        near = np.flatnonzero(np.hypot(away[:, 0], away[:, 1]) < self._reaches)
        if not len(near):
            return None
        deep = self._depths(there, near)
        if deep.max() <= 0.0:
            return None
        pressed = np.where(deep >= self._depths(here, near), deep, 0.0)
        index = int(pressed.argmax())
        return self._rocks[int(near[index])] if pressed[index] > 0.0 else None

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


class BlockingGround:
    """What of a world stops the rover."""

    def __init__(self, world: World) -> None:
        self._terrain, self._climbs_rad = world.terrain, world.wheels.climbs_rad
        self._rocks = RockObstacles(world.rocks)

    def met(self, here: Pose2D, there: Pose2D) -> str | None:
        """What stops a small step from `here` to `there`; None: nothing.

        A slope beyond the limit stops the rover only where it is steeper than at its wheels
        already: it can back off.
        """
        rock = self._rocks.met(here, there)
        if rock:
            return f'{rock.name} at ({rock.x:.1f}, {rock.y:.1f}) m'
        if self._terrain.level:
            return None
        slope = steepest(self._terrain, wheel_places(there))
        if slope > self._climbs_rad and slope > steepest(self._terrain, wheel_places(here)):
            return f'a slope of {slope:.2f} rad, the limit is {self._climbs_rad:g} rad'
        return None
