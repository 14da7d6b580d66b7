"""The limits of motion over real nodes: asked before a motion, and watched while it lasts."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

from bt_executive_interfaces.msg import KeepOutZones
import pytest
from rclpy.node import Node
from sensor_msgs.msg import BatteryState
from tf2_msgs.msg import TFMessage

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.transforms import Transform
from rover_common.ros.keep_out_messages import zones_to_ros
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

pytestmark = pytest.mark.ros

TILT_LIMIT, FLOOR_PCT = 0.65, 5.0
ZONE = KeepOutZone(name='crater', polygon=((8.0, -2.0), (12.0, -2.0), (12.0, 2.0), (8.0, 2.0)))


class Body:
    """What the small rover tells of its body: pose, tilt and charge, ten times in a second."""

    def __init__(self, rover: Node) -> None:
        self.x, self.tilt, self.charge, self.told = 0.0, 0.0, 0.9, 0
        self._rover = rover
        self._tf = rover.create_publisher(TFMessage, 'tf', TF_QOS)
        self._battery = rover.create_publisher(BatteryState, 'battery_state', 10)
        self.zones = rover.create_publisher(KeepOutZones, 'keep_out_zones', LATCHED)
        rover.create_timer(0.1, self._tell)

    def _tell(self) -> None:
        self.told += 1
        leaning = {'qy': math.sin(self.tilt / 2.0), 'qw': math.cos(self.tilt / 2.0)}
        pose = Transform(x=self.x, stamp=0.1 * self.told, **leaning)
        base = pose_to_ros('odom', 'base_footprint', pose)
        self._tf.publish(TFMessage(transforms=[base]))
        self._battery.publish(BatteryState(percentage=self.charge))


@pytest.fixture
def body(ready: Callable[..., None], world: Any, rover: Any, caller: Any) -> Body:
    made = Body(rover)
    ready()
    assert caller.call('mast_close') == ''
    world.wait_until(lambda: caller.status['tilt'] is not None and caller.status['battery_pct'])
    return made


@pytest.fixture
def ends_and_forbids(world: Any, rover: Any, caller: Any) -> Callable[..., None]:
    """Drives, breaks a limit, and wants the motion ended and the next one refused."""

    def check(
        breaks: Callable[[], object], known: Callable[[dict[str, Any]], object], said: str
    ) -> None:
        assert caller.call('move_forward') == ''
        assert rover.rolling
        breaks()
        world.wait_until(lambda: not rover.rolling)
        world.wait_until(lambda: known(caller.status) and not caller.status['moving'])
        assert caller.status['last_error_reason'] == f'move_forward was stopped: {said}'
        starts = rover.asked('turn_left')
        assert caller.call('turn_left') == f'No motion may begin: {said}'
        assert rover.asked('turn_left') == starts
        assert caller.told()['last_refusal'].endswith(said)

    return check


def test_a_tilt_over_the_limit(
    body: Body, caller: Any, ends_and_forbids: Callable[..., None]
) -> None:
    ends_and_forbids(
        lambda: setattr(body, 'tilt', 0.7),
        lambda status: status['tilt'] == 0.7,
        f'the tilt is 0.70 rad, the limit is {TILT_LIMIT} rad (motion.max_tilt_rad)',
    )
    assert caller.status['limits']['max_tilt_rad'] == TILT_LIMIT


def test_a_battery_under_the_floor(
    body: Body, caller: Any, ends_and_forbids: Callable[..., None]
) -> None:
    ends_and_forbids(
        lambda: setattr(body, 'charge', 0.04),
        lambda status: status['battery_pct'] == 4.0,
        'the battery is at 4.0 %, the floor is 5 % (motion.battery_floor_pct)',
    )
    assert caller.status['limits']['battery_floor_pct'] == FLOOR_PCT


def test_a_keep_out_zone_ahead(
    body: Body, world: Any, caller: Any, ends_and_forbids: Callable[..., None]
) -> None:
    body.zones.publish(zones_to_ros([ZONE]))
    world.wait_until(lambda: caller.status['limits']['keep_out_zones'] == 1)
    ends_and_forbids(
        lambda: setattr(body, 'x', 6.9),
        lambda status: status['rover_x'] == 6.9,
        "keep-out zone 'crater' is nearer than 1 m",
    )
