"""The faces of rocks: balls that are chopped, stretched and worn, lit by the sun."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.solids import Faces, normals_of, unit_vectors
from curiosity_sim.rover.rocks import Colour, Rock
from rover_common.config.settings.world import SunSettings

Integers = NDArray[np.int64]

CHOPS = 11
AMBIENT = 0.40
DIFFUSE = 0.85
DUST_COVER = 0.45  # of dust in the colour of a face that looks straight up
NEAR_GROUND = 0.7  # light at the foot of a rock, where the ground keeps the sky away
GRAIN = 0.05  # deviation of the brightness between the faces of one rock


def faces_of_a_rock(detail: int) -> int:
    """How many there are: 8, 20, and then four times as many each time."""
    return len(_ball(detail)[1])


def rock_faces(rocks: Sequence[Rock], sun: SunSettings, dust: Colour, detail: int) -> Faces:
    """Boulders in the odom frame, one after the other: balls from which planes chopped pieces.

    Each has `faces_of_a_rock(detail)`. All rocks are made at once: with few corners each, calls
    cost more than what they compute.
    """
    ball, triangles = _ball(detail)
    rngs = [np.random.default_rng(rock.shape_seed) for rock in rocks]
    shape = _chopped(ball, rngs)
    radius = np.array([rock.radius for rock in rocks])[:, None]
    height = np.array([rock.height for rock in rocks])[:, None]
    foot = np.array([(rock.x, rock.y, rock.ground) for rock in rocks]).reshape(-1, 1, 3)
    spread = np.hypot(shape[..., 0], shape[..., 1]).max(axis=1, keepdims=True)
    shape[..., :2] *= (radius / spread)[..., None]
    # The widest part lies a little above the ground, the lowest part below it.
    raised = np.maximum(shape[..., 2] + 0.35, 0.0)
    shape[..., 2] = raised * (height / raised.max(axis=1, keepdims=True))
    shape += foot
    faces = shape[:, triangles]
    normals = normals_of(faces)
    # Edges are worn: light falls as on something between flat faces and a smooth ball.
    light = _light(_worn(normals, detail), sun)
    low = (faces[..., 2].mean(axis=2) - foot[..., 2]) / height
    light *= NEAR_GROUND + (1.0 - NEAR_GROUND) * np.minimum(2.0 * low, 1.0)
    light *= 1.0 + GRAIN * _drawn(rngs, len(triangles))
    colour = np.array([rock.colour for rock in rocks], float).reshape(-1, 1, 3)
    dusty = DUST_COVER * np.maximum(normals[..., 2:], 0.0) ** 2
    lit = light[..., None] * (colour + dusty * (np.array(dust, float) - colour))
    return Faces(
        faces.reshape(-1, 3, 3), normals.reshape(-1, 3), np.clip(lit, 0.0, 255.0).reshape(-1, 3)
    )


def _worn(normals: Doubles, detail: int) -> Doubles:
    """Normals of faces (rocks, faces, 3), each mixed with those of the faces around it."""
    _, triangles = _ball(detail)
    faces, starts = _faces_around(detail)
    around = np.add.reduceat(normals[:, faces], starts, axis=1)
    return unit_vectors(normals + unit_vectors(around)[:, triangles].mean(axis=2))


def _chopped(ball: Doubles, rngs: Sequence[Generator]) -> Doubles:
    """Balls (rocks, corners, 3) after planes at random angles have cut them, as basalt breaks."""
    planes = unit_vectors(_drawn(rngs, CHOPS * 3).reshape(-1, CHOPS, 3))
    depths = np.array([rng.uniform(0.62, 0.95, CHOPS) for rng in rngs]).reshape(-1, CHOPS, 1)
    facing = np.maximum(planes @ ball.T, 1e-6)  # (rocks, planes, corners)
    radii = np.minimum((depths / facing).min(axis=1), 1.0)
    radii *= 1.0 + 0.03 * _drawn(rngs, len(ball))
    stretch = np.ones((len(rngs), 1, 3))
    stretch[:, 0, 1] = [rng.uniform(0.6, 1.0) for rng in rngs]
    turns = np.array([rng.uniform(0.0, math.tau) for rng in rngs])
    shape: Doubles = (ball * radii[..., None] * stretch) @ _turned_about_z(turns)
    return shape


def _drawn(rngs: Sequence[Generator], count: int) -> Doubles:
    """Standard normal numbers (sources, count), a row from each generator."""
    return np.array([rng.standard_normal(count) for rng in rngs]).reshape(-1, count)


def _turned_about_z(angles: Doubles) -> Doubles:
    """Matrices (angles, 3, 3) which, multiplied from the right, turn by these angles in rad."""
    cos, sin, zero = np.cos(angles), np.sin(angles), np.zeros_like(angles)
    one = np.ones_like(angles)
    rows = [(cos, sin, zero), (-sin, cos, zero), (zero, zero, one)]
    return np.moveaxis(np.array(rows), -1, 0)


@cache
def _ball(detail: int) -> tuple[Doubles, Integers]:
    """A unit ball: an octahedron, or an icosahedron whose faces are split again and again."""
    if detail == 0:
        ends = np.vstack([np.eye(3), -np.eye(3)])
        sides = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2)]
        return ends, np.array(sides + [(b, a, 5) for a, b, _ in sides])
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    corners = [
        (-1.0, golden, 0.0), (1.0, golden, 0.0), (-1.0, -golden, 0.0), (1.0, -golden, 0.0),
        (0.0, -1.0, golden), (0.0, 1.0, golden), (0.0, -1.0, -golden), (0.0, 1.0, -golden),
        (golden, 0.0, -1.0), (golden, 0.0, 1.0), (-golden, 0.0, -1.0), (-golden, 0.0, 1.0),
    ]  # fmt: skip
    triangles = [
        (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11),
        (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
        (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9),
        (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
    ]  # fmt: skip
    ball, faces = np.array(corners) / math.hypot(1.0, golden), np.array(triangles)
    for _ in range(detail - 1):
        ball, faces = _split(ball, faces)
    return ball, faces


def _split(ball: Doubles, faces: Integers) -> tuple[Doubles, Integers]:
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    pairs, which = np.unique(edges, axis=0, return_inverse=True)
    middles = ball[pairs].mean(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    ab, bc, ca = (which.reshape(-1, 3) + len(ball)).T
    a, b, c = faces.T
    split = np.stack([(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]).transpose(0, 2, 1)
    return np.concatenate([ball, middles]), split.reshape(-1, 3)


def _light(normals: Doubles, sun: SunSettings) -> Doubles:
    light: Doubles = AMBIENT + DIFFUSE * np.maximum(normals @ np.array(sun.direction), 0.0)
    return light


@cache
def _faces_around(detail: int) -> tuple[Integers, Integers]:
    """Faces around the first corner of a ball, around the second, …; where each corner's begin."""
    _, triangles = _ball(detail)
    order = np.argsort(triangles, axis=None, kind='stable')
    return order // 3, np.flatnonzero(np.diff(triangles.ravel()[order], prepend=-1))
