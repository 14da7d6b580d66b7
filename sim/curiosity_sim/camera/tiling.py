"""Looks colours up in pictures that repeat: OpenCV's remap with a cheap wrap.

`cv2.remap` with BORDER_WRAP takes a slow path for each pixel beyond the edge (measured: nine
times slower). Here places are wrapped before, and one more row and column hold the neighbours
beyond the edge. Four channels, because OpenCV handles them twice as fast as three.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Pixels
from curiosity_sim.camera.rays import CELL, spread
from curiosity_sim.tiling_noise import Floats

CHANNELS = 4  # blue, green, red and one unused


class Tiling:
    """A picture of one level that repeats for ever."""

    def __init__(self, picture: Pixels) -> None:
        """Prepares a square picture of three channels."""
        self._framed = _framed(picture)
        self._edge = np.float32(len(picture))

    def sample(self, columns: Floats, rows: Floats) -> Pixels:
        """Colours at the given places; the picture repeats at each whole number."""
        across, down = ((cells - np.floor(cells)) * self._edge for cells in (columns, rows))
        return np.asarray(cv2.remap(self._framed, across, down, cv2.INTER_LINEAR), np.uint8)


class Pyramid:
    """A picture that repeats for ever, in levels of which each is half as fine as the one before.

    All levels stand below each other in one array, from which each cell of a camera's picture
    takes its own.

    Attributes:
        edge: Of the finest level, in pixels.
        levels: How many there are.
    """

    def __init__(self, picture: Pixels, levels: int) -> None:
        """Prepares a picture of three channels whose edges are one power of two."""
        edge: int = picture.shape[0]
        if picture.shape[1] != edge or edge % (1 << (levels - 1)):
            raise ValueError(
                f'A picture of {picture.shape[:2]} pixels has no {levels} levels: both edges '
                f'must be the same multiple of {1 << (levels - 1)}.'
            )
        self.edge, self.levels = edge, levels
        pictures = [picture]
        for _ in range(levels - 1):
            half = cv2.resize(pictures[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            pictures.append(np.asarray(half, np.uint8))
        self._edges = np.array([len(each) for each in pictures], np.float32)
        framed = [_framed(each) for each in pictures]
        self._tops = np.cumsum([0, *(len(each) for each in framed[:-1])]).astype(np.float32)
        width = framed[0].shape[1]
        below = [np.pad(each, ((0, 0), (0, width - each.shape[1]), (0, 0))) for each in framed]
        self._atlas = np.concatenate(below)

    def sample(self, columns: Floats, rows: Floats, levels: NDArray[np.intp]) -> Pixels:
        """Colours of the pixels of cells.

        Args:
            columns: Places of cells; the picture repeats at each whole number. See `spread`.
            rows: The same.
            levels: For each cell whose pixels `spread` gives.
        """
        edges = _wide(self._edges[levels])
        across, down = spread(columns), spread(rows)
        for places in (across, down):
            places -= np.floor(places)
            blocks = _blocks(places)
            blocks *= edges
        blocks += _wide(self._tops[levels])
        return np.asarray(cv2.remap(self._atlas, across, down, cv2.INTER_LINEAR), np.uint8)


def _wide(cells: Floats) -> Floats:
    """Values of cells for each of their pixels in a row, ready to be spread over CELL rows."""
    return np.repeat(cells, CELL, axis=1)[:, None]


def _blocks(pixels: Floats) -> Floats:
    """The same memory, with the CELL rows of each row of cells together."""
    return pixels.reshape(-1, CELL, pixels.shape[1])


def _framed(picture: Pixels) -> Pixels:
    """Four channels, with the first row and column again behind the last ones."""
    wrapped = np.pad(picture, ((0, 1), (0, 1), (0, 0)), mode='wrap')
    return np.ascontiguousarray(cv2.cvtColor(wrapped, cv2.COLOR_BGR2BGRA))
