"""Obstacles from scans: where they are, what does not count, and when they are gone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from curiosity_navigation.collision_checker import Clearance
from curiosity_navigation.costmap import CELL_M, ObstacleMap, ObstacleMonitor, Scan
from rover_common.config.load import load_config
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor

CONFIG = load_config()
SETTINGS = CONFIG.curiosity.navigation
RAYS = 640
HEAD = Transform(x=0.4, z=1.5)


def scan_of(
    *stones: tuple[float, float, float], rover: Transform, sensor: Transform = HEAD
) -> Scan:
    """What a level rangefinder sees of stones (x, y, radius), nothing else around."""
    eye = rover.compose(sensor)
    angles = np.linspace(-math.pi, math.pi, RAYS)
    ranges = np.full(RAYS, np.inf)
    for index, angle in enumerate(angles + eye.yaw):
        for x, y, radius in stones:
            dx, dy = x - eye.x, y - eye.y
            along = dx * math.cos(angle) + dy * math.sin(angle)
            aside = dx * math.sin(angle) - dy * math.cos(angle)
            if along > 0.0 and abs(aside) < radius:
                hit = along - math.sqrt(radius * radius - aside * aside)
                ranges[index] = min(ranges[index], hit)
    return Scan(-math.pi, math.tau / (RAYS - 1), 1.0, 30.0, ranges)


@pytest.fixture
def obstacles() -> ObstacleMap:
    return ObstacleMap(SETTINGS.scan, own_m=1.2)


@pytest.mark.parametrize('pan', [0.0, 1.0, -2.5])
def test_a_rock_is_where_it_is_whatever_way_rover_and_mast_look(
    obstacles: ObstacleMap, pan: float
) -> None:
    rover = Transform.planar(3.0, -2.0, 0.7)
    sensor = HEAD.compose(Transform.planar(0.0, 0.0, pan))
    obstacles.update(scan_of((9.0, 1.0, 0.8), rover=rover, sensor=sensor), rover, sensor)
    away = np.hypot(*(obstacles.points - (9.0, 1.0)).T)
    assert len(away) > 3
    assert np.all(np.abs(away - 0.8) < CELL_M)


def test_a_rock_is_remembered_where_the_sensor_cannot_see_it(obstacles: ObstacleMap) -> None:
    far, near = Transform.planar(0.0, 0.0, 0.0), Transform.planar(4.9, 0.0, 0.0)
    obstacles.update(scan_of((6.8, 0.0, 0.6), rover=far), far, HEAD)
    seen = len(obstacles.points)
    blind = scan_of((6.8, 0.0, 0.6), rover=near)
    blind.ranges[blind.ranges < 1.0] = np.inf
    obstacles.update(blind, near, HEAD)
    assert len(obstacles.points) >= seen


def test_a_rock_that_has_gone_is_forgotten(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    obstacles.update(scan_of((8.0, 3.0, 0.8), rover=rover), rover, HEAD)
    assert len(obstacles.points)
    obstacles.update(scan_of(rover=rover), rover, HEAD)
    assert not len(obstacles.points)


def test_the_ground_the_sky_and_the_rover_itself_do_not_count(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    scan = scan_of((8.0, 0.0, 0.8), rover=rover)
    obstacles.update(scan, rover, Transform(z=0.1))
    obstacles.update(scan, rover, Transform(z=4.0))
    itself = Scan(-math.pi, math.tau / (RAYS - 1), 0.0, 30.0, np.full(RAYS, 0.5))
    obstacles.update(itself, rover, HEAD)
    assert not len(obstacles.points)


def test_a_tilted_sensor_clears_nothing(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    obstacles.update(scan_of((8.0, 0.0, 0.8), rover=rover), rover, HEAD)
    seen = len(obstacles.points)
    lying = HEAD.compose(Transform(qy=math.sin(0.4), qw=math.cos(0.4)))
    obstacles.update(scan_of(rover=rover), rover, lying)
    assert len(obstacles.points) == seen


def test_a_sensor_that_hangs_upside_down_clears_only_where_it_looks(
    obstacles: ObstacleMap,
) -> None:
    rover, hanging = Transform.planar(0.0, 0.0, 0.0), HEAD.compose(Transform(qx=1.0, qw=0.0))
    obstacles.update(scan_of((6.0, 5.0, 0.8), rover=rover), rover, HEAD)
    seen = len(obstacles.points)
    # Its bearings run clockwise: with positive ones it looks to the right.
    ranges = np.where(np.linspace(-math.pi, math.pi, RAYS) > 0.0, np.inf, np.nan)
    right = Scan(-math.pi, math.tau / (RAYS - 1), 1.0, 30.0, ranges)
    obstacles.update(right, rover, hanging)
    assert len(obstacles.points) == seen
    obstacles.update(right, rover, HEAD)
    assert not len(obstacles.points)


def test_a_jump_of_the_world_frame_makes_everything_unknown(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    obstacles.update(scan_of((8.0, 0.0, 0.8), rover=rover), rover, HEAD)
    obstacles.forget()
    assert not len(obstacles.points)


def test_useless_ranges_do_no_harm(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    ranges = np.array([math.nan, math.inf, -math.inf, -1.0, 0.0, 1e9] * 100)
    obstacles.update(Scan(-math.pi, math.tau / 599, 1.0, 30.0, ranges), rover, HEAD)
    assert not len(obstacles.points)


@pytest.mark.parametrize('step', [1e-10, 1e-19, 1e-30])
def test_a_scan_of_nearly_one_bearing_clears_nothing_beside_it(
    obstacles: ObstacleMap, step: float
) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    obstacles.update(scan_of((8.0, 3.0, 0.8), rover=rover), rover, HEAD)
    seen = len(obstacles.points)
    obstacles.update(Scan(0.0, step, 1.0, 30.0, np.full(3, np.inf)), rover, HEAD)
    assert len(obstacles.points) == seen


def drive_past_rocks(obstacles: ObstacleMap, metres: int) -> list[int]:
    """Drives ahead between two rows of rocks; how many cells are known after each 10 m."""
    counts = []
    for x in range(0, metres, 10):
        rover = Transform.planar(float(x), 0.0, 0.0)
        rocks = [(x + 5.0, 6.0, 0.8), (x + 5.0, -6.0, 0.8)]
        obstacles.update(scan_of(*rocks, rover=rover), rover, HEAD)
        counts.append(len(obstacles.points))
    return counts


@pytest.mark.slow
def test_what_lies_far_behind_is_forgotten(obstacles: ObstacleMap) -> None:
    counts = drive_past_rocks(obstacles, 1500)
    enough = SETTINGS.scan.memory_m // 10 + 1
    assert max(counts) <= enough * max(counts[:2]), 'as much as lies within memory_m'
    assert max(counts[-20:]) <= max(counts[:20]), 'no more after 1.5 km than after 200 m'
    assert obstacles.points[:, 0].min() >= 1490.0 - SETTINGS.scan.memory_m


def test_more_cells_than_allowed_leave_the_nearest_ones() -> None:
    few = SETTINGS.scan.model_copy(update={'max_cells': 100})
    obstacles, rover = ObstacleMap(few, own_m=1.2), Transform.planar(0.0, 0.0, 0.0)
    obstacles.update(scan_of((4.0, 0.0, 0.8), rover=rover), rover, HEAD)
    near = {tuple(point) for point in obstacles.points}
    wall = [(15.0, y * 0.5, 0.3) for y in range(-40, 41)]
    obstacles.update(scan_of((4.0, 0.0, 0.8), *wall, rover=rover), rover, HEAD)
    assert len(obstacles.points) == 100
    assert near <= {tuple(point) for point in obstacles.points}


def test_cells_on_all_sides_of_the_origin_are_kept_apart(obstacles: ObstacleMap) -> None:
    rover = Transform.planar(0.0, 0.0, 0.0)
    rocks = [(x, y, 0.8) for x in (-6.0, 6.0) for y in (-6.0, 6.0)]
    obstacles.update(scan_of(*rocks, rover=rover), rover, HEAD)
    for x, y, _ in rocks:
        assert np.hypot(*(obstacles.points - (x, y)).T).min() < 1.0
    assert len(np.unique(obstacles.points, axis=0)) == len(obstacles.points)


@pytest.mark.parametrize(('spare_m', 'said'), [(0.1, None), (-0.1, 'an obstacle')])
def test_a_path_ends_where_the_foremost_disc_would_be_too_near(
    spare_m: float, said: str | None
) -> None:
    rover, footprint = Transform.planar(0.0, 0.0, 0.0), Clearance.of(CONFIG).footprint
    poses, keep_out = MotionMonitor(CONFIG.curiosity.motion), KeepOut(())
    monitor = ObstacleMonitor(CONFIG, poses, keep_out, lambda: 0.0)
    monitor.update(scan_of((9.0, 0.0, 0.3), rover=rover), rover, HEAD)
    rock_m = float(np.hypot(*monitor.costmap().obstacles.T).min())
    end_m = rock_m - footprint.radius_m - SETTINGS.nearest_m - footprint.offset_m - spare_m
    assert monitor.obstruction(np.array([[0.0, 0.0, 0.0], [end_m, 0.0, 0.0]])) == said
