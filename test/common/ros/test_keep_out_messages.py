"""Keep-out zones on the wire: they arrive as they were sent, or are refused with the reason."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import KeepOutZone as ZoneMessage
from bt_executive_interfaces.msg import KeepOutZones
from geometry_msgs.msg import Point
import pytest

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import MOST_CORNERS_TOGETHER, MOST_ZONES, KeepOut
from rover_common.ros.keep_out_messages import all_zones_from_ros, zones_from_ros, zones_to_ros

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


@pytest.mark.parametrize(
    ('zone', 'count'),
    [
        (CRATER, MOST_ZONES),
        (
            KeepOutZone(name='wide', polygon=tuple((float(x), float(x * x)) for x in range(1000))),
            MOST_CORNERS_TOGETHER // 1000,
        ),
    ],
)
def test_the_zones_of_both_sources_together_arrive(zone: KeepOutZone, count: int) -> None:
    both = KeepOut([zone] * count)
    both.update(zones_from_ros(zones_to_ros([zone] * count)))
    assert all_zones_from_ros(zones_to_ros(both.zones)) == both.zones
    with pytest.raises(ValueError, match=f'more than {2 * MOST_ZONES}|corners together'):
        all_zones_from_ros(zones_to_ros([*both.zones, zone]))
