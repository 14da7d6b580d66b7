"""The rangefinder measures what the geometry of rocks and steep ground says."""

from __future__ import annotations

from collections.abc import Callable
import math

import numpy as np
from numpy.typing import NDArray
import pytest

from curiosity_sim.rover.attitude import Attitude
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast import TILT, Mast
from curiosity_sim.rover.mast_geometry import CameraPose, camera_pose, head_pose, lidar_pose
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, Terrain
from curiosity_sim.rover.world import World
from rover_common.geometry.planar_motion import Pose2D

HEIGHT_M = 2.1
AHEAD = 320  # the ray of 641 that points straight ahead


def rock(x: float, y: float, radius: float = 0.5, height: float = 0.6) -> Rock:
    return Rock(x=x, y=y, radius=radius, height=height, colour=(1, 2, 3), shape_seed=1)


def scan(world: World, yaw: float = 0.0, rays: int = 641) -> NDArray[np.float32]:
    return Lidar(world, rays).scan(CameraPose(0.0, 0.0, HEIGHT_M, yaw, 0.0))


def angles() -> NDArray[np.float64]:
    return Lidar(World(seed=1, rocks=()), 641).angles


def ground(height_over_distance: Callable[[np.ndarray], np.ndarray]) -> Terrain:
    """Round about the origin: the height by the distance from it."""
    axis = np.arange(CELLS) * CELL_M - HALF_M
    return Terrain(height_over_distance(np.hypot(*np.meshgrid(axis, axis))).astype(np.float32))


def bowl(slope: float, foot: float = 5.0) -> World:
    """The bottom of a crater: level up to its foot, then a wall of one slope."""
    return World(seed=1, rocks=(), terrain=ground(lambda r: np.maximum(r - foot, 0.0) * slope))


def test_the_distance_to_a_rocks_side_is_measured() -> None:
    ranges = scan(World(seed=1, rocks=(rock(5.0, 0.0),)))
    assert ranges[AHEAD] == pytest.approx(4.5)
    hit = np.abs(angles()) < math.asin(0.5 / 5.0)
    assert np.isfinite(ranges[hit]).all()
    assert np.isinf(ranges[~hit]).all()


def test_the_scan_turns_with_its_yaw() -> None:
    world = World(seed=1, rocks=(rock(0.0, 4.0),))
    assert angles()[scan(world).argmin()] == pytest.approx(math.pi / 2.0, abs=0.01)
    assert angles()[scan(world, yaw=math.pi / 2.0).argmin()] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(('distance', 'height'), [(1.1, 0.6), (5.0, 0.2), (40.0, 0.6)])
def test_what_is_too_near_too_low_or_too_far_is_not_seen(distance: float, height: float) -> None:
    assert np.isinf(scan(World(seed=1, rocks=(rock(distance, 0.0, height=height),)))).all()


@pytest.mark.parametrize('slope', [0.7, 1.0, 2.0])
def test_a_craters_wall_is_an_echo_where_the_plane_cuts_it(slope: float) -> None:
    ranges = scan(bowl(slope))
    assert ranges == pytest.approx(np.full(641, 5.0 + HEIGHT_M / slope), abs=0.1)


def test_ground_that_can_be_driven_on_ends_the_ray_without_an_echo() -> None:
    assert np.isnan(scan(bowl(0.3))).all()


def test_ground_below_the_plane_is_not_seen() -> None:
    low = World(seed=1, rocks=(), terrain=ground(lambda r: np.clip(r - 5.0, 0.0, 2.0)))
    assert np.isinf(scan(low)).all()


@pytest.mark.parametrize('tilt', [0.0, 1.57])
def test_the_sensor_sits_on_the_head_of_a_leaning_mast(tilt: float) -> None:
    mast, attitude = Mast(), Attitude(z=0.7, roll=0.2, pitch=-0.1)
    mast.positions[TILT] = tilt
    base = Pose2D(3.0, 1.0, 0.4)
    camera, lidar = camera_pose(base, mast, attitude), lidar_pose(base, mast, attitude)
    assert (lidar.x, lidar.y, lidar.z) == pytest.approx((camera.x, camera.y, camera.z))
    assert lidar.yaw == pytest.approx(base.yaw + head_pose(mast).yaw, abs=0.03)


@pytest.mark.slow
def test_a_wall_behind_a_rock_is_hidden_and_a_rock_behind_a_hill_too() -> None:
    wall = bowl(1.0).terrain
    ranges = scan(World(seed=1, rocks=(rock(4.0, 0.0), rock(-12.0, 0.0)), terrain=wall))
    assert ranges[AHEAD] == pytest.approx(3.5)
    assert ranges[0] == pytest.approx(5.0 + HEIGHT_M, abs=0.1)
    gentle = World(seed=1, rocks=(rock(4.0, 0.0), rock(-20.0, 0.0)), terrain=bowl(0.3).terrain)
    ranges = scan(gentle)
    assert ranges[AHEAD] == pytest.approx(3.5)
    assert np.isnan(ranges[0])
