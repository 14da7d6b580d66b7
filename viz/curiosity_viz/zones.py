"""The keep-out zones that hold, if they can be drawn."""

from __future__ import annotations

from curiosity_viz.markers import is_drawable
from rover_common.config.settings import KeepOutZone

MOST_ZONES = 50
MOST_CORNERS = 200


def drawable_zones(zones: tuple[KeepOutZone, ...]) -> tuple[KeepOutZone, ...]:
    """Return the zones.

    Raises:
        ValueError: They are too much to draw, or out of sight; the sentence says which.
    """
    if len(zones) > MOST_ZONES:
        raise ValueError(f'it has {len(zones)} zones, more than {MOST_ZONES}')
    for zone in zones:
        if len(zone.polygon) > MOST_CORNERS:
            raise ValueError(f'a zone has {len(zone.polygon)} corners, more than {MOST_CORNERS}')
        if not all(is_drawable(*corner) for corner in zone.polygon):
            raise ValueError('a corner of a zone is out of sight')
    return zones
