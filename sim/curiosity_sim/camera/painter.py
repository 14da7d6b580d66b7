"""Puts outlines on the picture: projection, clipping, order from far to near."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.solids import Faces
from curiosity_sim.camera.view import Eye

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Pixels = NDArray[np.uint8]

NEAR_M = 0.05
_SHIFT = 4  # OpenCV takes corners in 1/16 pixel
_FARTHEST_PIXEL = 30_000.0  # OpenCV's polygon filler takes 16.16 fixed point


def draw_solids(picture: Pixels, eye: Eye, faces: Faces, air: Haze) -> None:
    """Draws many small faces, far ones first; those that reach behind the camera are left out."""
    facing = _facing(eye, faces)
    seen, colours = eye.see(faces.corners[facing]), faces.colours[facing]
    chosen, corners = _wholly_ahead(picture, eye, seen, 1.0)
    depths = seen[chosen, :, 2].mean(axis=1)
    hazed = colours[chosen] + air.at(depths)[:, None] * (air.colour - colours[chosen])
    for index in np.argsort(-depths):
        cv2.fillConvexPoly(picture, corners[index], hazed[index].tolist(), cv2.LINE_8, _SHIFT)


def draw_body(picture: Pixels, eye: Eye, faces: Faces) -> None:
    """Draws few large faces in the given order, cut off where they reach behind the camera."""
    facing = _facing(eye, faces)
    seen, colours = eye.see(faces.corners[facing]), faces.colours[facing]
    for index in np.flatnonzero((seen[..., 2] > NEAR_M).any(axis=1)):
        for corners in _cut(picture, eye, seen[index], 1.0):
            cv2.fillConvexPoly(picture, corners, colours[index].tolist(), cv2.LINE_AA, _SHIFT)


def draw_shadows(light: Pixels, eye: Eye, outlines: Doubles, scale: float, dark: int) -> None:
    """Darkens convex outlines (shadows, corners, 3) in a light map `scale` times the picture."""
    seen = eye.see(outlines)
    shade = (dark, dark, dark)
    _, whole = _wholly_ahead(light, eye, seen, scale)
    for corners in whole:
        cv2.fillConvexPoly(light, corners, shade, cv2.LINE_AA, _SHIFT)
    ahead = seen[..., 2] > NEAR_M
    for outline in seen[ahead.any(axis=1) & ~ahead.all(axis=1)]:
        for corners in _cut(light, eye, outline, scale):
            cv2.fillConvexPoly(light, corners, shade, cv2.LINE_AA, _SHIFT)


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


def _wholly_ahead(
    picture: Pixels, eye: Eye, seen: Doubles, scale: float
) -> tuple[Integers, NDArray[np.int32]]:
    """Those outlines that lie wholly before the camera and touch the picture."""
    ahead = np.flatnonzero((seen[..., 2] > NEAR_M).all(axis=1))
    flat = _projected(eye, seen[ahead], scale)
    touching = _touches(flat, picture.shape)
    return ahead[touching], _fixed(flat[touching])


def _cut(picture: Pixels, eye: Eye, outline: Doubles, scale: float) -> Iterator[NDArray[np.int32]]:
    """The visible part of one outline, if there is one."""
    visible = clip_near(outline)
    if len(visible):
        flat = _projected(eye, visible, scale)
        if _touches(flat[None], picture.shape)[0]:
            yield _fixed(flat)


def _projected(eye: Eye, seen: Doubles, scale: float) -> Doubles:
    """Columns and rows in a picture whose pixels are 1/scale as wide as the eye's."""
    return (eye.project(seen) + 0.5) * scale - 0.5


def _touches(flat: Doubles, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    low, high = flat.min(axis=1), flat.max(axis=1)
    across = (high[:, 0] >= 0.0) & (low[:, 0] < shape[1])
    along = (high[:, 1] >= 0.0) & (low[:, 1] < shape[0])
    touches: NDArray[np.bool_] = across & along
    return touches


def _fixed(flat: Doubles) -> NDArray[np.int32]:
    limited = np.clip(flat, -_FARTHEST_PIXEL, _FARTHEST_PIXEL)
    return np.rint(limited * (1 << _SHIFT)).astype(np.int32)
