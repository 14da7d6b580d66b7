"""The place: terrain, rocks, soft ground and light under one sun, from a world file and a seed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
import math

import numpy as np

from curiosity_sim.rover.rocks import Colour, Rock, bgr, named_rock, scattered_rocks
from curiosity_sim.rover.terrain import LEVEL, Terrain, make_terrain
from curiosity_sim.rover.world_checks import check_world
from rover_common.config.settings import Config, RoverSettings
from rover_common.config.settings.world import WheelSettings
from rover_common.config.settings.world_features import Feature
from rover_common.config.settings.world_start import WorldStart

ORIGIN = WorldStart()
PERFECT_WHEELS = WheelSettings()


@dataclass(frozen=True)
class SoftGround:
    """A round place where wheels lose a fraction `slip` of the motion; m in the odom frame."""

    x: float
    y: float
    radius: float
    slip: float


@dataclass(frozen=True)
class Appearance:
    """Colours of air and sand: blue, green, red; see `AppearanceSettings` of the world file."""

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
        ConfigError: The file's values contradict each other; the text names them.
    """
    file = settings.world
    seed = file.seed if settings.seed is None else settings.seed
    start = _start(settings)
    terrain = make_terrain(file, seed, start)
    check_world(file, start, terrain)
    scattered = scattered_rocks(settings, start, terrain, np.random.default_rng(seed))
    named = (named_rock(item, terrain) for item in file.features if item.kind == 'rock')
    look = file.look
    return World(
        seed=seed,
        rocks=(*scattered, *named),
        sun=Sun(file.sun.azimuth_rad, file.sun.elevation_rad),
        look=Appearance(look.haze_length_m, bgr(look.haze), bgr(look.dust), bgr(look.sand)),
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
    return settings.world.start.model_copy(update=settings.start.model_dump(exclude_none=True))
