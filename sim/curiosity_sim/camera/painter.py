"""Puts outlines on the picture: projection, clipping, and order from far to near."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles, Pixels
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.projection import CELL, Eye
from curiosity_sim.camera.solids import Faces

NEAR_M = 0.05
SHADOW = 62  # light in a shadow, against NEUTRAL_TONE in full light
_SHIFT = 4  # OpenCV takes corners in 1/16 pixel
_FARTHEST_PIXEL = 30_000.0  # OpenCV's polygon filler takes 16.16 fixed point


def draw_solids(picture: Pixels, eye: Eye, faces: Faces, air: Haze) -> None:
    """Draws many small faces, far ones first; those that reach behind the camera are left out.

    All must look towards the eye.
    """
    seen = eye.see(faces.corners)
    depths = np.ascontiguousarray(seen[..., 2].T)
    ahead = np.flatnonzero(depths.min(axis=0) > NEAR_M)
    depth = depths.mean(axis=0)
    order = ahead[np.argsort(-depth[ahead])]
    colours, part = faces.colours[order], air.at(depth[order])[:, None]
    hazed = colours + part * (air.colour - colours)
    corners = _fixed(eye.project(seen[order]))
    for corner, colour in zip(corners, hazed.tolist(), strict=True):
        cv2.fillConvexPoly(picture, corner, colour, cv2.LINE_8, _SHIFT)


def draw_body(picture: Pixels, eye: Eye, faces: Faces) -> None:
    """Draws few large faces in the given order, cut off where they reach behind the camera."""
    facing = _facing(eye, faces)
    seen, colours = eye.see(faces.corners[facing]), faces.colours[facing]
    for index in np.flatnonzero(may_be_seen(eye, seen)):
        corners = _fixed(eye.project(clip_near(seen[index])))
        cv2.fillConvexPoly(picture, corners, colours[index].tolist(), cv2.LINE_AA, _SHIFT)


def draw_shadows(light: Pixels, eye: Eye, outlines: Doubles, first: int) -> None:
    """Darkens convex outlines (shadows, corners, 3) in the light of cells, from row `first` on."""
    seen = eye.see(outlines)
    seen = seen[may_be_seen(eye, seen)]
    ahead = (seen[..., 2] > NEAR_M).all(axis=1)
    visible = [*seen[~ahead]]
    flats = [eye.project(seen[ahead]), *(eye.project(clip_near(each)[None]) for each in visible)]
    for flat in flats:
        # Cells have their middles between pixels, and the first one lies outside of the picture.
        for corners in _fixed((flat + 0.5) / CELL + (0.5, 0.5 - first)):
            cv2.fillConvexPoly(light, corners, (SHADOW,) * 3, cv2.LINE_AA, _SHIFT)


def clip_near(seen: Doubles) -> Doubles:
    """The part of a convex outline that lies ahead of the camera (Sutherland and Hodgman)."""
    if (seen[:, 2] >= NEAR_M).all():
        return seen
    kept: list[Doubles] = []
    for start, end in zip(seen, np.roll(seen, -1, axis=0), strict=True):
        if start[2] >= NEAR_M:
            kept.append(start)
        if (start[2] >= NEAR_M) != (end[2] >= NEAR_M):
            kept.append(start + (end - start) * (NEAR_M - start[2]) / (end[2] - start[2]))
    return np.array(kept)


def _facing(eye: Eye, faces: Faces) -> NDArray[np.bool_]:
    here = np.array([eye.pose.x, eye.pose.y, eye.pose.z])
    towards = here - faces.corners[:, 0]
    facing: NDArray[np.bool_] = np.einsum('fi,fi->f', faces.normals, towards) > 0.0
    return facing


def may_be_seen(eye: Eye, seen: Doubles) -> NDArray[np.bool_]:
    """Which outlines (n, corners, 3) do not lie wholly beyond one side of the field of view.

    Corners as `Eye.see` gives them.
    """
    lens = eye.lens
    across, along = lens.width / 2.0 / lens.focal, lens.height / 2.0 / lens.focal
    # Right, left, lower and upper side of the field of view, and the plane at NEAR_M.
    sides = [(1.0, 0.0, -across), (-1.0, 0.0, -across), (0.0, 1.0, -along), (0.0, -1.0, -along)]
    beyond = seen @ np.array([*sides, (0.0, 0.0, -1.0)]).T > (0.0, 0.0, 0.0, 0.0, -NEAR_M)
    return np.asarray(~beyond.all(axis=1).any(axis=1), np.bool_)


def _fixed(flat: Doubles) -> NDArray[np.int32]:
    limited = np.clip(flat, -_FARTHEST_PIXEL, _FARTHEST_PIXEL)
    return np.rint(limited * (1 << _SHIFT)).astype(np.int32)
