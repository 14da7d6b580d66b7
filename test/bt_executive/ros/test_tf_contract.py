"""The contract of a transform store, over tf2_ros where it can be imported and over our own."""

from __future__ import annotations

from collections.abc import Callable
import math

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from rover_common.geometry.transforms import HISTORY_S, Transform, TransformError
from rover_common.ros import tf_listener
from rover_common.ros.tf_listener import (
    OwnStore,
    Tf2Store,
    TransformStore,
    make_store,
    pose_to_ros,
)

TF2 = vars(tf_listener)['tf2_ros']
NO_TF2 = pytest.mark.skipif(TF2 is None, reason='tf2_ros cannot be imported on this machine')
EVERY_STORE = pytest.mark.parametrize('make', [OwnStore, pytest.param(Tf2Store, marks=NO_TF2)])
Make = Callable[[], TransformStore]

numbers = st.floats(-1e3, 1e3)
turns = st.floats(-3.1, 3.1)
stamps = st.integers(100, 10**6).map(float)


def take(
    store: TransformStore, parent: str, child: str, pose: Transform, static: bool = False
) -> None:
    store.add(pose_to_ros(parent, child, pose), static=static)


def same(left: Transform, right: Transform) -> bool:
    dot = sum(getattr(left, name) * getattr(right, name) for name in ('qx', 'qy', 'qz', 'qw'))
    gap = math.dist((left.x, left.y, left.z), (right.x, right.y, right.z))
    return gap < 1e-6 and abs(dot) == pytest.approx(1.0, abs=1e-9)


def test_tf2_is_taken_where_it_is() -> None:
    assert isinstance(make_store(), OwnStore if TF2 is None else Tf2Store)


@EVERY_STORE
@settings(max_examples=30)
@given(
    links=st.lists(st.tuples(st.booleans(), numbers, numbers, turns), min_size=1, max_size=5),
    stamp=stamps,
)
@pytest.mark.slow
def test_any_chain_of_moving_and_static_frames(
    make: Make, links: list[tuple[bool, float, float, float]], stamp: float
) -> None:
    store, expected = make(), Transform()
    for index, (static, x, y, yaw) in enumerate(links):
        pose = Transform.planar(x, y, yaw, stamp)
        take(store, f'/f{index}', f'/f{index + 1}', pose, static)
        expected = expected.compose(pose)
    found = store.lookup('/f0', f'f{len(links)}')
    assert same(found, expected)
    assert same(store.lookup(f'f{len(links)}', 'f0').compose(found), Transform())
    assert found.stamp == (0.0 if all(static for static, *_ in links) else stamp)


@EVERY_STORE
@settings(max_examples=30)
@given(part=st.floats(0.0, 1.0), yaw=st.floats(-1.5, 1.5))
def test_between_two_stamps_the_pose_lies_between(make: Make, part: float, yaw: float) -> None:
    store = make()
    take(store, 'odom', 'base', Transform.planar(1.0, 0.0, 0.0, 10.0))
    take(store, 'odom', 'base', Transform.planar(3.0, -1.0, yaw, 12.0))
    take(store, 'base', 'mast', Transform(z=2.0), static=True)
    found = store.lookup('odom', 'mast', 10.0 + 2.0 * part)
    there = (1.0 + 2.0 * part, -part, 2.0, yaw * part)
    assert (found.x, found.y, found.z, found.yaw) == pytest.approx(there, abs=1e-6)
    assert found.stamp == pytest.approx(10.0 + 2.0 * part)


@EVERY_STORE
@pytest.mark.parametrize('at', [9.0, 13.0])
def test_a_time_that_is_not_known_is_a_reason(make: Make, at: float) -> None:
    store = make()
    for stamp in (10.0, 12.0):
        take(store, 'odom', 'base', Transform(stamp=stamp))
    with pytest.raises(TransformError, match=r'odom.*base'):
        store.lookup('odom', 'base', at)


@EVERY_STORE
def test_the_past_is_forgotten(make: Make) -> None:
    store = make()
    for second in range(30):
        take(store, 'odom', 'base', Transform(x=second, stamp=100.0 + second))
    assert store.lookup('odom', 'base', 125.5).x == pytest.approx(25.5)
    with pytest.raises(TransformError):
        store.lookup('odom', 'base', 129.0 - HISTORY_S - 2.0)


@EVERY_STORE
def test_the_latest_is_at_the_latest_time_that_all_share(make: Make) -> None:
    store = make()
    take(store, 'odom', 'base', Transform(x=1.0, stamp=10.0))
    take(store, 'odom', 'base', Transform(x=2.0, stamp=11.0))
    take(store, 'base', 'mast', Transform(z=1.0, stamp=10.5))
    found = store.lookup('odom', 'mast')
    assert (found.x, found.z, found.stamp) == pytest.approx((1.5, 1.0, 10.5))
    take(store, 'base', 'arm', Transform(stamp=20.5))
    with pytest.raises(TransformError):
        store.lookup('odom', 'arm')


@EVERY_STORE
@pytest.mark.parametrize('back', [1.0, 498.0])
def test_a_clock_that_was_set_back_is_followed_at_once(make: Make, back: float) -> None:
    store = make()
    take(store, 'base', 'mast', Transform(z=1.0), static=True)
    take(store, 'odom', 'base', Transform(x=9.0, stamp=500.0))
    take(store, 'odom', 'base', Transform(x=1.0, stamp=back))
    assert store.lookup('odom', 'mast') == Transform(x=1.0, z=1.0, stamp=back)
    with pytest.raises(TransformError):
        store.lookup('odom', 'base', 500.0)


@EVERY_STORE
def test_a_late_transform_does_not_hide_the_latest(make: Make) -> None:
    store = make()
    for stamp in (10.0, 10.4, 10.2):
        take(store, 'odom', 'base', Transform(x=stamp, stamp=stamp))
    assert store.lookup('odom', 'base').x == pytest.approx(10.4)
    assert store.lookup('odom', 'base', 10.2).x == pytest.approx(10.2)


@EVERY_STORE
def test_unknown_and_unconnected_frames_are_reasons(make: Make) -> None:
    store = make()
    with pytest.raises(TransformError, match="'odom' is unknown"):
        store.lookup('odom', 'base')
    take(store, 'odom', 'base', Transform(), static=True)
    take(store, 'map', 'beacon', Transform(), static=True)
    with pytest.raises(TransformError, match="'arm' is unknown"):
        store.lookup('odom', 'arm')
    with pytest.raises(TransformError, match='not connected'):
        store.lookup('odom', 'beacon')


@EVERY_STORE
@pytest.mark.parametrize('frames', ['ab', 'abc'])
def test_a_cycle_is_a_reason_and_heals(make: Make, frames: str) -> None:
    store = make()
    for parent, child in zip(frames, frames[1:] + frames[0], strict=True):
        take(store, parent, child, Transform(stamp=1.0))
    with pytest.raises(TransformError, match='loop'):
        store.lookup('a', 'b')
    take(store, 'odom', 'a', Transform(x=1.0, stamp=1.0))
    assert store.lookup('odom', 'b').x == 1.0


@EVERY_STORE
def test_a_frame_with_a_new_parent_has_left_the_old_one(make: Make) -> None:
    store = make()
    take(store, 'odom', 'base', Transform(x=1.0, stamp=10.0))
    take(store, 'map', 'base', Transform(x=2.0, stamp=11.0))
    assert store.lookup('map', 'base').x == 2.0
    with pytest.raises(TransformError):
        store.lookup('odom', 'base')


@EVERY_STORE
@pytest.mark.parametrize(
    ('parent', 'child', 'pose'),
    [
        ('', 'base', Transform()),
        ('odom', '/odom', Transform()),
        ('odom', 'base', Transform(x=math.nan)),
        ('odom', 'base', Transform(qw=0.0)),
        ('odom', 'base', Transform(qw=2.0)),
    ],
)
def test_what_is_no_transform_changes_nothing(
    make: Make, parent: str, child: str, pose: Transform
) -> None:
    store = make()
    take(store, 'odom', 'base', Transform(x=1.0, stamp=1.0))
    with pytest.raises(TransformError, match='was ignored'):
        take(store, parent, child, pose)
    assert store.lookup('odom', 'base').x == 1.0
