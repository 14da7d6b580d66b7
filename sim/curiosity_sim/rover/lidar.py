"""The scanning rangefinder, against rocks seen as upright cylinders and against steep ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.blocking_rocks_and_slopes import CLIMBABLE_M
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.terrain import Terrain
from curiosity_sim.rover.world import World
from curiosity_sim.tiling_noise import Floats

# Numbers of the demo's sensor.
RAYS = 640
RANGE_MIN_M = 1.0
RANGE_MAX_M = 30.0
STEP_M = 0.75  # between two samples of the ground along a ray; its waves are 4 m long at least
GROUND_RAYS = 2  # rays that share one sample of the ground: it changes slower than they turn


class Lidar:
    """A level scan in one plane, ten times a second, through the sensor on the mast's head.

    The demo's plane lies 2.1 m above the ground, over every stone. Here rocks that the wheels
    cannot climb are seen whatever the plane's height. Ground that rises above the plane ends a
    ray; it is an echo where it is too steep to be driven on. Gentle ground is none, as after the
    filter that takes the ground out of a real sensor's echoes.
    """

    def __init__(self, world: World, rays: int = RAYS) -> None:
        self.rays = rays
        self.range_min, self.range_max = RANGE_MIN_M, RANGE_MAX_M
        # Bearings of the rays in the sensor's frame, rad, from -pi to pi inclusive.
        self.angles: Doubles = np.linspace(-math.pi, math.pi, rays)
        self._ahead = np.stack([np.cos(self.angles), np.sin(self.angles)])
        solid = [rock for rock in world.rocks if rock.height > CLIMBABLE_M]
        self._centres = np.array([(rock.x, rock.y) for rock in solid]).reshape(-1, 2)
        self._radii = np.array([rock.radius for rock in solid])
        self._terrain = world.terrain
        self._steep = math.tan(world.wheels.climbs_rad)

    def scan(self, head: CameraPose) -> NDArray[np.float32]:
        """Distance along each ray in m from the sensor's pose.

        Infinite: nothing is hit. Not a number: gentle ground ends the ray. A surface nearer than
        RANGE_MIN_M is not reported, as in the demo.
        """
        cos, sin = math.cos(head.yaw), math.sin(head.yaw)
        away = np.array([[cos, -sin], [sin, cos]]) @ self._ahead
        ranges = self._rocks(head, away)
        if not self._terrain.level:
            ground, steep = self._ground(head, away[:, ::GROUND_RAYS])
            ground = np.repeat(ground, GROUND_RAYS)[: self.rays]
            steep = np.repeat(steep, GROUND_RAYS)[: self.rays]
            ranges = np.where(ground < ranges, np.where(steep, ground, np.nan), ranges)
        unseen = (ranges < self.range_min) | (ranges > self.range_max)
        return np.where(unseen, np.inf, ranges).astype(np.float32)

    def _rocks(self, head: CameraPose, away: Doubles) -> Doubles:
        """The nearest rock along each ray."""
        places = self._centres - (head.x, head.y)
        near = np.hypot(*places.T) < self.range_max + self._radii
        if not near.any():
            return np.full(self.rays, np.inf)
        places, radii = places[near], self._radii[near]
        aside = places @ np.stack([away[1], -away[0]])
        # Few rays meet a rock: the rest is reckoned for those alone.
        pairs = np.flatnonzero(np.abs(aside) < radii[:, None])
        rock, ray = np.divmod(pairs, self.rays)
        along = np.einsum('pi,ip->p', places[rock], away[:, ray])
        hits = along - np.sqrt(radii[rock] ** 2 - aside.ravel()[pairs] ** 2)
        nearest = np.full(self.rays, np.inf)
        np.minimum.at(nearest, ray, np.where(hits > 0.0, hits, np.inf))
        return nearest

    def _ground(self, head: CameraPose, away: Doubles) -> tuple[Doubles, NDArray[np.bool_]]:
        """Where the ground rises above the plane along each ray, and whether it is steep there."""
        steps = np.arange(0.0, self.range_max + STEP_M, STEP_M).astype(np.float32)
        over = _heights(
            self._terrain, head, away.astype(np.float32)[:, :, None] * steps
        ) - np.float32(head.z)
        first = (over > 0.0).argmax(axis=1)
        ranges, steep = np.full(len(first), np.inf), np.zeros(len(first), bool)
        hit = np.flatnonzero(first)
        if len(hit):
            low, high = over[hit, first[hit] - 1], over[hit, first[hit]]
            ranges[hit] = steps[first[hit]] - STEP_M * high / (high - low)
            places = away[:, hit] * ranges[hit]
            steep[hit] = _heights(self._terrain.slopes, head, places) > self._steep
        return ranges, steep


def _heights(terrain: Terrain, head: CameraPose, places: NDArray[np.floating]) -> Floats:
    """Heights of the ground at places given from the sensor's foot, m; x and y first."""
    x, y = (
        place.astype(np.float32, copy=False).reshape(len(place), -1) + np.float32(start)
        for place, start in zip(places, (head.x, head.y), strict=True)
    )
    return terrain.heights_at(x, y).reshape(places.shape[1:])
