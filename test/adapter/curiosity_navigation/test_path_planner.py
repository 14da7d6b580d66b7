"""Plans among rocks and zones: never through one, and at the goal in the end."""

from __future__ import annotations

from concurrent.futures import CancelledError
import itertools
import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
import shapely
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, Polygon, box

from curiosity_navigation.collision_checker import Clearance, CollisionChecker, Points
from curiosity_navigation.costmap import Costmap
from curiosity_navigation.path_planner import (
    SHORTEST_M,
    NavigationGoal,
    NoPath,
    Plan,
    make_plan,
    replan,
)
from curiosity_navigation.vehicle_model import FORWARD, Segment, VehicleModel
from rover_common.config.load import load_config
from rover_common.geometry.planar_motion import Pose2D

CONFIG = load_config()
GAIT = VehicleModel.of(CONFIG.curiosity.navigation)
CLEARANCE = Clearance.of(CONFIG)
CLEARANCE_M = CONFIG.curiosity.navigation.clearance_m
START = Pose2D(0.0, 0.0, 0.0)
NOTHING = np.empty((0, 2))
# Points of a path are this far apart at most when they are looked at.
SLACK_M = 0.15


def rocks(*circles: tuple[float, float, float]) -> Points:
    """Points on the rims of circles (x, y, radius), as a rangefinder leaves them."""
    rims = []
    for x, y, radius in circles:
        angles = np.linspace(0.0, math.tau, max(8, round(math.tau * radius / 0.2)))
        rims.append(np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1))
    return np.concatenate(rims)


def wall(x: float, low: float, high: float) -> Points:
    return np.array([(x, y) for y in np.arange(low, high, 0.2)])


def clearance(plan: Plan, obstacles: Points) -> float:
    """Smallest distance of the rover's rectangle from any obstacle, along the path."""
    settings = CONFIG.curiosity.navigation
    half = settings.length_m / 2.0, settings.width_m / 2.0
    body = box(-half[0], -half[1], *half)
    stones = shapely.multipoints(obstacles)
    return min(
        float(translate(rotate(body, at.yaw, (0.0, 0.0), True), *at.point).distance(stones))
        for at in GAIT.places(START, plan.segments, 0.1)
    )


def planned(goal: NavigationGoal, obstacles: Points, *zones: tuple[str, Polygon]) -> Plan:
    plan = make_plan(START, goal, CollisionChecker(START, obstacles, zones, CLEARANCE), GAIT)
    assert isinstance(plan, Plan), plan
    return plan


@pytest.mark.parametrize('gap', [0.05, 0.1, 0.15])
def test_a_rover_beside_a_rock_finds_the_path_around_another(gap: float) -> None:
    """It stands on free ground of a cell of which most is blocked."""
    beside = CONFIG.curiosity.navigation.width_m / 2.0 + gap + 0.5
    obstacles = rocks((0.5, beside, 0.5), (8.0, 0.0, 1.2))
    narrow = CollisionChecker(START, obstacles, (), CLEARANCE.narrowed)
    plan = make_plan(START, NavigationGoal(18.0, 0.0), narrow, GAIT)
    assert isinstance(plan, Plan), plan
    assert narrow.clear(GAIT.poses(START, plan.segments, 0.1))


def test_an_open_field_is_crossed_directly() -> None:
    plan = planned(NavigationGoal(20.0, 0.0), NOTHING)
    assert plan.segments == (Segment(FORWARD, 20.0),)
    assert plan.seconds == pytest.approx(20.0 / 0.485 + GAIT.change_s)


def test_a_rock_in_the_way_is_passed_at_a_distance() -> None:
    obstacles = rocks((12.0, 0.0, 1.0))
    plan = planned(NavigationGoal(24.0, 0.0), obstacles)
    assert len(plan.segments) > 1
    assert clearance(plan, obstacles) >= CLEARANCE_M - SLACK_M
    assert GAIT.end(START, plan.segments).distance(24.0, 0.0) < 0.3


@pytest.mark.slow
def test_a_gap_in_a_wall_is_found() -> None:
    obstacles = np.concatenate([wall(15.0, -25.0, 2.0), wall(15.0, 8.0, 25.0)])
    plan = planned(NavigationGoal(28.0, -6.0), obstacles)
    assert clearance(plan, obstacles) >= CLEARANCE_M - SLACK_M


def test_a_zone_is_gone_round() -> None:
    zone = Polygon([(8.0, -6.0), (14.0, -6.0), (14.0, 3.0), (8.0, 3.0)])
    plan = planned(NavigationGoal(25.0, 0.0, heading=0.0), NOTHING, ('crater', zone))
    path = GAIT.points(START, plan.segments, 0.05)
    assert LineString(path).distance(zone) >= CLEARANCE.zones_m - SLACK_M
    distance, off = NavigationGoal(25.0, 0.0, 0.0).misses(GAIT.end(START, plan.segments))
    assert distance < 0.3
    assert off < 0.11


@pytest.mark.slow
def test_a_fence_without_a_gap_is_told_at_once() -> None:
    ring = rocks((25.0, 0.0, 6.0))
    found = make_plan(
        START, NavigationGoal(25.0, 0.0), CollisionChecker(START, ring, (), CLEARANCE), GAIT
    )
    assert isinstance(found, NoPath)
    assert 'all around' in found.reason


def test_a_goal_at_a_rock_or_in_a_zone_is_named() -> None:
    zone = Polygon([(8.0, -6.0), (14.0, -6.0), (14.0, 3.0), (8.0, 3.0)])
    costmap = Costmap(rocks((20.0, 0.0, 1.0)), (('crater', zone),), CLEARANCE)
    near_rock = replan(START, NavigationGoal(20.0, 2.0), (), costmap, GAIT)
    in_zone = replan(START, NavigationGoal(10.0, 0.0), (), costmap, GAIT)
    assert near_rock == NoPath('The goal is too near to an obstacle', at_goal=True)
    assert in_zone == NoPath("The goal is too near to keep-out zone 'crater'", at_goal=True)


@pytest.mark.slow
def test_a_path_of_a_small_rover_is_driven_as_it_was_checked() -> None:
    """One step of its lattice is shorter than what a direct path leaves out."""
    small = ('turn_radius_m=0.5', 'length_m=0.6', 'width_m=0.5')
    config = load_config(None, [f'curiosity.navigation.{each}' for each in small])
    vehicle, clearance = VehicleModel.of(config.curiosity.navigation), Clearance.of(config)
    stones = [(-0.3, -1.3), (0.7, -1.9), (1.1, -1.5), (1.7, -1.5), (1.7, 0.7), (2.9, -0.5)]
    costmap = Costmap(np.array(stones), (), clearance)
    plan = replan(START, NavigationGoal(2.04, -2.51), (), costmap, vehicle)
    assert isinstance(plan, Plan), plan
    narrow = CollisionChecker(START, costmap.obstacles, (), clearance.narrowed)
    assert narrow.clear(vehicle.poses(START, plan.segments, 0.1))
    assert min(each.length for each in plan.segments) < SHORTEST_M


@pytest.mark.slow
def test_a_rover_beside_a_rock_may_leave_but_not_come_nearer() -> None:
    beside = rocks((0.0, 2.2, 1.0))
    here = clearance(Plan((), 0.0), beside)
    assert 0.0 < here < CLEARANCE_M
    plan = planned(NavigationGoal(15.0, 0.0), beside)
    assert clearance(plan, beside) >= here - SLACK_M
    ahead = rocks((2.4, 0.0, 1.0))
    found = make_plan(
        START, NavigationGoal(15.0, 0.0), CollisionChecker(START, ahead, (), CLEARANCE), GAIT
    )
    assert isinstance(found, NoPath)


@pytest.mark.slow
def test_a_rover_along_a_zone_or_a_wall_may_turn_away_although_its_tail_swings_out() -> None:
    goal = NavigationGoal(3.0, -14.0)
    zone = Polygon([(-20.0, 1.3), (30.0, 1.3), (30.0, 6.0), (-20.0, 6.0)])
    beside = np.array([(x, 1.3) for x in np.arange(-20.0, 30.0, 0.2)])
    assert CLEARANCE.footprint.radius_m + CLEARANCE.give_m < 1.3 < CLEARANCE.narrow_m
    for obstacles, zones in ((NOTHING, (('crater', zone),)), (beside, ())):
        found = replan(START, goal, (), Costmap(obstacles, zones, CLEARANCE), GAIT)
        assert isinstance(found, Plan), found
        assert found.length < 40.0, 'at once'
    touched = beside - (0.0, 1.3 - CLEARANCE.footprint.radius_m - 0.01)
    found = replan(START, goal, (), Costmap(touched, (), CLEARANCE), GAIT)
    assert isinstance(found, NoPath), 'its tail would touch it'


@pytest.mark.slow
def test_what_stands_near_the_start_loosens_nothing_elsewhere() -> None:
    behind, ahead = rocks((-1.55, 0.0, 0.15)), rocks((2.7, 1.0, 0.2))
    goal = NavigationGoal(12.0, 0.0)
    for obstacles in (ahead, np.concatenate([behind, ahead])):
        assert isinstance(replan(START, goal, (), Costmap(obstacles, (), CLEARANCE), GAIT), NoPath)
    assert isinstance(replan(START, goal, (), Costmap(behind, (), CLEARANCE), GAIT), Plan)


def test_a_plan_is_kept_as_long_as_it_serves() -> None:
    costmap = Costmap(NOTHING, (), CLEARANCE)
    goal, rest = NavigationGoal(20.0, 0.0), (Segment(FORWARD, 15.0),)
    kept = replan(Pose2D(5.0, 0.1, 0.0), goal, rest, costmap, GAIT)
    assert isinstance(kept, Plan)
    assert kept.segments == rest
    anew = replan(Pose2D(5.0, 1.0, 0.0), goal, rest, costmap, GAIT)
    assert isinstance(anew, Plan)
    assert anew.segments != rest
    blocked = Costmap(rocks((12.0, 0.0, 0.6)), (), CLEARANCE)
    around = replan(Pose2D(5.0, 0.1, 0.0), goal, rest, blocked, GAIT)
    assert isinstance(around, Plan)
    assert around.segments != rest


@pytest.mark.slow
@pytest.mark.parametrize('looks', [1, 100])
def test_a_cancelled_search_ends(looks: int) -> None:
    asked = itertools.count(1)
    turns = np.linspace(0.3, math.tau - 0.3, 300)  # open only where the rover does not come from
    ring = np.stack([30.0 + 8.0 * np.cos(turns), 8.0 * np.sin(turns)], axis=1)
    goal, costmap = NavigationGoal(30.0, 0.0), Costmap(ring, (), CLEARANCE)
    with pytest.raises(CancelledError):
        replan(START, goal, (), costmap, GAIT, lambda: next(asked) >= looks)
    assert next(asked) == looks + 1


circles = st.tuples(st.floats(-25.0, 25.0), st.floats(-25.0, 25.0), st.floats(0.3, 1.5))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    stones=st.lists(circles, min_size=1, max_size=8),
    x=st.floats(-18.0, 18.0),
    y=st.floats(-18.0, 18.0),
)
def test_no_plan_ever_leads_through_a_rock(
    stones: list[tuple[float, float, float]], x: float, y: float
) -> None:
    assume(all(math.hypot(cx, cy) > radius + 3.0 for cx, cy, radius in stones))
    obstacles = rocks(*stones)
    found = replan(START, NavigationGoal(x, y), (), Costmap(obstacles, (), CLEARANCE), GAIT)
    if isinstance(found, Plan) and found.segments:
        assert clearance(found, obstacles) >= CLEARANCE_M - SLACK_M
        assert GAIT.end(START, found.segments).distance(x, y) <= 0.35
