"""What hills before a solid hide of its faces and outlines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.relief import Relief
from curiosity_sim.camera.solids import Faces


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
