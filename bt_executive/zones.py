"""Keep-out zones on the wire: a JSON list like `keep_out` in executive.yaml."""

from __future__ import annotations

from collections.abc import Iterable
import math

from pydantic import TypeAdapter, ValidationError
import shapely
from shapely.geometry import Polygon

from bt_executive.settings import KeepOutZone

_ZONES = TypeAdapter(tuple[KeepOutZone, ...])


def zones_to_json(zones: Iterable[KeepOutZone]) -> str:
    """The text that says that these zones hold."""
    return _ZONES.dump_json(tuple(zones)).decode()


def zones_from_json(text: str) -> tuple[KeepOutZone, ...]:
    """Zones that somebody told.

    Raises:
        ValueError: The text is not such a list, or a polygon is none; the message says so.
    """
    try:
        zones = _ZONES.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = '.'.join(map(str, first['loc'])) or 'the whole text'
        raise ValueError(
            f'{where}: {first["msg"][0].lower()}{first["msg"][1:]}; give a JSON list like '
            '[{"name": "crater", "polygon": [[1, 2], [3, 2], [3, 4]]}]'
        ) from None
    for zone in zones:
        area_of(zone)
    return zones


def area_of(zone: KeepOutZone) -> Polygon:
    """The zone's polygon, m in the world frame.

    Raises:
        ValueError: The polygon has no inside, crosses itself, or no distance to it can be told.
    """
    try:
        area = Polygon(zone.polygon)
    except shapely.errors.ShapelyError as error:
        raise ValueError(f'zone {zone.name!r} is not a polygon: {error}') from error
    if not area.is_valid or area.is_empty:
        raise ValueError(f'zone {zone.name!r} is not a simple polygon; give its corners in order')
    if not math.isfinite(area.area):
        raise ValueError(f'zone {zone.name!r} is too large to be measured; give its corners in m')
    return area
