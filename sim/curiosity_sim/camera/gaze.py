"""Where the rays of a camera's pixels go: prepared once per gaze, used for many pictures."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.panorama import PIXELS_PER_RAD, ROWS, TOP_RAD
from curiosity_sim.camera.view import Lens

Floats = NDArray[np.float32]

FARTHEST_M = 3000.0


@dataclass(frozen=True)
class Gaze:
    """The rays of all pixels for one height and one angle below the horizon, at yaw 0.

    Rows from `horizon` on see the ground: `ahead` and `left` in m from the camera's foot.
    Rows before `sky_end` see the sky: column and row in the panorama.
    """

    height: float
    down: float
    horizon: int
    ahead: Floats
    left: Floats
    distance: Floats  # m along the ground, in the middle column of each ground row
    sky_end: int
    sky_column: Floats
    sky_row: Floats

    @property
    def key(self) -> tuple[float, float]:
        """What the rays were made for: height in m, angle below the horizon in rad."""
        return self.height, self.down


def make_gaze(lens: Lens, height: float, down: float) -> Gaze:
    """Prepares the rays: expensive, to be kept while height and angle stay."""
    column, row = lens.centre
    aside = (np.arange(lens.width) - column) / lens.focal
    below = ((np.arange(lens.height) - row) / lens.focal)[:, None]
    ahead = math.cos(down) - below * math.sin(down)
    up = -math.sin(down) - below * math.cos(down)
    # Without roll, a row has one height; those that fall shallower than this reach no ground.
    falls = (-up[:, 0]) > height / FARTHEST_M
    horizon = int(np.argmax(falls)) if falls.any() else lens.height
    reach = height / -up[horizon:]
    ground_ahead = reach * ahead[horizon:]
    sky_end = min(horizon + 1, lens.height)
    level = np.hypot(ahead[:sky_end], aside)
    bearing = np.arctan2(-aside[None, :], ahead[:sky_end])
    elevation = np.arctan2(up[:sky_end], level)
    return Gaze(
        height=height,
        down=down,
        horizon=horizon,
        ahead=np.repeat(ground_ahead, lens.width, axis=1).astype(np.float32),
        left=(-reach * aside).astype(np.float32),
        distance=np.abs(ground_ahead[:, 0]).astype(np.float32),
        sky_end=sky_end,
        sky_column=(-bearing * PIXELS_PER_RAD).astype(np.float32),
        sky_row=np.clip((TOP_RAD - elevation) * PIXELS_PER_RAD, 0, ROWS - 1).astype(np.float32),
    )
