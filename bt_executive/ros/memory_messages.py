"""What the spatial memory has near the robot, read from its message."""

from __future__ import annotations

import math
from typing import Any

from bt_executive_interfaces.msg import MemoryDigest, NearbyPlace

from bt_executive.core.inputs import MemoryReceived
from rover_common.printable import one_line

LONGEST_SUMMARY = 5000  # characters
LONGEST_TEXT = 120
MOST_PLACES = 100


def memory_from_ros(message: MemoryDigest) -> MemoryReceived:
    """Return the input. Places whose numbers are none are left out."""
    places = (_place(each) for each in message.places[:MOST_PLACES])
    summary = one_line(message.summary[:LONGEST_SUMMARY])
    return MemoryReceived(summary, tuple(each for each in places if each is not None))


def _place(place: NearbyPlace) -> dict[str, Any] | None:
    numbers = {'x': place.x, 'y': place.y, 'radius_m': place.radius_m}
    if not all(map(math.isfinite, numbers.values())):
        return None
    texts = {'id': place.id, 'name': place.name, 'kind': place.kind, 'state': place.state}
    return {key: one_line(text[:LONGEST_TEXT]) for key, text in texts.items()} | numbers
