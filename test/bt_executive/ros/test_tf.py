"""The contract of the transform listener, run against whichever store this machine has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
import time

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from bt_executive.ros.tf import (
    TF_QOS,
    TF_STATIC_QOS,
    OwnStore,
    TfListener,
    TransformStore,
    make_store,
    pose_from_ros,
    pose_to_ros,
)
from bt_executive.transforms import Pose, TransformError

planar = st.builds(
    Pose.planar,
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(-3.1, 3.1),
    st.integers(0, 10**6).map(float),
)


@given(planar)
def test_conversion_round_trip(pose: Pose) -> None:
    message = pose_to_ros('odom', 'base', pose)
    assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base')
    assert pose_from_ros(message) == pose


@pytest.mark.parametrize('make', [make_store, OwnStore])
@settings(max_examples=30)
@given(base=planar, mast=planar)
def test_a_chain_of_moving_and_static(
    make: Callable[[], TransformStore], base: Pose, mast: Pose
) -> None:
    store = make()
    store.take(pose_to_ros('/odom', '/base', base), static=False)
    store.take(pose_to_ros('base', 'mast', mast), static=True)
    expected = base.compose(mast)
    found = store.lookup('/odom', 'mast')
    assert (found.x, found.y) == pytest.approx((expected.x, expected.y), abs=1e-6)
    assert math.cos(found.yaw - expected.yaw) == pytest.approx(1.0)
    assert found.stamp == base.stamp
    back = store.lookup('mast', 'odom').compose(found)
    assert (back.x, back.y, back.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize('make', [make_store, OwnStore])
def test_unknown_and_unconnected_frames(make: Callable[[], TransformStore]) -> None:
    store = make()
    with pytest.raises(TransformError, match='odom'):
        store.lookup('odom', 'base')
    store.take(pose_to_ros('odom', 'base', Pose()), static=True)
    store.take(pose_to_ros('map', 'beacon', Pose()), static=True)
    with pytest.raises(TransformError):
        store.lookup('odom', 'beacon')


@pytest.mark.parametrize('make', [make_store, OwnStore])
def test_a_time_between_two_stamps(make: Callable[[], TransformStore]) -> None:
    store = make()
    for stamp in (10.0, 12.0):
        pose = Pose.planar(stamp, 0.0, 0.1 * stamp, stamp)
        store.take(pose_to_ros('odom', 'base', pose), static=False)
    store.take(pose_to_ros('base', 'mast', Pose(z=2.0)), static=True)
    found = store.lookup('odom', 'mast', 11.5)
    assert (found.x, found.z, found.yaw) == pytest.approx((11.5, 2.0, 1.15))
    assert found.stamp == pytest.approx(11.5)
    for unknown in (9.0, 13.0):
        with pytest.raises(TransformError):
            store.lookup('odom', 'mast', unknown)


@pytest.mark.parametrize('make', [make_store, OwnStore])
def test_the_latest_of_a_chain_is_as_old_as_its_oldest_part(
    make: Callable[[], TransformStore],
) -> None:
    store = make()
    store.take(pose_to_ros('odom', 'base', Pose(x=1.0, stamp=10.0)), static=False)
    store.take(pose_to_ros('odom', 'base', Pose(x=2.0, stamp=11.0)), static=False)
    store.take(pose_to_ros('base', 'mast', Pose(z=1.0, stamp=10.0)), static=False)
    assert store.lookup('odom', 'mast').stamp == 10.0


@pytest.fixture
def executor() -> Iterator[SingleThreadedExecutor]:
    rclpy.init()
    spinner = SingleThreadedExecutor()
    try:
        yield spinner
    finally:
        for node in spinner.get_nodes():
            node.destroy_node()
        spinner.shutdown()
        rclpy.shutdown()


def lookup_within(
    executor: SingleThreadedExecutor, listener: TfListener, parent: str, child: str
) -> Pose:
    deadline = time.monotonic() + 10.0
    while True:
        try:
            return listener.lookup(parent, child)
        except TransformError:
            if time.monotonic() > deadline:
                raise
            executor.spin_once(timeout_sec=0.05)


@pytest.mark.ros
def test_a_late_listener_in_a_namespace(executor: SingleThreadedExecutor) -> None:
    robot = Node('robot', namespace='mars')
    executor.add_node(robot)
    static = robot.create_publisher(TFMessage, 'tf_static', TF_STATIC_QOS)
    moving = robot.create_publisher(TFMessage, 'tf', TF_QOS)
    static.publish(TFMessage(transforms=[pose_to_ros('base', 'mast', Pose(z=1.1))]))

    late = Node('late', namespace='mars')
    elsewhere = Node('elsewhere', namespace='moon')
    executor.add_node(late)
    executor.add_node(elsewhere)
    listener, stranger = TfListener(late), TfListener(elsewhere)
    broken = pose_to_ros('odom', 'wheel', Pose(x=math.nan))
    base = pose_to_ros('/odom', '/base', Pose(x=2.0, stamp=4.0))
    robot.create_timer(0.02, lambda: moving.publish(TFMessage(transforms=[broken, base])))

    found = lookup_within(executor, listener, 'odom', 'mast')
    assert (found.x, found.z, found.stamp) == (2.0, 1.1, 4.0)
    with pytest.raises(TransformError):
        listener.lookup('odom', 'wheel')
    with pytest.raises(TransformError):
        stranger.lookup('odom', 'base')
