"""The place: terrain, rocks, soft ground and light under one sun, from a world file and a seed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
import math

import numpy as np
from numpy.random import Generator

from curiosity_sim.rover.terrain import LEVEL, Terrain, make_terrain
from curiosity_sim.rover.world_checks import check_world
from rover_common.config.settings import Config, RoverSettings
from rover_common.config.settings.world import Feature, WheelSettings, WorldStart
from rover_common.errors import ConfigError

# The field of rocks around the start, in m. The camera's far plane in the demo is 100 m.
FIELD_RADIUS_M = 60.0
# Nothing stands within the rover's own width of its start or in its lane straight ahead.
LANE_HALF_WIDTH_M = 2.5
LANE_BEHIND_M = 4.0
# Half widths in m: many stones, few boulders.
SMALLEST_ROCK_M = 0.15
LARGEST_ROCK_M = 2.2
TRIALS_PER_ROCK = 500  # no free place found so often: there is none
SIZE_EXPONENT = 1.7  # Pareto; steeper means fewer boulders

ORIGIN = WorldStart()
PERFECT_WHEELS = WheelSettings()

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
    name: str = 'a rock'
    ground: float = 0.0  # height of the terrain at its foot, m


@dataclass(frozen=True)
class SoftGround:
    """A round place where wheels lose a fraction `slip` of the motion; m in the odom frame."""

    x: float
    y: float
    radius: float
    slip: float


@dataclass(frozen=True)
class Appearance:
    """Colours of air and sand: blue, green, red; see `LookSettings` of the world file."""

    haze_length: float = 160.0
    haze: Colour = (150, 182, 212)
    dust: Colour = (88, 124, 176)
    sand: Colour = (60, 82, 116)


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
    look: Appearance = Appearance()
    start: WorldStart = ORIGIN
    terrain: Terrain = LEVEL
    soft: tuple[SoftGround, ...] = ()
    wheels: WheelSettings = PERFECT_WHEELS
    features: tuple[Feature, ...] = ()  # what has a name, among it some of the above

    def without(self, names: Collection[str]) -> World:
        """The same world, from which the named rocks were taken away."""
        gone = {each.name for each in self.features if each.kind == 'rock'} & {*names}
        return replace(
            self,
            rocks=tuple(rock for rock in self.rocks if rock.name not in gone),
            features=tuple(each for each in self.features if each.name not in gone),
        )


def check_configuration(config: Config) -> None:
    """Raises ConfigError if the configured world cannot be made."""
    make_world(config.curiosity.rover)


def make_world(settings: RoverSettings) -> World:
    """The world of the settings; the same settings give the same world.

    Raises:
        ConfigError: The file's values do not go together; the text says which.
    """
    file = settings.world
    seed = file.seed if settings.seed is None else settings.seed
    start = _start(settings)
    terrain = make_terrain(file, seed, start)
    check_world(file, start, terrain)
    rng = np.random.default_rng(seed)
    scattered = _rocks(settings, start, terrain, rng)
    named = (_named_rock(item, terrain) for item in file.features if item.kind == 'rock')
    look = file.look
    return World(
        seed=seed,
        rocks=(*scattered, *named),
        sun=Sun(file.sun.azimuth_rad, file.sun.elevation_rad),
        look=Appearance(look.haze_length_m, _bgr(look.haze), _bgr(look.dust), _bgr(look.sand)),
        start=start,
        terrain=terrain,
        soft=tuple(
            SoftGround(item.x, item.y, item.size_m, item.slip)
            for item in file.features
            if item.kind == 'sand'
        ),
        wheels=file.wheels,
        features=file.features,
    )


def _start(settings: RoverSettings) -> WorldStart:
    asked = settings.start.model_dump(exclude_none=True)
    return settings.world.start.model_copy(update=asked)


def _bgr(colour: tuple[int, int, int]) -> Colour:
    red, green, blue = colour
    return blue, green, red


def _named_rock(feature: Feature, terrain: Terrain) -> Rock:
    return Rock(
        x=feature.x,
        y=feature.y,
        radius=feature.size_m,
        height=feature.height_m or feature.size_m,
        colour=_bgr(feature.colour) if feature.colour else ROCK_COLOURS[0],
        shape_seed=sum(feature.name.encode()),
        name=feature.name,
        ground=terrain.height(feature.x, feature.y),
    )


def _rocks(
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
