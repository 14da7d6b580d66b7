"""The rover on real ground: it tilts, slips, is stopped by rocks and steep slopes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from curiosity_sim.rover.attitude import rotation, settle
from curiosity_sim.rover.blocking_rocks_and_slopes import (
    HALF_LENGTH_M,
    HALF_WIDTH_M,
    RockObstacles,
)
from curiosity_sim.rover.kinematics import DriveCommand, advance
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, LEVEL, Terrain
from curiosity_sim.rover.world import World
from rover_common.config.load import load_config
from rover_common.config.settings.world import Feature, WheelSettings
from rover_common.geometry.planar_motion import Pose2D

STEP_S = 0.01
FORWARD = DriveCommand(2.0, 0.0)


def plane(east: float, north: float) -> Terrain:
    axis = np.arange(CELLS) * CELL_M - HALF_M
    x, y = np.meshgrid(axis, axis)
    return Terrain((east * x + north * y).astype(np.float32))


def stone(x: float, y: float, radius: float = 0.5, height: float = 0.6) -> Rock:
    return Rock(x, y, radius, height, (60, 60, 60), 1, name='Stone')


def drive(world: World, seconds: float, command: DriveCommand = FORWARD) -> Rover:
    rover = Rover(load_config().curiosity.rover, world)
    rover.command = command
    for _ in range(round(seconds / STEP_S)):
        rover.step(STEP_S)
    return rover


@pytest.mark.parametrize('command', [FORWARD, DriveCommand(1.0, 0.4), DriveCommand(1.0, -0.4)])
def test_on_perfect_ground_the_closed_form_holds(command: DriveCommand) -> None:
    rover = drive(World(seed=1, rocks=()), 20.0, command)
    exact = advance(Pose2D(), command, 20.0)
    assert (rover.pose.x, rover.pose.y, rover.pose.yaw) == pytest.approx(
        (exact.x, exact.y, exact.yaw), abs=1e-6
    )


@pytest.mark.slow
def test_a_rock_ahead_stops_the_rover_at_its_side_and_is_named() -> None:
    rover = drive(World(seed=1, rocks=(stone(5.0, 0.3),)), 20.0)
    assert rover.pose.x == pytest.approx(5.0 - 0.5 - HALF_LENGTH_M, abs=0.01)
    assert 'Stone' in (rover.blocked_by or '')
    assert rover.motion.speed == 0.0
    rover.command = DriveCommand()
    rover.step(STEP_S)
    assert rover.blocked_by is None


@pytest.mark.slow
def test_a_low_rock_and_one_beside_the_track_do_not_stop_it() -> None:
    rocks = (stone(4.0, 0.0, height=0.2), stone(6.0, HALF_WIDTH_M + 0.55))
    rover = drive(World(seed=1, rocks=rocks), 20.0)
    assert rover.pose.x == pytest.approx(20.0 * FORWARD.speed)


@pytest.mark.long
@given(st.floats(-1.0, 1.0), st.sampled_from([FORWARD, DriveCommand(1.0, 0.4)]))
def test_the_rover_never_gets_into_a_rock(y: float, command: DriveCommand) -> None:
    rock = stone(3.0, y)
    pose = drive(World(seed=1, rocks=(rock,)), 12.0, command).pose
    east, north = rock.x - pose.x, rock.y - pose.y
    ahead = abs(east * math.cos(pose.yaw) + north * math.sin(pose.yaw)) - HALF_LENGTH_M
    aside = abs(north * math.cos(pose.yaw) - east * math.sin(pose.yaw)) - HALF_WIDTH_M
    assert math.hypot(max(ahead, 0.0), max(aside, 0.0)) >= rock.radius - 0.01


def test_a_step_away_from_a_rock_is_free() -> None:
    obstacles = RockObstacles([stone(0.0, 0.0)])
    inside, further = Pose2D(1.0, 0.0, 0.0), Pose2D(1.01, 0.0, 0.0)
    assert obstacles.met(inside, further) is None
    assert obstacles.met(further, inside) is not None


def test_who_leaves_one_rock_is_stopped_by_the_next() -> None:
    """As when a rock that was taken away comes back where the rover stands."""
    ahead = stone(2.5, 0.0)
    obstacles = RockObstacles([stone(-1.0, 0.0), ahead])
    before, step_m = Pose2D(ahead.x - ahead.radius - HALF_LENGTH_M - 0.001), 0.01
    assert obstacles.met(Pose2D(before.x - step_m), before) is None
    assert obstacles.met(before, Pose2D(before.x + step_m)) is ahead


@pytest.mark.slow
def test_the_stance_follows_a_slope_in_every_heading() -> None:
    terrain = plane(0.2, 0.0)
    uphill = settle(terrain, Pose2D(3.0, 1.0, 0.0))
    assert (uphill.z, uphill.pitch, uphill.roll) == pytest.approx(
        (0.6, -math.atan(0.2), 0.0), abs=1e-3
    )
    across = settle(terrain, Pose2D(3.0, 1.0, math.pi / 2.0))
    assert (across.pitch, across.roll) == pytest.approx((0.0, -math.atan(0.2)), abs=1e-3)
    up = rotation(math.pi / 2.0, across.pitch, across.roll) @ (0.0, 0.0, 1.0)
    assert up == pytest.approx(np.array([-0.2, 0.0, 1.0]) / math.hypot(0.2, 1.0), abs=1e-3)


@pytest.mark.slow
def test_slopes_and_sand_take_their_part_of_the_way() -> None:
    level = drive(World(seed=1, rocks=(), wheels=WheelSettings(slip=0.1)), 10.0)
    assert level.pose.x == pytest.approx(0.9 * 10.0 * FORWARD.speed)
    wheels = WheelSettings(slip_per_slope=1.0)
    uphill = drive(World(seed=1, rocks=(), terrain=plane(0.2, 0.0), wheels=wheels), 10.0)
    assert uphill.pose.x == pytest.approx((1.0 - math.atan(0.2)) * 10.0 * FORWARD.speed, rel=1e-3)
    backwards = DriveCommand(-2.0, 0.0)
    downhill = drive(
        World(seed=1, rocks=(), terrain=plane(0.2, 0.0), wheels=wheels), 10.0, backwards
    )
    assert downhill.pose.x == pytest.approx(
        (1.0 + math.atan(0.2)) * 10.0 * backwards.speed, rel=1e-3
    )
    sand = Feature(name='Sand', kind='sand', x=0.0, y=0.0, size_m=50.0, slip=0.6)
    assert drive(World(seed=1, rocks=(), features=(sand,)), 10.0).pose.x == pytest.approx(
        0.4 * 10.0 * FORWARD.speed
    )


@pytest.mark.slow
def test_a_slope_that_is_too_steep_stops_the_rover() -> None:
    grid = plane(0.0, 0.0).heights.copy()
    start = round((6.0 + HALF_M) / CELL_M)
    grid[:, start:] += np.arange(CELLS - start) * CELL_M * 1.0
    rover = drive(World(seed=1, rocks=(), terrain=Terrain(grid)), 30.0)
    assert 'slope' in (rover.blocked_by or '')
    assert 4.0 < rover.pose.x < 6.0


@pytest.mark.slow
def test_noise_comes_from_the_seed() -> None:
    wheels = WheelSettings(noise=0.1)
    first, again, other = (
        drive(World(seed=seed, rocks=(), wheels=wheels), 10.0, DriveCommand(1.0, 0.4)).pose
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    exact = advance(Pose2D(), DriveCommand(1.0, 0.4), 10.0)
    assert math.dist((first.x, first.y), (exact.x, exact.y)) < 0.6


def test_level_ground_has_no_stance() -> None:
    attitude = settle(LEVEL, Pose2D(100.0, -100.0, 1.0))
    assert (attitude.z, attitude.roll, attitude.pitch) == (0.0, 0.0, 0.0)
