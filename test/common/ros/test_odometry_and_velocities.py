"""Odometry in messages of another type: where their pose is, and how fast it goes."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

from geometry_msgs.msg import Pose2D, PoseStamped
from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from pydantic import TypeAdapter, ValidationError
import pytest
from rclpy.qos import QoSProfile
from spinning import spun_node
from waiting import wait_until

from rover_common.config.settings.gates import PoseFields, VelocityGateSettings
from rover_common.config.settings.topics import TfFrames
from rover_common.robot_time import FASTEST, STEP_S
from rover_common.ros.odometry_and_velocities import WINDOW_S, PoseSpeeds, follow_odometry

FRAMES = TfFrames(base_frame='base', world_frame='map')
VELOCITY = {'in': '/wanted', 'out': '/cmd_vel'}
BY_POSE = PoseFields(topic='/pose', pose='pose')
BY_NUMBERS = PoseFields(topic='/pose', x='x', y='y', yaw='theta')


def test_a_speed_is_known_after_a_while_and_is_0_after_a_while() -> None:
    speeds = PoseSpeeds()
    assert all(map(math.isnan, speeds.update((0.0, 0.0, 0.0), 3.0, 10.0, at=0.0)))
    speed, turning = speeds.update((0.3, 0.0, 0.4), -3.0, 10.0 + 2 * WINDOW_S, at=2 * WINDOW_S)
    assert speed == pytest.approx(0.5 / (2 * WINDOW_S))
    assert turning == pytest.approx((math.tau - 6.0) / (2 * WINDOW_S)), 'the short way round'
    assert speeds.update((0.3, 0.0, 0.4), -3.0, 10.0 + 3 * WINDOW_S, at=1.0) == (0.0, 0.0)
    set_back = speeds.update((9.0, 0.0, 0.0), 0.0, 5.0, at=1.1)
    assert all(map(math.isnan, set_back)), 'a clock was set back'


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=30), st.floats(0.05, 2.0))
def test_a_base_that_moves_is_never_said_to_stand(steps: list[float], speed: float) -> None:
    speeds, stamp = PoseSpeeds(), 0.0
    for each in (0.0, *steps):
        stamp += each
        found, _ = speeds.update((speed * stamp, 0.0, 0.0), 0.0, stamp, at=stamp)
        assert math.isnan(found) or found == pytest.approx(speed)


@given(
    st.lists(st.floats(0.02, 0.2), min_size=5, max_size=40),
    st.floats(0.001, 1000.0),
    st.integers(0, 39),
    st.sampled_from([1.0, 0.2, 20.0, 100.0]),
)
def test_a_base_that_moves_never_stands_because_a_clock_was_set_forward(
    steps: list[float], leap: float, when: int, factor: float
) -> None:
    """In simulated time only what no simulation reaches can be known for a leap."""
    if factor != 1.0:
        leap += STEP_S + FASTEST * max(steps)
    speeds, at, stamp = PoseSpeeds(), 0.0, 100.0
    for number, each in enumerate(steps):
        at += each
        stamp += factor * each + leap * (number == when)
        found, _ = speeds.update((0.5 * at, 0.0, 0.0), 0.0, stamp, at, simulated=factor != 1.0)
        assert math.isnan(found) or found >= 0.99 * 0.5 / factor


def test_poses_that_come_in_a_bunch_are_no_faster_than_their_window() -> None:
    speeds = PoseSpeeds()
    for number in range(20):
        at = 1.0 if number < 10 else 0.1 * number + 0.1  # the network held the first ones up
        found, _ = speeds.update((0.05 * number, 0.0, 0.0), 0.0, 0.1 * number, at)
        assert math.isnan(found) == (number < 12)
    assert found == pytest.approx(0.5)


@pytest.mark.parametrize(
    'odom',
    [
        {'topic': '/pose'},
        {'topic': '/pose', 'x': 'x', 'y': 'y'},
        {'topic': '/pose', 'pose': 'pose', 'yaw': 'yaw'},
        {'topic': '/pose', 'pose': 'no path'},
        {'topic': '/cmd_vel', 'pose': 'pose'},
    ],
)
def test_what_is_no_pose_is_refused(odom: dict[str, str]) -> None:
    adapter = TypeAdapter(VelocityGateSettings)
    good = {'velocity': VELOCITY, 'odom': {'topic': '/pose', 'pose': 'pose'}}
    assert adapter.validate_python(good).odom_topic == '/pose'
    with pytest.raises(ValidationError):
        adapter.validate_python({'velocity': VELOCITY, 'odom': odom})


def stamped() -> PoseStamped:
    message = PoseStamped()
    message.header.stamp.sec = 7
    message.pose.position.x, message.pose.position.z = 1.0, 3.0
    message.pose.orientation.z, message.pose.orientation.w = math.sin(0.25), math.cos(0.25)
    return message


@pytest.mark.ros
@pytest.mark.parametrize(
    ('fields', 'message'),
    [(BY_POSE, stamped()), (BY_NUMBERS, Pose2D(x=1.0, y=0.0, theta=0.5))],
    ids=['pose', 'numbers'],
)
def test_a_pose_of_another_type_comes_as_odometry(fields: PoseFields, message: Any) -> None:
    came: list[Odometry] = []
    with spun_node('base') as node:
        publisher = node.create_publisher(type(message), '/pose', QoSProfile(depth=1))
        follow_odometry(node, fields, FRAMES, came.append)

        def has_come() -> bool:
            publisher.publish(message)
            return bool(came)

        wait_until(has_come, 'odometry comes')
    made = came[0]
    assert (made.header.frame_id, made.child_frame_id) == ('map', 'base')
    assert made.pose.pose.position.x == 1.0
    assert made.pose.pose.orientation.z == pytest.approx(math.sin(0.25))
    assert made.header.stamp.sec == (7 if fields is BY_POSE else made.header.stamp.sec)
    assert made.header.stamp.sec > 0
    assert math.isnan(made.twist.twist.linear.x), 'one pose has no speed'


def test_a_pose_that_is_sent_again_and_again_takes_no_room() -> None:
    speeds = PoseSpeeds()
    tracemalloc.start()
    try:
        for number in range(2000):
            assert math.isnan(speeds.update((1.0, 0.0, 0.0), 0.0, 100.0, 0.02 * number)[0])
        assert tracemalloc.get_traced_memory()[0] < 50_000
    finally:
        tracemalloc.stop()
    assert speeds.update((2.0, 0.0, 0.0), 0.0, 100.5, 40.5)[0] == pytest.approx(2.0)
