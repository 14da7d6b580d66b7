"""Keep-out zones on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive_interfaces.msg import KeepOutZone as ZoneMessage
from bt_executive_interfaces.msg import KeepOutZones
from geometry_msgs.msg import Point

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import SOURCES, check_corners, read_zones
from rover_common.ros.message_conversions import sendable_message


def zones_to_ros(zones: Iterable[KeepOutZone]) -> KeepOutZones:
    """Return the message with these zones."""
    return KeepOutZones(zones=[_zone_to_ros(each) for each in zones])


def all_zones_from_ros(message: KeepOutZones) -> tuple[KeepOutZone, ...]:
    """Read all zones that hold, as the adapter publishes them; raises as `zones_from_ros`."""
    return zones_from_ros(message, SOURCES)


def zones_from_ros(message: KeepOutZones, lists: int = 1) -> tuple[KeepOutZone, ...]:
    """Read the zones of a message.

    Args:
        message: As it was received.
        lists: So many lists together may be in it.

    Raises:
        ValueError: They cannot be used; the message has the reason and the consequence.
    """
    try:
        check_corners(sum(len(each.polygon) for each in message.zones), lists)
        return read_zones(
            [(each.name, [(at.x, at.y) for at in each.polygon]) for each in message.zones], lists
        )
    except ValueError as error:
        raise ValueError(f'Keep-out zones were not taken: {error}') from None


def _zone_to_ros(zone: KeepOutZone) -> ZoneMessage:
    corners = [Point(x=float(x), y=float(y)) for x, y in zone.polygon]
    return sendable_message(ZoneMessage(name=zone.name, polygon=corners))
