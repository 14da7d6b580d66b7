"""All rocks of a world, ready to be drawn: faces, shadows, and what hills hide of them."""

from __future__ import annotations

from collections.abc import Sequence
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.projection import Eye
from curiosity_sim.camera.ray_lengths_to_hilly_ground import Relief
from curiosity_sim.camera.rock_faces import faces_of_a_rock, rock_faces
from curiosity_sim.camera.solids import Faces, joined
from curiosity_sim.rover.rocks import bgr
from curiosity_sim.rover.terrain import LEVEL, Terrain
from curiosity_sim.rover.world import World
from rover_common.config.settings.world import SunSettings


def cut_by_hills(faces: Faces, part: NDArray[np.bool_], relief: Relief, before: Doubles) -> Faces:
    """Faces without what the hills before some of them hide; `before` is for those alone."""
    behind = faces.corners[part]
    cover = relief.cover(behind[..., :2].reshape(-1, 2), np.repeat(before, 3))
    corners, seen = faces.corners.copy(), np.ones(len(part), bool)
    corners[part], seen[part] = raised_over_hills(behind, cover)
    return Faces(corners[seen], faces.normals[seen], faces.colours[seen])


def raised_over_hills(outlines: Doubles, cover: Doubles) -> tuple[Doubles, NDArray[np.bool_]]:
    """Outlines (n, corners, 3) without what is covered, and which of them are seen at all."""
    covered = cover.reshape(outlines.shape[:2])
    raised = outlines.copy()
    raised[..., 2] = np.maximum(outlines[..., 2], covered)
    return raised, np.asarray((outlines[..., 2] > covered).any(axis=1), np.bool_)


Integers = NDArray[np.intp]

SHADOW_CORNERS = 16
# Half widths in pixels from which a rock gets more faces: 20, 80, 320, 1280 instead of 8.
DETAIL = (4.0, 14.0, 50.0, 140.0)


class RockField:
    """Chooses the rocks near the field of view, so that only those are projected."""

    def __init__(self, world: World) -> None:
        rocks, sun, dust = world.rocks, world.sun, bgr(world.look.dust)
        self._centres = np.array([(rock.x, rock.y) for rock in rocks]).reshape(-1, 2)
        self._radii = np.array([rock.radius for rock in rocks])
        # A rock and its shadow lie within this distance of its centre.
        self._reaches = np.array(
            [rock.radius + rock.height / math.tan(sun.elevation_rad) for rock in rocks]
        )
        details = range(len(DETAIL) + 1)
        shapes = [rock_faces(rocks, sun, dust, detail) for detail in details]
        counts = np.repeat([faces_of_a_rock(detail) for detail in details], len(rocks))
        self._shapes = _Meshes(shapes, counts)
        casting = shapes[2].corners.reshape(-1, faces_of_a_rock(2), 3, 3)
        shadows = [
            shadow_outline(corners, sun, world.terrain, rock.ground)
            for corners, rock in zip(casting, rocks, strict=True)
        ]
        self._feet = np.array([rock.ground for rock in rocks])
        self._tops = np.array([rock.ground + rock.height for rock in rocks])
        self._shadows = np.array(shadows).reshape(-1, SHADOW_CORNERS, 3)

    def visible(self, eye: Eye, relief: Relief) -> tuple[Faces, Doubles]:
        """Faces and shadow outlines of the rocks that may be seen; the rest cannot be.

        What stands behind a hill is cut off at its crest.
        """
        outside = self._outside(eye)
        chosen = np.flatnonzero(outside < self._radii)
        away = np.hypot(*(self._centres[chosen] - (eye.pose.x, eye.pose.y)).T)
        # Hills nearer than the rock's front: not the slope that it stands on.
        before = away - self._radii[chosen]
        cover = relief.cover(self._centres[chosen], before)
        pixels = eye.lens.focal * self._radii[chosen] / np.maximum(away, 1e-6)
        shapes = chosen + len(self._radii) * np.digitize(pixels, DETAIL)
        drawn = np.flatnonzero(self._tops[chosen] > cover)
        faces, rocks = self._shapes.facing(shapes[drawn], eye)
        rocks = drawn[rocks]
        part = self._feet[chosen[rocks]] <= cover[rocks]
        if part.any():
            faces = cut_by_hills(faces, part, relief, before[rocks[part]])
        shadows = self._shadows[outside < self._reaches]
        return faces, self._visible_shadows(eye, relief, shadows)

    def _visible_shadows(self, eye: Eye, relief: Relief, shadows: Doubles) -> Doubles:
        corners = shadows.reshape(-1, 3)
        away = np.hypot(*(corners[:, :2] - (eye.pose.x, eye.pose.y)).T)
        raised, seen = raised_over_hills(shadows, relief.cover(corners[:, :2], away))
        return raised[seen]

    def _outside(self, eye: Eye) -> Doubles:
        """How far the rocks' centres lie outside the wedge between the view's sides, m.

        With the camera pointing steeply down the wedge is no bound; then all rocks nearby count.
        """
        pose = eye.pose
        away = self._centres - (pose.x, pose.y)
        ahead = away @ np.array([math.cos(pose.yaw), math.sin(pose.yaw)])
        aside = np.abs(away @ np.array([math.sin(pose.yaw), -math.cos(pose.yaw)]))
        half = eye.lens.widest_bearing(pose.down) + abs(pose.roll)
        outside: Doubles = np.maximum(aside * math.cos(half) - ahead * math.sin(half), -ahead)
        return outside if half < math.pi / 2.0 else np.hypot(ahead, aside) - 20.0


def shadow_outline(
    corners: Doubles, sun: SunSettings, terrain: Terrain = LEVEL, foot: float = 0.0
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
    return np.column_stack([picked, terrain.heights_at(*picked.T[:, None])[0]]).astype(np.float64)


class _Meshes:
    """The faces of many rocks in one array, so that some rocks are picked at once."""

    def __init__(self, parts: Sequence[Faces], counts: Integers) -> None:
        """Faces of one rock after the other, and the number of faces of each rock."""
        self._counts = counts
        self._starts = np.cumsum(self._counts) - self._counts
        self._faces = joined(parts)
        # How far each face's plane lies from the origin, along its normal.
        self._offsets = np.einsum('fi,fi->f', self._faces.normals, self._faces.corners[:, 0])

    def facing(self, chosen: Integers, eye: Eye) -> tuple[Faces, Integers]:
        """Faces of the chosen rocks that look towards the eye, and for each its place in them."""
        counts = self._counts[chosen]
        # Runs of indices, each from the start of one rock's faces.
        shift = self._starts[chosen] - (np.cumsum(counts) - counts)
        picked = np.arange(counts.sum()) + np.repeat(shift, counts)
        rocks = np.repeat(np.arange(len(chosen)), counts)
        faces = self._faces
        towards = faces.normals.take(picked, axis=0) @ (eye.pose.x, eye.pose.y, eye.pose.z)
        front = np.flatnonzero(towards > self._offsets[picked])
        parts = (faces.corners, faces.normals, faces.colours)
        return Faces(*(each.take(picked[front], axis=0) for each in parts)), rocks[front]
