"""Puts faces and shadows on the picture: projection, clipping, order from far to near."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.panorama import HAZE
from curiosity_sim.camera.solids import Faces
from curiosity_sim.camera.view import Eye

Doubles = NDArray[np.float64]
Pixels = NDArray[np.uint8]

NEAR_M = 0.05
HAZE_LENGTH_M = 160.0  # distance at which 63 % of the light is the haze's
_SHIFT = 4  # OpenCV takes corners in 1/16 pixel
_FARTHEST_PIXEL = 30_000.0  # OpenCV's polygon filler takes 16.16 fixed point


def haze_at(distance: NDArray[np.floating]) -> Doubles:
    """The haze's part in the light from a distance in m, 0 to 1."""
    part: Doubles = 1.0 - np.exp(-np.asarray(distance, np.float64) / HAZE_LENGTH_M)
    return part


def draw_triangles(picture: Pixels, eye: Eye, faces: Faces) -> None:
    """Draws many small faces, far ones first; those that reach behind the camera are left out."""
    here = np.array([eye.pose.x, eye.pose.y, eye.pose.z])
    towards = np.einsum('fi,fi->f', faces.normals, here - faces.corners[:, 0]) > 0.0
    seen = eye.see(faces.corners[towards])
    colours = faces.colours[towards]
    ahead = (seen[..., 2] > NEAR_M).all(axis=1)
    seen, colours = seen[ahead], colours[ahead]
    flat = eye.project(seen)
    inside = _touches(flat, picture.shape)
    flat, depth, colours = flat[inside], seen[inside, :, 2].mean(axis=1), colours[inside]
    haze = haze_at(depth)[:, None]
    hazed = colours + haze * (HAZE - colours)
    corners = _fixed(flat)
    for index in np.argsort(-depth):
        cv2.fillConvexPoly(picture, corners[index], hazed[index].tolist(), shift=_SHIFT)


def draw_polygons(picture: Pixels, eye: Eye, faces: Faces) -> None:
    """Draws few large faces in the given order, cut off where they reach behind the camera."""
    here = np.array([eye.pose.x, eye.pose.y, eye.pose.z])
    for corners, normal, colour in zip(faces.corners, faces.normals, faces.colours, strict=True):
        if normal @ (here - corners[0]) <= 0.0:
            continue
        visible = clip_near(eye.see(corners))
        if len(visible):
            flat = eye.project(visible)
            if _touches(flat[None], picture.shape)[0]:
                cv2.fillConvexPoly(picture, _fixed(flat), colour.tolist(), cv2.LINE_AA, _SHIFT)


def draw_shadow(light: Pixels, eye: Eye, outline: Doubles, scale: float, dark: int) -> None:
    """Darkens the hull of points on the ground in a light map of `scale` times the picture."""
    visible = clip_near(eye.see(outline))
    if not len(visible):
        return
    flat = eye.project(visible) * scale
    if _touches(flat[None], light.shape)[0]:
        cv2.fillConvexPoly(light, _fixed(flat), (dark, dark, dark), cv2.LINE_AA, _SHIFT)


def clip_near(seen: Doubles) -> Doubles:
    """The part of a convex outline that lies ahead of the camera (Sutherland and Hodgman)."""
    kept: list[Doubles] = []
    for start, end in zip(seen, np.roll(seen, -1, axis=0), strict=True):
        if start[2] >= NEAR_M:
            kept.append(start)
        if (start[2] >= NEAR_M) != (end[2] >= NEAR_M):
            kept.append(start + (end - start) * (NEAR_M - start[2]) / (end[2] - start[2]))
    return np.array(kept)


def _touches(flat: Doubles, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    low, high = flat.min(axis=1), flat.max(axis=1)
    across = (high[:, 0] >= 0.0) & (low[:, 0] < shape[1])
    along = (high[:, 1] >= 0.0) & (low[:, 1] < shape[0])
    touches: NDArray[np.bool_] = across & along
    return touches


def _fixed(flat: Doubles) -> NDArray[np.int32]:
    limited = np.clip(flat, -_FARTHEST_PIXEL, _FARTHEST_PIXEL)
    return np.rint(limited * (1 << _SHIFT)).astype(np.int32)
