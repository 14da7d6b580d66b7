"""Keep-out zones: read and checked, measured against paths, and all that hold now.

Every zone passes through `check_zones`, whether it comes from the configuration, from a world or
from a topic, and in the executive as in the adapter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

import numpy as np
from pydantic import ValidationError
import shapely
from shapely.geometry import LineString, Point, Polygon

from rover_common.config.settings import KeepOutZone

MOST_CORNERS_TOGETHER = 5000  # of all zones of one list
MOST_ZONES = 200  # in one list; each costs some 0.2 ms when the list changes
SOURCES = 2  # of the zones that hold, a list each: the configuration, and a topic
# A path is measured up to here, in m: far beyond any zone, and near enough to be exact.
FARTHEST_PATH_M = 1e9
STEP_M = 0.05
MOST_STEPS = 2000  # of a path that is longer than any of ours

Path = Sequence[tuple[float, float]]


def read_zones(published: Sequence[tuple[str, Path]], lists: int = 1) -> tuple[KeepOutZone, ...]:
    """Return the zones of these published names and corners, in m in the world frame.

    `lists`: so many together.

    Raises:
        ValueError: One is no zone, or `check_zones` refuses them; the message has the reason.
    """
    _check_count(published, lists)
    zones = tuple(_zone(name, corners) for name, corners in published)
    check_zones(zones, lists)
    return zones


def _zone(name: str, corners: Path) -> KeepOutZone:
    try:
        return KeepOutZone(name=name, polygon=tuple(corners))
    except ValidationError as error:
        first = error.errors()[0]
        where = '.'.join(map(str, first['loc']))
        raise ValueError(
            f'zone {name!r:.60}: {where}: {first["msg"][0].lower()}{first["msg"][1:]}'
        ) from None


def check_zones(zones: Iterable[KeepOutZone], lists: int = 1) -> None:
    """Check that distances to all these zones can be computed, and quickly.

    `lists`: so many together.

    Raises:
        ValueError: They cannot; the message names the zone and the remedy.
    """
    checked = tuple(zones)
    _check_count(checked, lists)
    for zone in checked:
        area_of(zone)
    check_corners(sum(len(zone.polygon) for zone in checked), lists)


def _check_count(zones: Sequence[object], lists: int) -> None:
    most = lists * MOST_ZONES
    if len(zones) > most:
        raise ValueError(f'these are {len(zones)} zones, more than {most}; give fewer')


def check_corners(count: int, lists: int = 1) -> None:
    """Check how many corners zones have together; `lists`: so many together.

    Raises:
        ValueError: They are too many.
    """
    most = lists * MOST_CORNERS_TOGETHER
    if count > most:
        raise ValueError(
            f'the zones have {count} corners together, more than {most}; give simpler ones'
        )


def area_of(zone: KeepOutZone) -> Polygon:
    """The zone's polygon, m in the world frame.

    Raises:
        ValueError: The polygon has no inside, or crosses itself.
    """
    try:
        area = Polygon(zone.polygon)
    except shapely.errors.ShapelyError as error:
        raise ValueError(f'zone {zone.name!r} is not a polygon: {error}') from error
    if not area.is_valid or area.is_empty:
        raise ValueError(f'zone {zone.name!r} is not a simple polygon; give its corners in order')
    return area


class ZoneAreas:
    """Zones as prepared shapes, for frequent queries: built once per change of the zones."""

    def __init__(self, zones: Iterable[KeepOutZone] = ()) -> None:
        listed = tuple(zones)
        self.names = tuple(zone.name for zone in listed)
        self.shapes = tuple(area_of(zone) for zone in listed)
        self._shapes = np.array(self.shapes, dtype=object)
        shapely.prepare(self._shapes)

    def __len__(self) -> int:
        return len(self.names)

    def near(self, path: Path, margin_m: float) -> tuple[int, ...]:
        """Which zones, by number, a path touches or passes nearer than the margin.

        A path that cannot be measured is too near to all of them.
        """
        if not self.names or not is_measurable(path):
            return tuple(range(len(self)))
        with np.errstate(all='ignore'):  # GEOS divides by the length of an edge that has none
            near = shapely.dwithin(self._shapes, shape_of(path), margin_m)
        return tuple(np.flatnonzero(near))


def is_measurable(path: Path) -> bool:
    """Whether every point of a path is near enough to be compared with zones."""
    return all(math.hypot(x, y) <= FARTHEST_PATH_M for x, y in path)  # NaN is not


def shape_of(path: Path) -> LineString | Point:
    """A path as a shape; a single place is one, too."""
    return LineString(path) if len(path) > 1 else Point(path[0])


class KeepOut:
    """All zones that hold now. Lengths in m, in the world frame.

    Args:
        configured: Zones that always hold.
    """

    def __init__(self, configured: Iterable[KeepOutZone]) -> None:
        self._configured = tuple(configured)
        self._published: tuple[KeepOutZone, ...] = ()
        self._areas = ZoneAreas(self.zones)
        self.changes = 0

    @property
    def zones(self) -> tuple[KeepOutZone, ...]:
        """The configured zones and those that were published last."""
        return self._configured + self._published

    @property
    def areas(self) -> tuple[tuple[str, Polygon], ...]:
        """Name and shape of every zone."""
        return tuple(zip(self._areas.names, self._areas.shapes, strict=True))

    def update(self, published: tuple[KeepOutZone, ...]) -> None:
        """Replace the published zones (`read_zones`)."""
        self._published = published
        self._areas = ZoneAreas(self.zones)
        self.changes += 1

    def intrusion(self, path: Path, margin_m: float) -> str | None:
        """The zone that a path comes too near to, by name; None if there is none.

        A path that begins too near may lead away: it must not come any nearer. One that cannot be
        measured comes too near.
        """
        for number in self._areas.near(path, margin_m):
            if not is_measurable(path) or _comes_nearer(
                self._areas.shapes[number], path, margin_m
            ):
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
