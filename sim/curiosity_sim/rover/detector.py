"""The detector of named things: what of a world is in view from the front of the rover's body.

It stands in for a camera with a trained detector. It looks ahead and turns with the body, so it
works with an open and with a stowed mast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import math

import numpy as np

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.attitude import UPRIGHT, Attitude, rotation
from curiosity_sim.rover.world import World
from rover_common.config.settings.curiosity import DetectorSettings
from rover_common.config.settings.world import Feature
from rover_common.geometry.planar_motion import Pose2D

EYE_AHEAD_M, EYE_HEIGHT_M = 1.0, 1.0  # of the base
STEP_M = 0.5  # between two samples of the ground below a line of sight
SEEN_AT_HEIGHT = 0.8  # the aim, as a part of the thing's height: its foot may be hidden
LOWEST_NOISE_M = 0.02


@dataclass(frozen=True)
class Sighting:
    """A thing that was seen. Place of its foot in m, in the base frame.

    Attributes:
        std_m: Standard deviation of the place.
        score: How sure the detector is, 0 to 1.
        size_m: Width and height.
    """

    name: str
    caption: str
    kind: str
    x: float
    y: float
    z: float
    std_m: float
    score: float
    size_m: tuple[float, float]


class Detector:
    """Scans one world. The same seed and the same scans give the same sightings."""

    def __init__(self, settings: DetectorSettings, world: World) -> None:
        self._settings = settings
        self._chance = np.random.default_rng((world.seed, 11))
        self.replace_world(world)

    def replace_world(self, world: World) -> None:
        """From now on this is what there is to see."""
        self._world = world
        self._centres = np.array([(rock.x, rock.y) for rock in world.rocks]).reshape(-1, 2)
        self._radii = np.array([rock.radius for rock in world.rocks])
        self._tops = np.array([rock.ground + rock.height for rock in world.rocks])

    def detect(self, pose: Pose2D, attitude: Attitude = UPRIGHT) -> list[Sighting]:
        """What is seen from a pose of the base, the nearest first."""
        turn = rotation(pose.yaw, attitude.pitch, attitude.roll)
        base = np.array([pose.x, pose.y, attitude.z])
        eye = base + turn @ (EYE_AHEAD_M, 0.0, EYE_HEIGHT_M)
        seen = list(self._seen(eye, pose.yaw, base, turn))
        return sorted(seen, key=lambda each: math.hypot(each.x, each.y))

    def _seen(self, eye: Doubles, yaw: float, base: Doubles, turn: Doubles) -> Iterator[Sighting]:
        for feature in self._world.features:
            away = math.dist((feature.x, feature.y), eye[:2])
            if not self._in_view(feature, eye, yaw, away) or self._hidden(feature, eye, away):
                continue
            # Drawn for all that is in view, so that one thing's luck is not another's.
            errors, luck = self._chance.normal(size=3), self._chance.random()
            if luck >= self._settings.missed:
                yield self._sighting(feature, away, errors, base, turn)

    def _in_view(self, feature: Feature, eye: Doubles, yaw: float, away: float) -> bool:
        if away > self._settings.range_m + feature.size_m:
            return False
        bearing = math.atan2(feature.y - eye[1], feature.x - eye[0]) - yaw
        half = self._settings.horizontal_fov_rad / 2.0
        return abs(math.remainder(bearing, math.tau)) <= half

    def _hidden(self, feature: Feature, eye: Doubles, away: float) -> bool:
        """Whether a rock or the ground is in front of it."""
        ground = self._world.terrain.height(feature.x, feature.y)
        end = np.array([feature.x, feature.y, ground + SEEN_AT_HEIGHT * (feature.height_m or 0.0)])
        return self._behind_rock(feature, eye, end, away) or self._behind_ground(
            feature, eye, end, away
        )

    def _behind_rock(self, feature: Feature, eye: Doubles, end: Doubles, away: float) -> bool:
        if not len(self._radii) or away <= 0.0:
            return False
        ahead = (end[:2] - eye[:2]) / away
        places = self._centres - eye[:2]
        along = places @ ahead
        aside = np.abs(places @ (-ahead[1], ahead[0]))
        before = (along > 0.0) & (along < away - feature.size_m) & (aside < self._radii)
        over = eye[2] + (end[2] - eye[2]) * along / away
        return bool((before & (self._tops > over)).any())

    def _behind_ground(self, feature: Feature, eye: Doubles, end: Doubles, away: float) -> bool:
        terrain = self._world.terrain
        free = away - feature.size_m
        if terrain.level or free <= STEP_M:
            return False
        part = np.arange(STEP_M, free, STEP_M) / away
        line = eye + part[:, None] * (end - eye)
        x, y = line[:, 0].astype(np.float32)[None], line[:, 1].astype(np.float32)[None]
        return bool((terrain.heights_at(x, y)[0] > line[:, 2]).any())

    def _sighting(
        self, feature: Feature, away: float, errors: Doubles, base: Doubles, turn: Doubles
    ) -> Sighting:
        std = max(self._settings.noise_per_m * away, LOWEST_NOISE_M)
        ground = self._world.terrain.height(feature.x, feature.y)
        foot = np.array([feature.x, feature.y, ground]) + std * errors * (1.0, 1.0, 0.2)
        x, y, z = (turn.T @ (foot - base)).tolist()
        return Sighting(
            name=feature.name,
            caption=feature.caption,
            kind=feature.kind,
            x=x,
            y=y,
            z=z,
            std_m=std,
            score=round(1.0 - 0.4 * min(away / self._settings.range_m, 1.0), 3),
            size_m=(2.0 * feature.size_m, _height(feature)),
        )


def _height(feature: Feature) -> float:
    """How far it rises above its ground; a bowl and sand do not."""
    return (feature.height_m or 0.0) if feature.kind in ('rock', 'hill') else 0.0
