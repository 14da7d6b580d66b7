"""Keep-out zones on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive_interfaces.msg import KeepOutZone as ZoneMessage
from bt_executive_interfaces.msg import KeepOutZones
from geometry_msgs.msg import Point

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import MOST_CORNERS_TOGETHER, read_zones
from rover_common.ros.message_conversions import sendable_message


def zones_to_ros(zones: Iterable[KeepOutZone]) -> KeepOutZones:
    """Return the message with these zones."""
    return KeepOutZones(zones=[_zone_to_ros(each) for each in zones])


def zones_from_ros(message: KeepOutZones) -> tuple[KeepOutZone, ...]:
    """Read the zones of a message.

    Raises:
        ValueError: They cannot be used; the message has the reason and the consequence.
    """
    try:
        count = sum(len(each.polygon) for each in message.zones)
        if count > MOST_CORNERS_TOGETHER:
            raise ValueError(
                f'the zones have {count} corners together, more than {MOST_CORNERS_TOGETHER}; '
                'give simpler ones'
            )
        return read_zones(
            [(each.name, [(at.x, at.y) for at in each.polygon]) for each in message.zones]
        )
    except ValueError as error:
        raise ValueError(f'Keep-out zones were not taken: {error}') from None


def _zone_to_ros(zone: KeepOutZone) -> ZoneMessage:
    corners = [Point(x=float(x), y=float(y)) for x, y in zone.polygon]
    return sendable_message(ZoneMessage(name=zone.name, polygon=corners))
