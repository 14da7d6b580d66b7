"""Clusters of one level: complete linkage within tiles of the plane. Pure.

The clusters are a function of the positions alone, whatever the order of insertion. So one
insertion reclusters one tile, with the result of a batch. Tiles bound the work; a tile with very
many items is divided into quarters, recursively
(docs/decisions/0040-a-forest-that-grows.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Bounds
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra

BASE_M = 5.0  # the public implementation's: clusters of a level are at most 5 m x (1 + level) wide
LEVELS = 5
TILE_WIDTHS = 4.0  # side of a tile in widths of a cluster
CAPACITY = 128  # items of a tile; one with more is divided into quarters
SMALLEST_M = 1e-3  # places are whole millimetres


@dataclass(frozen=True)
class Item:
    """A node that may become part of a cluster."""

    node_id: str
    position: Position


def width(level: int, base_m: float = BASE_M) -> float:
    """Return how far apart two things of a cluster of this level may be, m."""
    return base_m * (1 + level)


def tile_of(position: Position, level: int, base_m: float = BASE_M) -> tuple[int, int]:
    """Return the tile of a level that contains a position."""
    side = TILE_WIDTHS * width(level, base_m)
    return math.floor(position[0] / side), math.floor(position[1] / side)


def bounds_of(tile: tuple[int, int], level: int, base_m: float = BASE_M) -> Bounds:
    """Return the box of a tile, half-open: [min, max)."""
    side = TILE_WIDTHS * width(level, base_m)
    return tile[0] * side, tile[1] * side, (tile[0] + 1) * side, (tile[1] + 1) * side


def clusters(items: Sequence[Item], box: Bounds, threshold_m: float) -> list[tuple[Item, ...]]:
    """Return the groups of at least two items of a tile.

    Within a group, no two items are farther apart than the threshold.
    """
    return [group for part in _divide(list(items), box) for group in _linked(part, threshold_m)]


def quarters(box: Bounds) -> tuple[Bounds, ...]:
    """Return the four quarters of a box."""
    low_x, low_y, high_x, high_y = box
    x, y = (low_x + high_x) / 2, (low_y + high_y) / 2
    return (
        (low_x, low_y, x, y),
        (x, low_y, high_x, y),
        (low_x, y, x, high_y),
        (x, y, high_x, high_y),
    )


def holds(box: Bounds, position: Position) -> bool:
    """Return whether a half-open box contains a position."""
    return box[0] <= position[0] < box[2] and box[1] <= position[1] < box[3]


def _divide(items: list[Item], box: Bounds) -> Iterator[list[Item]]:
    if len(items) <= CAPACITY or box[2] - box[0] <= SMALLEST_M:
        yield items
        return
    for quarter in quarters(box):
        yield from _divide([each for each in items if holds(quarter, each.position)], quarter)


def _linked(items: list[Item], threshold_m: float) -> list[tuple[Item, ...]]:
    if len(items) < 2:
        return []
    ordered = sorted(items, key=lambda each: (each.position, each.node_id))
    if len(ordered) == 2:
        near = math.dist(ordered[0].position, ordered[1].position) <= threshold_m
        return [tuple(ordered)] if near else []
    labels = _labels(np.array([each.position for each in ordered]), threshold_m)
    groups: dict[int, list[Item]] = {}
    for label, item in zip(labels, ordered, strict=True):
        groups.setdefault(int(label), []).append(item)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _labels(places: NDArray[np.float64], threshold_m: float) -> NDArray[np.int32]:
    try:
        from scipy.cluster.hierarchy import fcluster, linkage
    except ImportError:
        raise MemoryStoreError(needs_extra('An area of the memory', 'memory')) from None
    found: NDArray[np.int32] = fcluster(
        linkage(places, method='complete'), threshold_m, criterion='distance'
    )
    return found
