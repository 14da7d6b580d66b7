"""Solids as flat faces with one colour each, and the boxes of which the rover's body is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curiosity_sim.array_types import Doubles


@dataclass(frozen=True)
class Faces:
    """Faces of one size: corners (faces, corners, 3) in m, normals, colours (blue, green, red).

    Corners run counterclockwise as seen from outside.
    """

    corners: Doubles
    normals: Doubles
    colours: Doubles


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
    return Faces(faces, normals_of(faces), shade * np.array(colour, float))


def joined(parts: Sequence[Faces]) -> Faces:
    """All faces of solids whose faces have the same number of corners, in their order."""
    return Faces(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )


def normals_of(faces: Doubles) -> Doubles:
    """Unit normals of faces (…, corners, 3), outwards."""
    return unit_vectors(
        np.cross(faces[..., 1, :] - faces[..., 0, :], faces[..., 2, :] - faces[..., 0, :])
    )


def unit_vectors(vectors: Doubles) -> Doubles:
    """Vectors of length 1 in the same directions; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Doubles = vectors / np.maximum(lengths, 1e-12)
    return unit
