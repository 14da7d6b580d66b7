"""Keep-out zones of the configuration and of a topic, and paths that come too near to them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import shapely
from shapely.geometry import Polygon

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.zones import Path, ZoneAreas, is_measurable, shape_of

STEP_M = 0.05
MOST_STEPS = 2000  # of a path that is longer than any of ours


class KeepOut:
    """All zones that hold now. Lengths in m, in the world frame.

    Args:
        configured: Zones that always hold.
    """

    def __init__(self, configured: Iterable[KeepOutZone]) -> None:
        self._configured = tuple(configured)
        self._told: tuple[KeepOutZone, ...] = ()
        self._areas = ZoneAreas(self.zones)
        self.changes = 0

    @property
    def zones(self) -> tuple[KeepOutZone, ...]:
        """The configured zones and those that were told last."""
        return self._configured + self._told

    @property
    def areas(self) -> tuple[tuple[str, Polygon], ...]:
        """Name and shape of every zone."""
        return tuple(zip(self._areas.names, self._areas.shapes, strict=True))

    def update(self, published: tuple[KeepOutZone, ...]) -> None:
        """Takes zones that somebody published (`read_zones`), in place of the last ones."""
        self._told = published
        self._areas = ZoneAreas(self.zones)
        self.changes += 1

    def intrusion(self, path: Path, margin_m: float) -> str | None:
        """The zone that a path comes too near to, by name; None if there is none.

        A path that begins too near may lead away: it must not come any nearer. One that cannot be
        measured comes too near.
        """
        measurable = is_measurable(path)
        for number in self._areas.near(path, margin_m):
            if not measurable or _comes_nearer(self._areas.shapes[number], path, margin_m):
                return self._areas.names[number]
        return None


def _comes_nearer(area: Polygon, path: Path, margin_m: float) -> bool:
    here = _clearance(area, path[:1])
    nearest = min(here, _clearance(area, path))
    return nearest < margin_m and nearest < here


def _clearance(area: Polygon, path: Path) -> float:
    """Distance of a path from an area; inside the area negative, by how deep it goes.

    How deep is looked at every `STEP_M` between the path's points, too: a straight path through
    the middle may begin and end at the border.
    """
    shape = shape_of(path)
    outside = float(area.distance(shape))
    if outside > 0.0:
        return outside
    step_m = max(STEP_M, shape.length / MOST_STEPS)
    places = shapely.get_coordinates(shapely.segmentize(shape, step_m))
    x, y = places[shapely.contains_xy(area, places[:, 0], places[:, 1])].T
    return -float(np.max(shapely.distance(area.exterior, shapely.points(x, y)), initial=0.0))
