"""The transform tree, by itself: algebra as properties, faults as sentences."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from rover_common.geometry.transforms import (
    HISTORY_S,
    MOST_FRAMES,
    Transform,
    TransformError,
    TransformTree,
)

metres = st.floats(-1000.0, 1000.0)
unit = st.floats(-1.0, 1.0)


@st.composite
def poses(draw: st.DrawFn) -> Transform:
    q = [draw(unit) for _ in range(4)]
    norm = math.hypot(*q)
    assume(norm > 1e-3)
    x, y, z = (draw(metres) for _ in range(3))
    qx, qy, qz, qw = (part / norm for part in q)
    return Transform(x, y, z, qx, qy, qz, qw, stamp=draw(st.floats(0.0, 1e6)))


def assert_same_place(left: Transform, right: Transform) -> None:
    for name in ('x', 'y', 'z'):
        assert getattr(left, name) == pytest.approx(getattr(right, name), abs=1e-6)
    # q and -q are the same rotation.
    dot = sum(getattr(left, name) * getattr(right, name) for name in ('qx', 'qy', 'qz', 'qw'))
    assert abs(dot) == pytest.approx(1.0, abs=1e-6)


@given(poses())
def test_a_pose_and_its_inverse_cancel(pose: Transform) -> None:
    assert_same_place(pose.compose(pose.inverse()), Transform())
    assert_same_place(pose.inverse().compose(pose), Transform())


@given(poses(), poses(), poses())
@pytest.mark.slow
def test_composition_is_associative(a: Transform, b: Transform, c: Transform) -> None:
    assert_same_place(a.compose(b).compose(c), a.compose(b.compose(c)))


@given(st.floats(-math.pi + 1e-9, math.pi - 1e-9), metres, metres)
def test_yaw_round_trip(yaw: float, x: float, y: float) -> None:
    assert Transform.planar(x, y, yaw).yaw == pytest.approx(yaw, abs=1e-9)


def test_rotation_turns_counterclockwise() -> None:
    x, y, z = Transform.planar(0.0, 0.0, math.pi / 2.0).rotated(1.0, 0.0, 0.5)
    assert (x, y, z) == pytest.approx((0.0, 1.0, 0.5))


@given(poses(), poses(), poses())
@pytest.mark.slow
def test_lookup_goes_up_and_down_the_tree(
    base: Transform, mast: Transform, beacon: Transform
) -> None:
    tree = TransformTree()
    tree.set('/odom', '/base', base)
    tree.set('base', 'mast', mast, static=True)
    tree.set('odom', 'beacon', replace(beacon, stamp=base.stamp))
    expected = beacon.inverse().compose(base).compose(mast)
    assert_same_place(tree.lookup('beacon', 'mast'), expected)
    assert_same_place(tree.lookup('mast', 'beacon'), expected.inverse())


def test_the_latest_is_taken_at_the_latest_time_that_all_moving_transforms_share() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(x=1.0, stamp=9.5))
    tree.set('odom', 'base', Transform(x=2.0, stamp=10.5))
    tree.set('base', 'mast', Transform(z=1.0, stamp=10.0))
    tree.set('mast', 'camera', Transform(stamp=1.0), static=True)
    assert tree.lookup('odom', 'camera') == Transform(x=1.5, z=1.0, stamp=10.0)
    assert tree.lookup('odom', 'base').stamp == 10.5
    assert tree.lookup('mast', 'camera').stamp == 0.0


def test_moving_transforms_without_a_common_time_are_a_reason() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(stamp=20.0))
    tree.set('base', 'mast', Transform(stamp=10.0))
    with pytest.raises(TransformError, match=r'asked for 10\.000 s and known from 20\.000 s'):
        tree.lookup('odom', 'mast')


def test_a_frame_in_itself_is_the_origin() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(x=3.0, stamp=1.0))
    assert tree.lookup('base', '/base') == Transform()


def test_what_was_found_before_is_found_again_until_something_is_set() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(x=1.0, stamp=1.0))
    assert tree.lookup('odom', 'base') is tree.lookup('odom', 'base')
    tree.set('map', 'odom', Transform(x=10.0), static=True)
    assert (tree.lookup('odom', 'base').x, tree.lookup('map', 'base').x) == (1.0, 11.0)
    tree.set('odom', 'base', Transform(x=2.0, stamp=2.0))
    assert (tree.lookup('odom', 'base').x, tree.lookup('map', 'base').x) == (2.0, 12.0)
    assert tree.lookup('odom', 'base', at=1.5).x == 1.5
    assert tree.lookup('odom', 'base').stamp == 2.0


def test_a_clock_that_was_set_back_is_followed_at_once() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(x=9.0, stamp=500.0))
    tree.set('odom', 'base', Transform(x=1.0, stamp=0.1))
    assert tree.lookup('odom', 'base') == Transform(x=1.0, stamp=0.1)


def test_a_transform_that_is_late_fills_the_history() -> None:
    tree = TransformTree()
    for stamp in (10.0, 10.4, 10.2, 10.4):
        tree.set('odom', 'base', Transform(x=stamp, stamp=stamp))
    assert tree.lookup('odom', 'base').x == 10.4
    assert tree.lookup('odom', 'base', 10.2).x == 10.2
    assert tree.lookup('odom', 'base', 10.3).x == pytest.approx(10.3)


def test_an_unknown_frame_is_named() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform())
    with pytest.raises(TransformError, match=r"Frame 'map' is unknown"):
        tree.lookup('map', 'base')
    with pytest.raises(TransformError, match=r"Frame 'arm' is unknown"):
        tree.lookup('odom', 'arm')


def test_unconnected_frames_name_their_roots() -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform())
    tree.set('map', 'beacon', Transform())
    with pytest.raises(TransformError, match=r"roots are 'odom' and 'map'"):
        tree.lookup('base', 'beacon')


def test_a_loop_is_told_and_heals() -> None:
    tree = TransformTree()
    tree.set('a', 'b', Transform())
    tree.set('b', 'a', Transform())
    with pytest.raises(TransformError, match='loop: b -> a -> b'):
        tree.lookup('a', 'b')
    tree.set('odom', 'a', Transform(x=1.0))
    assert tree.lookup('odom', 'b').x == 1.0


@pytest.mark.parametrize(
    ('parent', 'child', 'pose', 'cause'),
    [
        ('', 'base', Transform(), 'has no name'),
        ('odom', '/', Transform(), 'has no name'),
        ('odom', '/odom', Transform(), 'own parent'),
        ('odom', 'base', Transform(x=math.nan), 'finite'),
        ('odom', 'base', Transform(stamp=math.inf), 'finite'),
        ('odom', 'base', Transform(qw=0.0), 'length 0.000'),
        ('odom', 'base', Transform(qw=2.0), 'length 2.000'),
    ],
)
def test_unusable_transforms_change_nothing(
    parent: str, child: str, pose: Transform, cause: str
) -> None:
    tree = TransformTree()
    tree.set('odom', 'base', Transform(x=1.0))
    with pytest.raises(TransformError, match=cause):
        tree.set(parent, child, pose)
    assert tree.lookup('odom', 'base') == Transform(x=1.0)


def moving_tree() -> TransformTree:
    """A base that drives 1 m and turns 0.1 rad per second from 10 s to 14 s, with a mast on it."""
    tree = TransformTree()
    for second in range(5):
        stamp = 10.0 + second
        tree.set('odom', 'base', Transform.planar(float(second), 0.0, 0.1 * second, stamp))
    tree.set('base', 'mast', Transform(z=2.0), static=True)
    return tree


@given(st.floats(10.0, 14.0))
def test_between_two_stamps_the_pose_lies_between(at: float) -> None:
    pose = moving_tree().lookup('odom', 'mast', at)
    assert (pose.x, pose.z, pose.yaw) == pytest.approx((at - 10.0, 2.0, 0.1 * (at - 10.0)))
    assert pose.stamp == pytest.approx(at)


@given(poses(), poses(), st.floats(0.0, 1.0))
def test_interpolation_keeps_its_ends_and_unit_length(
    a: Transform, b: Transform, part: float
) -> None:
    assert_same_place(a.towards(b, 0.0), a)
    assert_same_place(a.towards(b, 1.0), b)
    between = a.towards(b, part)
    length = math.hypot(between.qx, between.qy, between.qz, between.qw)
    assert length == pytest.approx(1.0, abs=1e-6)


def test_the_shorter_way_round_is_taken() -> None:
    left, right = Transform.planar(0.0, 0.0, 3.0), Transform.planar(0.0, 0.0, -3.0)
    assert abs(left.towards(right, 0.5).yaw) == pytest.approx(math.pi)


@pytest.mark.parametrize('at', [9.9, 14.1])
def test_a_time_that_is_not_known_is_a_reason(at: float) -> None:
    with pytest.raises(TransformError, match=r'known from 10\.000 s to 14\.000 s'):
        moving_tree().lookup('odom', 'base', at)


def test_the_past_is_forgotten_after_a_while_and_when_time_goes_back() -> None:
    tree = moving_tree()
    tree.set('odom', 'base', Transform(stamp=12.0 + HISTORY_S))
    with pytest.raises(TransformError, match='known from 12'):
        tree.lookup('odom', 'base', 11.0)
    tree.set('odom', 'base', Transform(x=1.0, stamp=0.5))
    assert tree.lookup('odom', 'base', 0.5).x == 1.0
    with pytest.raises(TransformError):
        tree.lookup('odom', 'base', 13.0)


def test_a_new_parent_starts_a_new_history() -> None:
    tree = moving_tree()
    tree.set('map', 'base', Transform(x=7.0, stamp=20.0))
    assert tree.lookup('map', 'base', 20.0).x == 7.0
    with pytest.raises(TransformError):
        tree.lookup('map', 'base', 14.0)


@pytest.mark.slow
def test_of_too_many_moving_frames_the_one_that_was_set_longest_ago_is_forgotten() -> None:
    tree = moving_tree()
    for number in range(2 * MOST_FRAMES):
        tree.set('odom', f'track_{number}', Transform(stamp=1e6 + number))
        if number % 100 == 0:
            tree.set('odom', 'base', Transform(x=number, stamp=20.0 + number))
    assert tree.lookup('odom', 'mast').z == 2.0
    assert tree.lookup('odom', f'track_{2 * MOST_FRAMES - 1}')
    with pytest.raises(TransformError, match=r"Frame 'track_900' is unknown"):
        tree.lookup('odom', 'track_900')


@pytest.mark.slow
def test_static_frames_are_not_forgotten_and_too_many_are_not_taken() -> None:
    tree = moving_tree()
    for number in range(MOST_FRAMES - 1):
        tree.set('base', f'plate_{number}', Transform(), static=True)
    with pytest.raises(TransformError, match='there are 1000 static frames already'):
        tree.set('base', 'another', Transform(), static=True)
    tree.set('base', 'mast', Transform(z=3.0), static=True)
    assert tree.lookup('odom', 'mast').z == 3.0


def test_a_chain_that_leaves_all_numbers_is_said() -> None:
    tree = TransformTree()
    tree.set('map', 'odom', Transform(x=1.7e308))
    tree.set('odom', 'base', Transform(x=1.7e308))
    with pytest.raises(TransformError, match="'map' -> 'base' is not finite"):
        tree.lookup('map', 'base')
    assert tree.lookup('odom', 'base').x == 1.7e308
