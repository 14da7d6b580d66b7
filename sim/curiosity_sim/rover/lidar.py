"""The scanning rangefinder, against rocks seen as upright cylinders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.rover.world import Rock


@dataclass(frozen=True)
class Lidar:
    """A level scan in one plane. Numbers of the demo's sensor (min range 1 m, 640 rays, 10 Hz).

    The demo's plane is 2.1 m above the ground, over every stone. Here rocks that the wheels
    cannot climb are seen whatever the plane's height.
    """

    rays: int = 640
    range_min: float = 1.0
    range_max: float = 30.0
    lowest_obstacle: float = 0.25  # m; half a wheel's height

    @property
    def angles(self) -> NDArray[np.float64]:
        """Bearings of the rays in the sensor's frame, rad, from -pi to pi inclusive."""
        return np.linspace(-math.pi, math.pi, self.rays)

    def scan(self, rocks: Sequence[Rock], x: float, y: float, yaw: float) -> NDArray[np.float32]:
        """Distance along each ray in m from the sensor's pose; infinite where nothing is hit.

        A surface nearer than `range_min` is not reported either, as in the demo.
        """
        ranges = np.full(self.rays, np.inf)
        solid = [
            rock
            for rock in rocks
            if rock.height >= self.lowest_obstacle
            and math.hypot(rock.x - x, rock.y - y) < self.range_max + rock.radius
        ]
        if solid:
            centres = np.array([(rock.x - x, rock.y - y) for rock in solid])
            radii = np.array([rock.radius for rock in solid])
            bearings = self.angles + yaw
            rays = np.stack([np.cos(bearings), np.sin(bearings)])
            along = centres @ rays
            aside = centres[:, :1] * rays[1] - centres[:, 1:] * rays[0]
            inside = radii[:, None] ** 2 - aside**2
            hits = np.where(inside > 0.0, along - np.sqrt(np.maximum(inside, 0.0)), np.inf)
            ranges = np.where(hits > 0.0, hits, np.inf).min(axis=0)
        seen = (ranges >= self.range_min) & (ranges <= self.range_max)
        return np.where(seen, ranges, np.inf).astype(np.float32)
