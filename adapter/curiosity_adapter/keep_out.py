"""Keep-out zones as the adapter knows them: from the configuration, and from a topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapely.geometry import LineString, Point, Polygon

from bt_executive.settings import KeepOutZone
from bt_executive.zones import area_of, zones_from_json


class KeepOut:
    """All zones that hold now. Lengths in m, in the world frame.

    Args:
        configured: Zones that always hold.
    """

    def __init__(self, configured: Iterable[KeepOutZone]) -> None:
        self._configured = tuple(configured)
        self._told: tuple[KeepOutZone, ...] = ()
        self._areas = _areas(self.zones)
        self.changes = 0

    @property
    def zones(self) -> tuple[KeepOutZone, ...]:
        """The configured zones and those that were told last."""
        return self._configured + self._told

    @property
    def areas(self) -> tuple[tuple[str, Polygon], ...]:
        """Name and shape of every zone."""
        return self._areas

    def take(self, text: str) -> str:
        """Takes zones as a JSON list like `keep_out` in executive.yaml, in place of the last ones.

        Returns the reason if they are not usable; the last ones still hold then.
        """
        try:
            self._told = zones_from_json(text)
        except ValueError as error:
            return f'Keep-out zones were not taken: {error}'
        self._areas = _areas(self.zones)
        self.changes += 1
        return ''

    def intrusion(self, path: Sequence[tuple[float, float]], margin_m: float) -> str:
        """The zone that a path comes too near to, by name; empty if there is none.

        A path that begins too near may lead away: it must not come any nearer.
        """
        for name, area in self._areas:
            here = _clearance(area, path[:1])
            nearest = min(here, _clearance(area, path))
            if nearest < margin_m and nearest < here:
                return name
        return ''


def _areas(zones: Iterable[KeepOutZone]) -> tuple[tuple[str, Polygon], ...]:
    return tuple((zone.name, area_of(zone)) for zone in zones)


def _clearance(area: Polygon, path: Sequence[tuple[float, float]]) -> float:
    """Distance of a path from an area; inside the area negative, by how deep it goes."""
    shape = LineString(path) if len(path) > 1 else Point(path[0])
    outside = float(area.distance(shape))
    if outside > 0.0:
        return outside
    depths = (area.exterior.distance(Point(p)) for p in path if area.contains(Point(p)))
    return -max(depths, default=0.0)
