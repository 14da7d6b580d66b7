"""Looks colours up in a picture that repeats: OpenCV's remap with a cheap wrap.

`cv2.remap` with BORDER_WRAP takes a slow path for each pixel beyond the edge (measured: ten
times slower). Here the whole part of fixed-point coordinates is wrapped by a bit mask instead, so
edges must be powers of two, and one more row and column hold the neighbours beyond the edge.
Four channels, because OpenCV handles them twice as fast as three.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]

CHANNELS = 4  # blue, green, red and one unused


@dataclass(frozen=True)
class Tiling:
    """A picture (rows, columns, 4) that repeats for ever.

    `padded` has one row and one column more: the first ones again.
    """

    padded: Pixels

    @classmethod
    def of(cls, picture: Pixels) -> Tiling:
        """Repeats a picture of three channels whose edges are powers of two."""
        rows, columns = picture.shape[:2]
        if rows & (rows - 1) or columns & (columns - 1):
            raise ValueError(f'Edges must be powers of two, found {rows} by {columns}.')
        wrapped = np.pad(picture, ((0, 1), (0, 1), (0, 0)), mode='wrap')
        return cls(np.ascontiguousarray(cv2.cvtColor(wrapped, cv2.COLOR_BGR2BGRA)))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of one tile."""
        return self.padded.shape[0] - 1, self.padded.shape[1] - 1

    def look_up(self, columns: Floats, rows: Floats) -> Pixels:
        """Colours at the given places, in pixels from the first one, within 16 bits."""
        whole, fraction = cv2.convertMaps(columns, rows, cv2.CV_16SC2)
        height, width = self.shape
        cv2.bitwise_and(whole, (width - 1, height - 1, 0, 0), whole)
        return np.asarray(cv2.remap(self.padded, whole, fraction, cv2.INTER_LINEAR), np.uint8)
