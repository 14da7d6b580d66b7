"""Keep-out zones on the wire: they arrive as they were sent, or are refused with the reason."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import KeepOutZone as ZoneMessage
from bt_executive_interfaces.msg import KeepOutZones
from geometry_msgs.msg import Point
import pytest

from rover_common.config.settings import KeepOutZone
from rover_common.ros.keep_out_messages import zones_from_ros, zones_to_ros

CRATER = KeepOutZone(name='crater', polygon=((0.1, 2.0), (3.0, 2.0), (3.0, 4.0)))
CORNERS = [Point(x=x, y=y) for x, y in CRATER.polygon]


def test_zones_arrive_as_they_were_sent() -> None:
    assert zones_from_ros(zones_to_ros([CRATER])) == (CRATER,)
    assert zones_from_ros(KeepOutZones()) == ()


@pytest.mark.parametrize(
    ('message', 'reason'),
    [
        (KeepOutZones(zones=[ZoneMessage()]), "zone '': "),
        (KeepOutZones(zones=[ZoneMessage(name='x', polygon=CORNERS[:2])]), 'at least 3'),
        (KeepOutZones(zones=[ZoneMessage(name='x', polygon=CORNERS * 2000)]), '6000 corners'),
        (KeepOutZones(zones=[ZoneMessage(name='x', polygon=CORNERS)] * 201), '201 zones'),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(message: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=f'^Keep-out zones were not taken: .*{reason}'):
        zones_from_ros(message)
