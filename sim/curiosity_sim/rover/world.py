"""The place: rocks on flat ground under one sun, all made from one seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import math

import numpy as np
from numpy.random import Generator

from bt_executive.settings import Rover as RoverSettings

# The field of rocks around the start, in m. The camera's far plane in the demo is 100 m.
FIELD_RADIUS_M = 60.0
# Nothing stands within the rover's own width of its start or in its lane straight ahead.
LANE_HALF_WIDTH_M = 2.5
LANE_BEHIND_M = 4.0
LANE_AHEAD_M = 40.0
# Half widths in m: many stones, few boulders.
SMALLEST_ROCK_M = 0.15
LARGEST_ROCK_M = 2.2
SIZE_EXPONENT = 1.7  # Pareto; steeper means fewer boulders

Colour = tuple[int, int, int]  # blue, green, red, 0 to 255

# Basalt, weathered basalt, sandstone, dust-covered.
ROCK_COLOURS: tuple[Colour, ...] = ((66, 72, 88), (72, 88, 118), (92, 124, 164), (78, 108, 150))


@dataclass(frozen=True)
class Rock:
    """A rock in the odom frame: its foot's centre, half width and height in m, and its look."""

    x: float
    y: float
    radius: float
    height: float
    colour: Colour
    shape_seed: int


@dataclass(frozen=True)
class Sun:
    """Where the light comes from: rad, azimuth counterclockwise from the odom frame's x axis."""

    azimuth: float = 1.85
    elevation: float = 0.5

    @property
    def direction(self) -> tuple[float, float, float]:
        """Unit vector towards the sun in the odom frame."""
        level = math.cos(self.elevation)
        return (
            level * math.cos(self.azimuth),
            level * math.sin(self.azimuth),
            math.sin(self.elevation),
        )


@dataclass(frozen=True)
class World:
    """Everything that can be seen or bumped into. `seed` fixes textures and hills."""

    seed: int
    rocks: tuple[Rock, ...]
    sun: Sun = Sun()


def make_world(settings: RoverSettings) -> World:
    """The world of a seed; the same settings give the same world."""
    rng = np.random.default_rng(settings.seed)
    return World(settings.seed, tuple(_rocks(settings, rng)))


def _rocks(settings: RoverSettings, rng: Generator) -> Iterator[Rock]:
    """Rocks around the start, outside the lane ahead of it."""
    start = settings.start
    missing = settings.rocks
    while missing:
        # Even over a disc would be the square root; this crowds them a little around the start.
        distance = FIELD_RADIUS_M * rng.uniform(0.01, 1.0) ** 0.75
        bearing = rng.uniform(-math.pi, math.pi)
        radius = min(SMALLEST_ROCK_M * (1.0 + rng.pareto(SIZE_EXPONENT)), LARGEST_ROCK_M)
        ahead, left = distance * math.cos(bearing), distance * math.sin(bearing)
        if _in_lane(ahead, left, radius):
            continue
        missing -= 1
        yield Rock(
            x=start.x + ahead * math.cos(start.yaw_rad) - left * math.sin(start.yaw_rad),
            y=start.y + ahead * math.sin(start.yaw_rad) + left * math.cos(start.yaw_rad),
            radius=radius,
            height=radius * rng.uniform(0.7, 1.3),
            colour=ROCK_COLOURS[rng.integers(len(ROCK_COLOURS))],
            shape_seed=int(rng.integers(2**31)),
        )


def _in_lane(ahead: float, left: float, radius: float) -> bool:
    along = -LANE_BEHIND_M - radius < ahead < LANE_AHEAD_M
    return along and abs(left) < LANE_HALF_WIDTH_M + radius
