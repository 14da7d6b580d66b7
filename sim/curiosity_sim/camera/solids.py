"""Convex solids as flat faces with one lit colour each: rocks, and the rover's own body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from curiosity_sim.rover.world import Colour, Rock, Sun

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

CHOPS = 11
AMBIENT = 0.40
DIFFUSE = 0.85
DUST_COVER = 0.45  # of dust in the colour of a face that looks straight up
NEAR_GROUND = 0.7  # light at the foot of a rock, where the ground keeps the sky away
GRAIN = 0.05  # deviation of the brightness between the faces of one rock


@dataclass(frozen=True)
class Faces:
    """Faces of one size: corners (faces, corners, 3) in m, normals, colours (blue, green, red).

    Corners run counterclockwise as seen from outside.
    """

    corners: Doubles
    normals: Doubles
    colours: Doubles


def rock_faces(rock: Rock, sun: Sun, dust: Colour, detail: int) -> Faces:
    """A boulder in the odom frame: a ball from which planes have chopped pieces.

    The ball has 8 faces with detail 0, 20 with detail 1, and then four times as many each time.
    """
    rng = np.random.default_rng(rock.shape_seed)
    corners, triangles = _ball(detail)
    shape = _chopped(corners, rng)
    shape[:, :2] *= rock.radius / np.hypot(shape[:, 0], shape[:, 1]).max()
    # The widest part lies a little above the ground, the lowest part below it.
    shape[:, 2] = np.maximum(shape[:, 2] + 0.35, 0.0)
    shape[:, 2] *= rock.height / shape[:, 2].max()
    shape += (rock.x, rock.y, rock.ground)
    faces = shape[triangles]
    normals = _normals(faces)
    # Edges are worn: light falls as on something between flat faces and a smooth ball.
    light = _light(_worn(normals, triangles, len(shape)), sun)
    low = (faces[:, :, 2].mean(axis=1) - rock.ground) / rock.height
    light *= NEAR_GROUND + (1.0 - NEAR_GROUND) * np.minimum(2.0 * low, 1.0)
    light *= 1.0 + GRAIN * rng.standard_normal(len(faces))
    colour, cover = np.array(rock.colour, float), np.array(dust, float)
    dusty = DUST_COVER * np.maximum(normals[:, 2:], 0.0) ** 2
    lit = light[:, None] * (colour + dusty * (cover - colour))
    return Faces(faces, normals, np.clip(lit, 0.0, 255.0))


def box_faces(
    low: tuple[float, float, float],
    high: tuple[float, float, float],
    colour: tuple[int, int, int],
) -> Faces:
    """An upright box, unlit: its colours are those of the noon."""
    x, y, z = zip(low, high, strict=True)
    corner = np.array([(x[i & 1], y[i >> 1 & 1], z[i >> 2]) for i in range(8)])
    quads = np.array([(4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)])
    faces = corner[quads]
    shade = np.array([1.0, 0.62, 0.72, 0.8, 0.66])[:, None]
    return Faces(faces, _normals(faces), shade * np.array(colour, float))


def joined(parts: Sequence[Faces]) -> Faces:
    """All faces of solids whose faces have the same number of corners, in their order."""
    return Faces(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )


def _light(normals: Doubles, sun: Sun) -> Doubles:
    light: Doubles = AMBIENT + DIFFUSE * np.maximum(normals @ np.array(sun.direction), 0.0)
    return light


def _worn(normals: Doubles, triangles: Integers, corners: int) -> Doubles:
    """Normals of faces, each mixed with those of the faces around it."""
    around = np.zeros((corners, 3))
    for corner in triangles.T:
        np.add.at(around, corner, normals)
    return _unit(normals + _unit(around)[triangles].mean(axis=1))


def _normals(faces: Doubles) -> Doubles:
    across = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    return _unit(across)


def _unit(vectors: Doubles) -> Doubles:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Doubles = vectors / np.maximum(lengths, 1e-12)
    return unit


def _chopped(corners: Doubles, rng: Generator) -> Doubles:
    """The ball after planes at random angles have cut it: angular, as basalt breaks."""
    planes = rng.standard_normal((CHOPS, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    depths = rng.uniform(0.62, 0.95, CHOPS)
    facing = np.maximum(corners @ planes.T, 1e-6)
    radii = np.minimum((depths / facing).min(axis=1), 1.0)
    radii *= 1.0 + 0.03 * rng.standard_normal(len(corners))
    stretch = np.array([1.0, rng.uniform(0.6, 1.0), 1.0])
    turn = rng.uniform(0.0, math.tau)
    cos, sin = math.cos(turn), math.sin(turn)
    shape: Doubles = corners * radii[:, None] * stretch
    shape @= np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    return shape


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
