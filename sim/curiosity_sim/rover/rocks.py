"""The rocks of a world, named ones and those that a seed scatters, and collisions with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.kinematics import CHASSIS_LENGTH_M, CHASSIS_WIDTH_M
from curiosity_sim.rover.terrain import Terrain
from rover_common.config.settings import RoverSettings
from rover_common.config.settings.world import WHEEL_RADIUS_M, Feature, WorldStart
from rover_common.errors import ConfigError
from rover_common.geometry.planar_motion import Pose2D

# The field of rocks around the start, in m. The camera's far plane in the demo is 100 m.
FIELD_RADIUS_M = 60.0
# No rock is within the rover's own width of its start or in its lane straight ahead.
LANE_HALF_WIDTH_M = 2.5
LANE_BEHIND_M = 4.0
# Half widths in m: many stones, few boulders.
SMALLEST_ROCK_M = 0.15
LARGEST_ROCK_M = 2.2
TRIALS_PER_ROCK = 500  # failed tries after which there is no free place
SIZE_EXPONENT = 1.7  # Pareto; steeper means fewer boulders

Colour = tuple[int, int, int]  # blue, green, red, 0 to 255

# Basalt, weathered basalt, sandstone, dust-covered.
ROCK_COLOURS: tuple[Colour, ...] = ((66, 72, 88), (72, 88, 118), (92, 124, 164), (78, 108, 150))


@dataclass(frozen=True)
class Rock:
    """A rock in the odom frame: its foot's centre, half width and height in m, appearance."""

    x: float
    y: float
    radius: float
    height: float
    colour: Colour
    shape_seed: int
    name: str = 'a rock'
    ground: float = 0.0  # height of the terrain at its foot, m


def bgr(colour: tuple[int, int, int]) -> Colour:
    """Return a colour of a file, which is red, green, blue, in the order of OpenCV."""
    red, green, blue = colour
    return blue, green, red


def named_rock(feature: Feature, terrain: Terrain) -> Rock:
    """Return the rock of a world's file."""
    return Rock(
        x=feature.x,
        y=feature.y,
        radius=feature.size_m,
        height=feature.height_m or feature.size_m,
        colour=bgr(feature.colour) if feature.colour else ROCK_COLOURS[0],
        shape_seed=sum(feature.name.encode()),
        name=feature.name,
        ground=terrain.height(feature.x, feature.y),
    )


def scattered_rocks(
    settings: RoverSettings, start: WorldStart, terrain: Terrain, rng: Generator
) -> Iterator[Rock]:
    """Rocks around the start, outside the lane ahead of it and away from the named features."""
    field = settings.world.rocks
    missing = count = field.count if settings.rocks is None else settings.rocks
    trials = 0
    while missing:
        trials += 1
        if trials > TRIALS_PER_ROCK * count:
            raise ConfigError(
                f'World {settings.world.name!r}: no room for {missing} of {count} scattered rocks '
                'between lane and features; make rocks.count or the features smaller.'
            )
        # Even over a disc would be the square root; this crowds them a little around the start.
        distance = FIELD_RADIUS_M * rng.uniform(0.01, 1.0) ** 0.75
        bearing = rng.uniform(-math.pi, math.pi)
        radius = min(SMALLEST_ROCK_M * (1.0 + rng.pareto(SIZE_EXPONENT)), LARGEST_ROCK_M)
        ahead, left = distance * math.cos(bearing), distance * math.sin(bearing)
        if _in_lane(ahead, left, radius, field.lane_m):
            continue
        x = start.x + ahead * math.cos(start.yaw_rad) - left * math.sin(start.yaw_rad)
        y = start.y + ahead * math.sin(start.yaw_rad) + left * math.cos(start.yaw_rad)
        if _on_a_feature(x, y, radius, settings.world.features):
            continue
        missing -= 1
        yield Rock(
            x=x,
            y=y,
            radius=radius,
            height=radius * rng.uniform(0.7, 1.3),
            colour=ROCK_COLOURS[rng.integers(len(ROCK_COLOURS))],
            shape_seed=int(rng.integers(2**31)),
            ground=terrain.height(x, y),
        )


def _in_lane(ahead: float, left: float, radius: float, lane_m: float) -> bool:
    along = -LANE_BEHIND_M - radius < ahead < lane_m
    return along and abs(left) < LANE_HALF_WIDTH_M + radius


def _on_a_feature(x: float, y: float, radius: float, features: tuple[Feature, ...]) -> bool:
    """Whether a scattered rock would cover something that has a name."""
    solid = (item for item in features if item.kind in ('rock', 'sand'))
    return any(math.hypot(x - item.x, y - item.y) < radius + item.size_m for item in solid)


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
