"""How each row of ground is drawn: which texture, how much haze. Prepared once per gaze."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.gaze import Floats, Gaze
from curiosity_sim.camera.ground import LEVELS, NEUTRAL_TONE, TEXELS_PER_M
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.tiling import CHANNELS
from curiosity_sim.camera.view import Lens

Pixels = NDArray[np.uint8]

LIGHT_SCALE = 4  # the light map has one pixel for so many of the picture, each way
SHARPNESS = 0.7  # texels per pixel at which a coarser texture is taken


@dataclass(frozen=True)
class GroundRows:
    """What stays the same while the camera keeps its height and its angle to the horizon."""

    bands: tuple[tuple[int, int, int], ...]  # texture level, first and end ground row
    haze: Pixels  # light of the haze before each pixel of the ground
    ahead: Floats  # m, as in Gaze, for the pixels of the light map that see ground
    left: Floats
    clearness: Pixels  # what the haze lets through, 255 is all; the size of the light map
    full_light: int = NEUTRAL_TONE


def make_ground_rows(gaze: Gaze, lens: Lens, air: Haze) -> GroundRows:
    """Prepares the rows of one gaze."""
    shape = (-(-lens.height // LIGHT_SCALE), -(-lens.width // LIGHT_SCALE), CHANNELS)
    rows, columns = _middles(shape[0], lens.height), _middles(shape[1], lens.width)
    coarse = np.ix_(rows[rows >= gaze.horizon] - gaze.horizon, columns)
    haze = air.at(gaze.distance)
    clearness = np.full(shape, 255, np.uint8)
    seen = np.rint(255.0 * (1.0 - haze[coarse[0][:, 0]])).astype(np.uint8)
    clearness[shape[0] - len(seen) :] = seen[:, None, None]
    light = np.zeros((len(haze), lens.width, CHANNELS), np.uint8)
    light[..., :3] = np.rint(haze[:, None, None] * air.colour)
    return GroundRows(
        bands=tuple(_bands(gaze, lens)),
        haze=light,
        ahead=np.ascontiguousarray(gaze.ahead[coarse]),
        left=np.ascontiguousarray(gaze.left[coarse]),
        clearness=clearness,
    )


def _middles(count: int, size: int) -> NDArray[np.int64]:
    """The picture's rows or columns in the middle of each pixel of the light map."""
    middles: NDArray[np.int64] = np.arange(count) * LIGHT_SCALE + LIGHT_SCALE // 2
    return np.minimum(middles, size - 1)


def _bands(gaze: Gaze, lens: Lens) -> Iterator[tuple[int, int, int]]:
    """Rows that share a texture level, so that a pixel covers about one texel."""
    if not len(gaze.distance):
        return
    slant = np.hypot(gaze.distance, gaze.height)
    across = slant / lens.focal
    along = slant**2 / (gaze.height * lens.focal)
    wanted = np.rint(np.log2(np.sqrt(across * along) * TEXELS_PER_M * SHARPNESS))
    levels = np.clip(wanted, 0, LEVELS - 1).astype(int)
    edges = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    for start, end in pairwise(edges):
        yield int(levels[start]), start, end
