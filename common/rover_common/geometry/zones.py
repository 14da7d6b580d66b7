"""Keep-out zones: checked, and made ready for questions.

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
# A path is measured up to here, in m: far beyond any zone, and near enough to be exact.
FARTHEST_PATH_M = 1e9

Path = Sequence[tuple[float, float]]


def read_zones(published: Sequence[tuple[str, Path]]) -> tuple[KeepOutZone, ...]:
    """Return the zones of these names and corners, m in the world frame, that somebody published.

    Raises:
        ValueError: One is no zone, or `check_zones` refuses them; the message says why.
    """
    _check_count(published)
    zones = tuple(_zone(name, corners) for name, corners in published)
    check_zones(zones)
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


def check_zones(zones: Iterable[KeepOutZone]) -> None:
    """Sees that distances to all these zones can be measured, and quickly.

    Raises:
        ValueError: They cannot; the message names the zone and says what to do.
    """
    told = tuple(zones)
    _check_count(told)
    for zone in told:
        area_of(zone)
    count = sum(len(zone.polygon) for zone in told)
    if count > MOST_CORNERS_TOGETHER:
        raise ValueError(
            f'the zones have {count} corners together, more than {MOST_CORNERS_TOGETHER}; '
            'give simpler ones'
        )


def _check_count(zones: Sequence[object]) -> None:
    if len(zones) > MOST_ZONES:
        raise ValueError(f'these are {len(zones)} zones, more than {MOST_ZONES}; give fewer')


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
    """Zones as shapes that are asked often: made once for each change of the zones."""

    def __init__(self, zones: Iterable[KeepOutZone] = ()) -> None:
        told = tuple(zones)
        self.names = tuple(zone.name for zone in told)
        self.shapes = tuple(area_of(zone) for zone in told)
        self._shapes = np.array(self.shapes, dtype=object)
        shapely.prepare(self._shapes)

    def __len__(self) -> int:
        return len(self.names)

    def near(self, path: Path, margin_m: float) -> tuple[int, ...]:
        """Which zones, by number, a path touches or passes nearer than the margin.

        A path that cannot be measured is too near to all of them.
        """
        if not is_measurable(path):
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
