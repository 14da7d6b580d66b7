"""Scans as drivers send them."""

from __future__ import annotations

import math
from typing import Any

from bt_executive_interfaces.srv import PlanPath
import pytest
from sensor_msgs.msg import LaserScan

from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.navigation_messages import preview_to_ros, scan_from_ros
from curiosity_navigation.navigator import Preview
from curiosity_navigation.path_planner import Plan
from curiosity_navigation.vehicle_model import FORWARD, Segment
from rover_common.geometry.planar_motion import Pose2D
from rover_common.reason import Reason

pytestmark = pytest.mark.ros
FOUR = {'angle_min': -1.5, 'angle_increment': 1.0, 'range_min': 1.0, 'range_max': 30.0}


def laser_scan(**changes: Any) -> LaserScan:
    return LaserScan(**{**FOUR, 'ranges': [2.0, 3.0, 4.0, 5.0], **changes})


def test_a_sensor_that_turns_clockwise_sees_the_same() -> None:
    one = scan_from_ros(laser_scan())
    other = scan_from_ros(
        laser_scan(angle_min=1.5, angle_increment=-1.0, ranges=[5.0, 4.0, 3.0, 2.0])
    )
    assert other.angles == pytest.approx(one.angles)
    assert other.ranges == pytest.approx(one.ranges)
    assert other.angle_increment > 0.0


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'ranges': []}, 'no ranges'),
        ({'angle_increment': 0.0}, 'angle_increment 0 rad'),
        ({'angle_increment': -1e-30}, 'angle_increment -1e-30 rad'),
        ({'angle_increment': math.nan}, 'angle_increment nan rad'),
        ({'angle_min': math.inf}, 'angle_min is inf'),
        ({'range_max': math.nan}, 'to nan m'),
        ({'range_min': -1.0}, 'from -1 to 30 m'),
        ({'range_max': 0.5}, 'from 1 to 0.5 m'),
    ],
)
def test_what_is_no_scan_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        scan_from_ros(laser_scan(**changes))


def test_a_range_without_end_is_one() -> None:
    assert scan_from_ros(laser_scan(range_max=math.inf)).range_max == math.inf


def test_a_path_that_is_only_shown_has_its_length_and_time_or_a_reason() -> None:
    plan = Plan((Segment(FORWARD, 3.0),), 7.0)
    places = (Pose2D(0.0, 0.0, 0.0), Pose2D(3.0, 0.0, 0.0))
    shown = preview_to_ros(Preview(places, plan), PlanPath.Response())
    assert (shown.ok, shown.length_m, shown.time_s, shown.reason) == (True, 3.0, 7.0, '')
    assert [(each.x, each.y) for each in shown.path] == [(0.0, 0.0), (3.0, 0.0)]
    none = preview_to_ros(Reason(Cause.NO_PATH, 'There is no path'), PlanPath.Response())
    assert (none.ok, none.reason, len(none.path)) == (False, 'There is no path', 0)
