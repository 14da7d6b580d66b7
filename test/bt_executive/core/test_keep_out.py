"""The path of a motion, and zones beside it."""

from __future__ import annotations

from itertools import pairwise
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.guard_view_and_verdict import ZoneCache
from bt_executive.core.guards import zone_on_path
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import ZoneAreas
from rover_common.geometry.motion_path import path_of_motion
from rover_common.geometry.pose2d import Pose2D

POSES = st.builds(Pose2D, x=st.floats(-50, 50), y=st.floats(-50, 50), yaw=st.floats(-4, 4))
PIT = KeepOutZone(name='pit', polygon=((4.0, 2.0), (6.0, 2.0), (6.0, 4.0), (4.0, 4.0)))
AREAS = ZoneAreas([PIT])


@given(pose=POSES, speed=st.floats(0, 1), radius=st.sampled_from([0.0, 7.5, -7.5]))
def test_a_path_begins_at_the_pose_and_has_the_length_of_the_drive(
    pose: Pose2D, speed: float, radius: float
) -> None:
    points = path_of_motion(pose, speed, radius, seconds=10.0)
    length = sum(math.dist(a, b) for a, b in pairwise(points))
    assert points[0] == pytest.approx((pose.x, pose.y))
    assert length == pytest.approx(speed * 10.0, rel=1e-3, abs=1e-9)


def test_a_left_turn_goes_to_the_left_and_a_full_circle_comes_home() -> None:
    start = Pose2D(x=1.0, y=2.0, yaw=0.3)
    circle = 2 * math.pi * 7.5
    assert path_of_motion(start, 1.0, 7.5, circle)[-1] == pytest.approx((1.0, 2.0))
    assert path_of_motion(Pose2D(), 1.0, 7.5, circle / 4)[-1] == pytest.approx((7.5, 7.5))
    assert path_of_motion(Pose2D(), 1.0, -7.5, circle / 4)[-1] == pytest.approx((7.5, -7.5))
    backwards = path_of_motion(Pose2D(), -1.0, 7.5, circle / 4)[-1]
    assert backwards == pytest.approx((-7.5, 7.5))


@pytest.mark.parametrize(
    ('y', 'margin', 'zone'),
    [(3.0, 0.0, 'pit'), (0.6, 1.5, 'pit'), (0.4, 1.5, None), (5.4, 1.5, 'pit'), (5.6, 1.5, None)],
)
def test_a_zone_is_met_on_the_path_or_within_the_margin(
    y: float, margin: float, zone: str | None
) -> None:
    path = path_of_motion(Pose2D(y=y), 0.5, 0.0, 20.0)
    assert zone_on_path(path, AREAS, margin) == zone


def test_a_single_place_is_a_path() -> None:
    assert zone_on_path([(5.0, 0.6)], AREAS, 1.5) == 'pit'
    assert zone_on_path([(5.0, 0.4)], AREAS, 1.5) is None


def test_standing_in_a_zone_is_on_its_path() -> None:
    assert zone_on_path(path_of_motion(Pose2D(x=5.0, y=3.0), 0.0, 0.0, 0.0), AREAS, 0.0) == 'pit'


@pytest.mark.parametrize('radius', [0.0, 7.5, -7.5])
@pytest.mark.parametrize('seconds', [1e9, 1e300])
def test_a_motion_without_end_has_few_points(radius: float, seconds: float) -> None:
    assert len(path_of_motion(Pose2D(), 0.485, radius, seconds)) < 500


@pytest.mark.parametrize('y', [3.0, 30.0])
def test_a_line_without_end_still_meets_a_zone(y: float) -> None:
    path = path_of_motion(Pose2D(y=y), 0.485, 0.0, 1e9)
    assert zone_on_path(path, AREAS, 1.5) == ('pit' if y == 3.0 else None)


@pytest.mark.parametrize('seconds', [1e10, 1e153, 1e200, 1e308, math.inf, math.nan])
def test_what_cannot_be_measured_is_too_near(seconds: float) -> None:
    path = path_of_motion(Pose2D(y=100.0), 10.0, 0.0, seconds)
    assert zone_on_path(path, AREAS, 1.5) == 'pit'


def test_shapes_are_made_once_for_each_change_of_the_zones() -> None:
    known, cliff = ZoneCache(), PIT.model_copy(update={'name': 'cliff'})
    first = known.areas((PIT,), ())
    assert known.areas((PIT,), ()) is first
    both = known.areas((PIT,), (cliff,))
    assert both.names == ('pit', 'cliff')
    assert known.areas((PIT,), (cliff.model_copy(),)) is both
