"""Messages that no rover can follow."""

from __future__ import annotations

import math

from geometry_msgs.msg import Twist, Vector3
import pytest

from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover_messages import command_from_ros

pytestmark = pytest.mark.ros


def twist(linear: float, angular: float) -> Twist:
    return Twist(linear=Vector3(x=linear), angular=Vector3(z=angular))


def test_what_the_wheels_are_asked_for() -> None:
    assert command_from_ros(twist(-2.0, 0.4)) == DriveCommand(-2.0, 0.4)


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf, 1e308])
def test_a_command_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r'linear\.x is'):
        command_from_ros(twist(value, 0.0))
    if math.isfinite(value):
        return
    with pytest.raises(ValueError, match=r'angular\.z is'):
        command_from_ros(twist(1.0, value))
