"""Places of street-view forests, which are longitude and latitude in degrees, as metres.

Only files of the public implementation have them: nodes of a type for street views, and no frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math
from typing import Any

from embodied_nav.memory_values import Node

OF_STREETS = ('base', 'street_view')
EARTH_M = 6_371_008.8  # mean radius
WIDEST_DEG = 1.0  # of a map that is taken for flat: 111 km


def in_metres(nodes: Mapping[str, Node], data: Mapping[str, Mapping[str, Any]]) -> dict[str, Node]:
    """Return the nodes with east and north in m from their middle, if they are in degrees.

    Args:
        nodes: As read, by id.
        data: What the file says of each.
    """
    streets = any(each.get('type') in OF_STREETS for each in data.values())
    if not streets or any('frame_id' in each for each in data.values()):
        return dict(nodes)
    lon, lat, _ = zip(*(node.position for node in nodes.values()), strict=True)
    is_narrow = max(lon) - min(lon) <= WIDEST_DEG and max(lat) - min(lat) <= WIDEST_DEG
    if not is_narrow or max(map(abs, lon)) > 180.0 or max(map(abs, lat)) > 90.0:
        return dict(nodes)
    middle = (min(lon) + max(lon)) / 2.0, (min(lat) + max(lat)) / 2.0
    north = math.radians(1.0) * EARTH_M
    east = north * math.cos(math.radians(middle[1]))
    return {
        each: replace(
            node,
            position=(
                (node.position[0] - middle[0]) * east,
                (node.position[1] - middle[1]) * north,
                node.position[2],
            ),
        )
        for each, node in nodes.items()
    }
