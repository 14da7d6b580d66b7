"""All rocks of a world, ready to be drawn: their faces and the outlines of their shadows."""

from __future__ import annotations

from collections.abc import Sequence
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.skyline import Skyline
from curiosity_sim.camera.solids import Faces, joined, rock_faces
from curiosity_sim.camera.view import Eye
from curiosity_sim.rover.terrain import LEVEL, Terrain
from curiosity_sim.rover.world import Sun, World

Doubles = NDArray[np.float64]

SHADOW_CORNERS = 16
FINE_FROM_M = 0.6  # half width from which a rock near the camera gets 320 faces instead of 80
COARSE_FROM_RADII = 45.0  # distance in half widths from which 20 faces do: 10 pixels at 800


class RockField:
    """Chooses the rocks near the field of view, so that only those are projected."""

    def __init__(self, world: World) -> None:
        rocks, sun, dust = world.rocks, world.sun, world.look.dust
        self._centres = np.array([(rock.x, rock.y) for rock in rocks]).reshape(-1, 2)
        self._radii = np.array([rock.radius for rock in rocks])
        # A rock and its shadow lie within this distance of its centre.
        self._reaches = np.array(
            [rock.radius + rock.height / math.tan(sun.elevation) for rock in rocks]
        )
        fine = [
            rock_faces(rock, sun, dust, 2 if rock.radius >= FINE_FROM_M else 1) for rock in rocks
        ]
        coarse = [rock_faces(rock, sun, dust, 0) for rock in rocks]
        self._fine, self._coarse = _Meshes(fine), _Meshes(coarse)
        shadows = [
            shadow_outline(faces.corners, sun, world.terrain, rock.ground)
            for faces, rock in zip(fine, rocks, strict=True)
        ]
        self._tops = np.array([rock.ground + rock.height for rock in rocks])
        self._shadows = np.array(shadows).reshape(-1, SHADOW_CORNERS, 3)

    def visible(self, eye: Eye, relief: Skyline | None = None) -> tuple[Faces, Doubles]:
        """Faces and shadow outlines of the rocks that may be seen; the rest cannot be."""
        chosen = self._in_view(eye)
        if relief is not None:
            chosen = chosen & ~relief.hides(self._centres, self._tops)
        distances = np.hypot(*(self._centres - (eye.pose.x, eye.pose.y)).T)
        small = distances > COARSE_FROM_RADII * self._radii
        faces = [self._fine.of(chosen & ~small), self._coarse.of(chosen & small)]
        return joined(faces), self._shadows[chosen]

    def _in_view(self, eye: Eye) -> NDArray[np.bool_]:
        """Whether a rock's disc on the ground touches the wedge between the view's sides.

        With the camera pointing steeply down the wedge is no bound; then all rocks nearby count.
        """
        pose = eye.pose
        away = self._centres - (pose.x, pose.y)
        ahead = away @ np.array([math.cos(pose.yaw), math.sin(pose.yaw)])
        aside = np.abs(away @ np.array([math.sin(pose.yaw), -math.cos(pose.yaw)]))
        half = eye.lens.widest_bearing(pose.down) + abs(pose.roll)
        outside = aside * math.cos(half) - ahead * math.sin(half)
        inside: NDArray[np.bool_] = (outside < self._reaches) & (ahead > -self._reaches)
        return inside if half < math.pi / 2.0 else np.hypot(ahead, aside) < self._reaches + 20.0


def shadow_outline(
    corners: Doubles, sun: Sun, terrain: Terrain = LEVEL, foot: float = 0.0
) -> Doubles:
    """Outline on the ground of the shadow of a solid, always of SHADOW_CORNERS corners.

    It falls on a level through the solid's `foot` and is then laid on the terrain.
    """
    points = corners.reshape(-1, 3)
    x, y, z = sun.direction
    ground = points[:, :2] - (points[:, 2:] - foot) * np.array([x / z, y / z])
    hull = cv2.convexHull(ground.astype(np.float32))[:, 0]
    # More corners than needed are thinned out, fewer are repeated.
    picked = hull[np.linspace(0, len(hull) - 1, SHADOW_CORNERS).round().astype(int)]
    heights = [terrain.height(float(column), float(row)) for column, row in picked]
    return np.column_stack([picked, heights]).astype(np.float64)


class _Meshes:
    """The faces of many rocks in one array, so that some rocks are picked at once."""

    def __init__(self, parts: Sequence[Faces]) -> None:
        self._counts = np.array([len(part.corners) for part in parts], int)
        nothing = Faces(np.empty((0, 3, 3)), np.empty((0, 3)), np.empty((0, 3)))
        self._faces = joined([nothing, *parts])

    def of(self, chosen: NDArray[np.bool_]) -> Faces:
        """The faces of the chosen rocks."""
        picked = np.repeat(chosen, self._counts)
        faces = self._faces
        return Faces(faces.corners[picked], faces.normals[picked], faces.colours[picked])
