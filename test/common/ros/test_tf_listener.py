"""The transform listener over real DDS, and the messages it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
from known import known
import pytest
import rclpy
from rclpy.node import Node
from spinning import turn_of
from tf2_msgs.msg import TFMessage
from waiting import wait_until

from rover_common.geometry.transforms import Transform, TransformError
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.tf_listener import (
    TF_QOS,
    TF_STATIC_QOS,
    TfListener,
    pose_from_ros,
    pose_to_ros,
)

planar = st.builds(
    Transform.planar,
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(-3.1, 3.1),
    st.integers(0, 10**6).map(float),
)


@given(planar)
def test_conversion_round_trip(pose: Transform) -> None:
    message = pose_to_ros('odom', 'base', pose)
    assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base')
    assert pose_from_ros(message) == pose


@pytest.fixture
def executor() -> Iterator[LowLatencyExecutor]:
    rclpy.init()
    spinner = LowLatencyExecutor()
    try:
        yield spinner
    finally:
        for node in spinner.get_nodes():
            node.destroy_node()
        spinner.shutdown()
        rclpy.shutdown()


def lookup_within(
    executor: LowLatencyExecutor, listener: TfListener, parent: str, child: str
) -> Transform:
    def look_up() -> Transform | None:
        try:
            return listener.lookup(parent, child)
        except TransformError:
            return None

    what = f'{child} is known in {parent}'
    return known(wait_until(look_up, what, meanwhile=turn_of(executor)))


@pytest.mark.ros
@pytest.mark.parametrize('changed', [None, lambda: None])
def test_a_late_listener_in_a_namespace(
    executor: LowLatencyExecutor, changed: Callable[[], None] | None
) -> None:
    robot = Node('robot', namespace='mars')
    executor.add_node(robot)
    static = robot.create_publisher(TFMessage, 'tf_static', TF_STATIC_QOS)
    moving = robot.create_publisher(TFMessage, 'tf', TF_QOS)
    static.publish(TFMessage(transforms=[pose_to_ros('base', 'mast', Transform(z=1.1))]))

    late = Node('late', namespace='mars')
    elsewhere = Node('elsewhere', namespace='moon')
    executor.add_node(late)
    executor.add_node(elsewhere)
    listener, stranger = TfListener(late, changed), TfListener(elsewhere, changed)
    broken = pose_to_ros('odom', 'wheel', Transform(x=math.nan))
    base = pose_to_ros('/odom', '/base', Transform(x=2.0, stamp=4.0))
    robot.create_timer(0.02, lambda: moving.publish(TFMessage(transforms=[broken, base])))

    found = lookup_within(executor, listener, 'odom', 'mast')
    assert (found.x, found.z, found.stamp) == (2.0, 1.1, 4.0)
    with pytest.raises(TransformError):
        listener.lookup('odom', 'wheel')
    with pytest.raises(TransformError):
        stranger.lookup('odom', 'base')
    assert listener.find('odom', 'wheel') is None
    assert listener.find('odom', 'mast') == found


@pytest.mark.ros
def test_what_two_publishers_say_differently_is_taken_from_neither(
    executor: LowLatencyExecutor, capfd: pytest.CaptureFixture[str]
) -> None:
    robot, node = Node('robot'), Node('listening')
    executor.add_node(robot)
    executor.add_node(node)
    publisher, listener = robot.create_publisher(TFMessage, 'tf', TF_QOS), TfListener(node)
    stamps = itertools.count(4)

    def say(*places: float) -> None:
        stamp = float(next(stamps))
        for x in places:
            pose = Transform(x=x, stamp=stamp)
            publisher.publish(TFMessage(transforms=[pose_to_ros('odom', 'base', pose)]))
        executor.spin_once(timeout_sec=0.01)
        listener.find('odom', 'base')

    wait_until(lambda: listener.find('odom', 'base'), meanwhile=lambda: say(2.0))
    wait_until(
        lambda: 'several publishers say different things' in capfd.readouterr().err,
        meanwhile=lambda: say(2.0, 7.0),
    )
    known_at = listener.lookup('odom', 'base').stamp
    for _ in range(10):
        say(2.0, 7.0)
    assert listener.lookup('odom', 'base').stamp == known_at
    wait_until(
        lambda: listener.lookup('odom', 'base').stamp > known_at, meanwhile=lambda: say(2.0)
    )


@pytest.mark.ros
def test_transforms_wake_nobody_who_only_asks_for_them(
    executor: LowLatencyExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, node = Node('robot'), Node('listener')
    listener, came = TfListener(node), list[float]()
    follower = TfListener(node, lambda: came.append(0.0))
    taken: list[TFMessage] = []
    add_all = listener._add_all

    def take(message: TFMessage, *, static: bool) -> None:
        taken.append(message)
        add_all(message, static=static)

    monkeypatch.setattr(listener, '_add_all', take)
    for each in (robot, node):
        executor.add_node(each)
    moving = robot.create_publisher(TFMessage, 'tf', TF_QOS)
    stamps = itertools.count(1)

    def publish() -> None:
        pose = Transform(x=2.0, stamp=float(next(stamps)))
        moving.publish(TFMessage(transforms=[pose_to_ros('odom', 'base', pose)]))
        executor.spin_once(timeout_sec=0.05)

    wait_until(lambda: len(came) >= 5, 'transforms have come', meanwhile=publish)
    assert not taken
    assert listener.find('odom', 'base') is not None
    assert len(taken) >= 5
    assert follower.find('odom', 'base') is not None
