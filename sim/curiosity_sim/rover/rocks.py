"""The rocks of a world: named ones, and those that a seed scatters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import math

from numpy.random import Generator

from curiosity_sim.rover.terrain import Terrain
from rover_common.config.settings import RoverSettings
from rover_common.config.settings.world import Feature, WorldStart
from rover_common.errors import ConfigError

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
