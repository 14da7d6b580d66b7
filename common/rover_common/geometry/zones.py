"""Keep-out zones: as text on the wire, checked, and made ready for questions.

Every zone passes through `check_zones`, whether it comes from the configuration, from a world or
from a topic, and in the executive as in the adapter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

import numpy as np
from pydantic import TypeAdapter, ValidationError
import shapely
from shapely.geometry import LineString, Point, Polygon

from rover_common.config.settings import KeepOutZone

MOST_CORNERS_TOGETHER = 5000  # of all zones of one list
MOST_ZONES = 200  # in one list; each costs some 0.2 ms when the list changes
LONGEST_TEXT = 1_000_000  # characters
# A path is measured up to here, in m: far beyond any zone, and near enough to be exact.
FARTHEST_PATH_M = 1e9

Path = Sequence[tuple[float, float]]

_ZONES = TypeAdapter(tuple[KeepOutZone, ...])


def zones_to_json(zones: Iterable[KeepOutZone]) -> str:
    """The text that says that these zones hold."""
    return _ZONES.dump_json(tuple(zones)).decode()


def zones_from_json(text: str) -> tuple[KeepOutZone, ...]:
    """Zones that somebody told, as a JSON list like `keep_out` in executive.yaml.

    Raises:
        ValueError: The text is not such a list, or `check_zones` refuses it; the message says why.
    """
    if len(text) > LONGEST_TEXT:
        raise ValueError(f'the text has {len(text)} characters, more than {LONGEST_TEXT}')
    try:
        zones = _ZONES.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = '.'.join(map(str, first['loc'])) or 'the whole text'
        raise ValueError(
            f'{where}: {first["msg"][0].lower()}{first["msg"][1:]}; give a JSON list like '
            '[{"name": "crater", "polygon": [[1, 2], [3, 2], [3, 4]]}]'
        ) from None
    check_zones(zones)
    return zones


def check_zones(zones: Iterable[KeepOutZone]) -> None:
    """Sees that distances to all these zones can be measured, and quickly.

    Raises:
        ValueError: They cannot; the message names the zone and says what to do.
    """
    told = tuple(zones)
    if len(told) > MOST_ZONES:
        raise ValueError(f'these are {len(told)} zones, more than {MOST_ZONES}; give fewer')
    for zone in told:
        area_of(zone)
    count = sum(len(zone.polygon) for zone in told)
    if count > MOST_CORNERS_TOGETHER:
        raise ValueError(
            f'the zones have {count} corners together, more than {MOST_CORNERS_TOGETHER}; '
            'give simpler ones'
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
