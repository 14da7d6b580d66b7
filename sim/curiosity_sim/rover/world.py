"""The place: terrain, rocks, soft ground and light, from a checked world file and a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from shapely.geometry import Point

from curiosity_sim.rover.attitude import wheel_places
from curiosity_sim.rover.rocks import Rock, named_rock, scattered_rocks
from curiosity_sim.rover.terrain import HALF_M, LEVEL, Terrain, make_terrain, steepest
from rover_common.config.settings import Config, RoverSettings, WorldSettings
from rover_common.config.settings.injected_faults import REMOVED, nearest_faults
from rover_common.config.settings.world import (
    AppearanceSettings,
    Feature,
    SunSettings,
    WheelSettings,
    WorldStart,
    why_not_at,
)
from rover_common.errors import ConfigError
from rover_common.geometry.keep_out import area_of, check_zones
from rover_common.geometry.planar_motion import Pose2D

LARGEST_NAMED_ROCK_M = 20.0  # half width, and height: what is larger is ground, a hill


def check_world(file: WorldSettings, start: WorldStart, terrain: Terrain) -> None:
    """Check that the values of a world agree.

    Raises:
        ConfigError: Names stand twice, a rock is a mountain, a feature lies where there is no
            terrain, a zone is no polygon, or the rover starts in a rock or cannot leave its start.
    """
    _check_features(file)
    _check_zones(file, start)
    in_rock = why_not_at(start, file.features)
    if in_rock:
        raise ConfigError(f'World {file.name!r}: {in_rock}.')
    slope = steepest(terrain, wheel_places(Pose2D(start.x, start.y, start.yaw_rad)))
    if slope > file.wheels.climbs_rad:
        raise ConfigError(
            f'World {file.name!r}: the rover starts on a slope of {slope:.2f} rad, and its wheels '
            f'climb {file.wheels.climbs_rad:g}; move the start or what is steep there.'
        )


def _check_features(file: WorldSettings) -> None:
    for name, times in Counter(item.name for item in file.features).items():
        if times > 1:
            raise ConfigError(
                f'World {file.name!r}: {times} features are called {name!r}; rename them.'
            )
    for item in file.features:
        if item.kind == 'rock':
            _check_rock(file, item)
        if item.kind in ('hill', 'crater') and max(abs(item.x), abs(item.y)) > HALF_M:
            raise ConfigError(
                f'World {file.name!r}: the {item.kind} {item.name!r} lies at ({item.x:g}, '
                f'{item.y:g}) m, and the terrain ends at {HALF_M:g} m; move it nearer.'
            )


def _check_rock(file: WorldSettings, rock: Feature) -> None:
    for key, size in (('size_m', rock.size_m), ('height_m', rock.height_m or 0.0)):
        if size > LARGEST_NAMED_ROCK_M:
            raise ConfigError(
                f'World {file.name!r}: the rock {rock.name!r} has {key} {size:g}, and '
                f'{LARGEST_NAMED_ROCK_M:g} is the most; make it smaller, or a hill.'
            )


def _check_zones(file: WorldSettings, start: WorldStart) -> None:
    try:
        check_zones(file.keep_out)
    except ValueError as error:
        raise ConfigError(f'World {file.name!r}: {error}.') from None
    for zone in file.keep_out:
        if area_of(zone).intersects(Point(start.x, start.y)):
            raise ConfigError(
                f'World {file.name!r}: the rover starts in the keep-out zone {zone.name!r}; '
                'move one of them.'
            )


def _check_faults(settings: RoverSettings) -> None:
    world = settings.world
    known = [REMOVED + each.name for each in world.features if each.kind == 'rock']
    for fault in (*settings.faults, *world.faults):
        if fault.startswith(REMOVED) and fault not in known:
            near = nearest_faults(fault, known) if known else 'it has no rock with a name'
            raise ConfigError(
                f'World {world.name!r} has no rock for the fault {fault!r:.80}; {near}.'
            )


ORIGIN = WorldStart()
PERFECT_WHEELS = WheelSettings()
SUN, LOOK = SunSettings(), AppearanceSettings()


@dataclass(frozen=True)
class World:
    """Everything that can be seen or bumped into. `seed` fixes textures and hills."""

    seed: int
    rocks: tuple[Rock, ...]
    sun: SunSettings = SUN
    look: AppearanceSettings = LOOK
    start: WorldStart = ORIGIN
    terrain: Terrain = LEVEL
    wheels: WheelSettings = PERFECT_WHEELS
    features: tuple[Feature, ...] = ()  # what has a name, among it some of the above

    @property
    def soft(self) -> tuple[Feature, ...]:
        """Where wheels lose a part of the motion."""
        return tuple(each for each in self.features if each.kind == 'sand')

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
    _check_faults(settings)
    scattered = scattered_rocks(settings, start, terrain, np.random.default_rng(seed))
    named = (named_rock(item, terrain) for item in file.features if item.kind == 'rock')
    return World(
        seed=seed,
        rocks=(*scattered, *named),
        sun=file.sun,
        look=file.look,
        start=start,
        terrain=terrain,
        wheels=file.wheels,
        features=file.features,
    )


def _start(settings: RoverSettings) -> WorldStart:
    return settings.world.start.model_copy(update=settings.start.model_dump(exclude_none=True))
