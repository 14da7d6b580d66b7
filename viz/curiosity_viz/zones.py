"""The keep-out zones that hold, taken from text that may be anything."""

from __future__ import annotations

from curiosity_viz.markers import is_drawable
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.zones import zones_from_json

MOST_ZONES = 50
MOST_CORNERS = 200


def drawable_zones(text: str) -> tuple[KeepOutZone, ...]:
    """The zones of a message of the adapter.

    Raises:
        ValueError: It is no list of zones, or too much to draw; the sentence says which.
    """
    zones = zones_from_json(text)
    if len(zones) > MOST_ZONES:
        raise ValueError(f'it has {len(zones)} zones, more than {MOST_ZONES}')
    for zone in zones:
        if len(zone.polygon) > MOST_CORNERS:
            raise ValueError(f'a zone has {len(zone.polygon)} corners, more than {MOST_CORNERS}')
        if not all(is_drawable(*corner) for corner in zone.polygon):
            raise ValueError('a corner of a zone is out of sight')
    return zones
