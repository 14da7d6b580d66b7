"""Looks colours up in pictures that repeat: OpenCV's remap with a cheap wrap.

`cv2.remap` with BORDER_WRAP takes a slow path for each pixel beyond the edge (measured: ten
times slower). Here the whole part of fixed-point coordinates is wrapped by a bit mask instead, so
edges must be powers of two, and one more row and column hold the neighbours beyond the edge.
Four channels, because OpenCV handles them twice as fast as three.
"""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.rays import CELL, spread
from curiosity_sim.noise import Floats

Pixels = NDArray[np.uint8]
Shorts = NDArray[np.int16]

Value = TypeVar('Value', np.float32, np.int32)

CHANNELS = 4  # blue, green, red and one unused
COARSE = 2  # the first of the levels that can be mixed


class Tiling:
    """A picture of one level that repeats for ever."""

    def __init__(self, picture: Pixels) -> None:
        """Prepares a picture of three channels whose edges are powers of two."""
        rows, columns = picture.shape[:2]
        if rows & (rows - 1) or columns & (columns - 1):
            raise ValueError(f'Edges must be powers of two, found {rows} by {columns}.')
        self.framed = _framed(picture)
        self._last = (columns - 1, rows - 1, 0, 0)

    def look_up(self, columns: Floats, rows: Floats) -> Pixels:
        """Colours at the given places, in pixels from the first one, within 16 bits."""
        whole, fraction = cv2.convertMaps(columns, rows, cv2.CV_16SC2)
        cv2.bitwise_and(whole, self._last, whole)
        return np.asarray(cv2.remap(self.framed, whole, fraction, cv2.INTER_LINEAR), np.uint8)


class Pyramid:
    """A picture that repeats for ever, in levels of which each is half as fine as the one before.

    The coarser levels stand in one array too, from which each cell of a camera's picture can take
    its own. The finest ones would make that array larger than a processor's cache.
    """

    def __init__(self, picture: Pixels, levels: int) -> None:
        """Prepares a picture of three channels whose edges are one power of two."""
        edge = picture.shape[0]
        if picture.shape[1] != edge or edge >> (levels - 1) < 1:
            raise ValueError(
                f'A picture of {picture.shape[:2]} pixels has no {levels} levels: both edges '
                'must be the same power of two.'
            )
        pictures = [picture]
        for _ in range(levels - 1):
            half = cv2.resize(pictures[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            pictures.append(np.asarray(half, np.uint8))
        self._levels = [Tiling(each) for each in pictures]
        self._scales = 0.5 ** np.arange(levels, dtype=np.float32)
        coarse = self._levels[COARSE:]
        self._atlas, corners = _side_by_side([each.framed for each in coarse])
        self._corners = _packed(corners)
        masks = [(each.framed.shape[1] - 2, each.framed.shape[0] - 2) for each in coarse]
        self._masks = _packed(np.array(masks, np.int16))

    def look_up(self, columns: Floats, rows: Floats, level: int) -> Pixels:
        """Colours of the pixels of cells, from one level.

        `columns` and `rows` are places of cells, in pixels of the finest level; see `spread`.
        """
        scale = self._scales[level]
        return self._levels[level].look_up(spread(columns * scale), spread(rows * scale))

    def look_up_mixed(self, columns: Floats, rows: Floats, levels: NDArray[np.intp]) -> Pixels:
        """The same from a level for each cell that is not a neighbour only, COARSE at least."""
        columns, rows = spread(columns), spread(rows)
        scale = _wide(self._scales[levels])
        whole, fraction = cv2.convertMaps(
            _scaled(columns, scale), _scaled(rows, scale), cv2.CV_16SC2
        )
        places = whole.view(np.int32)[..., 0].reshape(scale.shape[0], CELL, -1)
        places &= _wide(self._masks[levels - COARSE])
        places += _wide(self._corners[levels - COARSE])
        return np.asarray(cv2.remap(self._atlas, whole, fraction, cv2.INTER_LINEAR), np.uint8)


def _framed(picture: Pixels) -> Pixels:
    """Four channels, with the first row and column again behind the last ones."""
    wrapped = np.pad(picture, ((0, 1), (0, 1), (0, 0)), mode='wrap')
    return np.ascontiguousarray(cv2.cvtColor(wrapped, cv2.COLOR_BGR2BGRA))


def _side_by_side(pictures: list[Pixels]) -> tuple[Pixels, Shorts]:
    """The first picture, and to its right the smaller others below each other; their corners."""
    first = pictures[0].shape[0]
    corners, row = [(0, 0)], 0
    for picture in pictures[1:]:
        corners.append((first, row))
        row += picture.shape[0]
    width = first + max((picture.shape[1] for picture in pictures[1:]), default=0)
    whole = np.zeros((max(first, row), width, CHANNELS), np.uint8)
    for picture, (column, top) in zip(pictures, corners, strict=True):
        height, wide = picture.shape[:2]
        whole[top : top + height, column : column + wide] = picture
    return whole, np.array(corners, np.int16)


def _packed(pairs: Shorts) -> NDArray[np.int32]:
    """Columns and rows as OpenCV's fixed-point maps hold them, each pair as one number."""
    return np.ascontiguousarray(pairs).view(np.int32)[:, 0]


def _wide(cells: NDArray[Value]) -> NDArray[Value]:
    """Values of cells for each of their pixels in a row, ready to be spread over CELL rows."""
    return np.repeat(cells, CELL, axis=1)[:, None]


def _scaled(values: Floats, scale: Floats) -> Floats:
    scaled: Floats = values.reshape(scale.shape[0], CELL, -1) * scale
    return scaled.reshape(values.shape)
