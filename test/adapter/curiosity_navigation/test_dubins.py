"""Dubins' words against the closed form of driving them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import itertools
import math

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from curiosity_navigation.dubins import NEARLY_FULL_RAD, paths_to, paths_to_point
from curiosity_navigation.vehicle_model import (
    FORWARD,
    LEFT,
    RIGHT,
    MotionName,
    Segment,
    VehicleModel,
    merged,
    total_length,
)
from rover_common.config.load import load_config
from rover_common.geometry.planar_motion import Pose2D

GAIT = VehicleModel.of(load_config().curiosity.navigation)
metres = st.floats(-40.0, 40.0)
places = st.builds(Pose2D, metres, metres, st.floats(-math.pi, math.pi))


def off_m(path: list[Segment]) -> float:
    """How far a path may miss its goal: each of two arcs may leave out a turn that is none."""
    return 1e-5 + 2.0 * (math.tau - NEARLY_FULL_RAD) * (total_length(path) + GAIT.radius_m)


@pytest.mark.slow
@given(start=places, goal=places)
def test_every_word_ends_at_the_goal_with_its_heading(start: Pose2D, goal: Pose2D) -> None:
    paths = list(paths_to(start, goal, GAIT))
    assert paths
    for path in paths:
        end = GAIT.end(start, path)
        assert end.distance(goal.x, goal.y) < off_m(path)
        assert abs(math.remainder(end.yaw - goal.yaw, math.tau)) < 1e-5


@example(start=Pose2D(-7.0, 0.0, 1e-6), x=0.0, y=0.0)
@given(start=places, x=metres, y=metres)
@pytest.mark.slow
def test_ways_to_a_point_end_there(start: Pose2D, x: float, y: float) -> None:
    for path in paths_to_point(start, x, y, GAIT):
        assert GAIT.end(start, path).distance(x, y) < off_m(path)


def shortest(paths: Iterable[Sequence[Segment]]) -> list[Segment]:
    path = min(paths, key=total_length)
    return merged(path, 1e-6)


def test_known_shortest_paths() -> None:
    start, radius = Pose2D(0.0, 0.0, 0.0), GAIT.radius_m
    assert shortest(paths_to(start, Pose2D(20.0, 0.0, 0.0), GAIT)) == [Segment(FORWARD, 20.0)]
    quarter = shortest(paths_to(start, Pose2D(radius, radius, math.pi / 2.0), GAIT))
    assert [each.motion for each in quarter] == [LEFT]
    assert quarter[0].length == pytest.approx(radius * math.pi / 2.0)
    beside = shortest(paths_to(start, Pose2D(0.0, 1.0, 0.0), GAIT))
    assert total_length(beside) == pytest.approx(math.tau * radius + 1.0)


def test_short_pieces_are_left_out_and_neighbours_joined() -> None:
    path = [Segment(FORWARD, 2.0), Segment(LEFT, 0.01), Segment(FORWARD, 3.0), Segment(RIGHT, 1.0)]
    assert merged(path, 0.1) == [Segment(FORWARD, 5.0), Segment(RIGHT, 1.0)]


@given(start=places, length=st.floats(0.1, 40.0), side=st.sampled_from([FORWARD, LEFT, RIGHT]))
def test_points_of_a_way_are_dense_and_end_at_its_end(
    start: Pose2D, length: float, side: MotionName
) -> None:
    segment = Segment(side, length)
    points = GAIT.points(start, [segment], 0.25)
    assert points[0] == start.point
    assert GAIT.after(start, segment).distance(*points[-1]) < 1e-9
    steps = [math.dist(a, b) for a, b in itertools.pairwise(points)]
    assert max(steps) <= 0.25 + 1e-9


@given(start=places, length=st.floats(0.0, 40.0), side=st.sampled_from([FORWARD, LEFT, RIGHT]))
def test_each_place_of_a_path_is_where_a_shorter_motion_would_end(
    start: Pose2D, length: float, side: MotionName
) -> None:
    found = GAIT.places(start, [Segment(side, length)], 0.25)
    for number, place in enumerate(found):
        wanted = GAIT.after(start, Segment(side, length * number / (len(found) - 1)))
        assert place.distance(*wanted.point) < 1e-9
        assert math.remainder(place.yaw - wanted.yaw, math.tau) == pytest.approx(0.0, abs=1e-9)
        assert abs(place.yaw) <= math.pi
