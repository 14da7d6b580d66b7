"""Rocks, lidar, battery and the schedule: what else is in the rover's world."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bt_executive.config import load_config
from curiosity_sim.rover.battery import Battery
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import LANE_HALF_WIDTH_M, Rock, make_world

STEP_S = 0.01


def rover_settings(*overrides: str):
    return load_config(None, overrides).curiosity.rover


def test_the_same_seed_gives_the_same_world() -> None:
    assert make_world(rover_settings()) == make_world(rover_settings())
    other = make_world(rover_settings('curiosity.rover.seed=8'))
    assert make_world(rover_settings()).rocks != other.rocks


def test_the_lane_ahead_of_the_start_is_free_wherever_the_start_is() -> None:
    settings = rover_settings(
        'curiosity.rover.start={x: -8.0, y: 3.0, yaw_rad: 0.7}', 'curiosity.rover.rocks=400'
    )
    rocks = make_world(settings).rocks
    assert len(rocks) == 400
    for rock in rocks:
        east, north = rock.x + 8.0, rock.y - 3.0
        ahead = east * math.cos(0.7) + north * math.sin(0.7)
        left = north * math.cos(0.7) - east * math.sin(0.7)
        if 0.0 < ahead < 30.0:
            assert abs(left) - rock.radius >= LANE_HALF_WIDTH_M


def test_the_lidar_measures_the_distance_to_a_rocks_side() -> None:
    rock = Rock(x=5.0, y=0.0, radius=0.5, height=0.6, colour=(1, 2, 3), shape_seed=1)
    lidar = Lidar(rays=641)
    ranges = lidar.scan([rock], 0.0, 0.0, 0.0)
    assert ranges[320] == pytest.approx(4.5)
    half_width = math.asin(0.5 / 5.0)
    hit = np.abs(lidar.angles) < half_width
    assert np.isfinite(ranges[hit]).all()
    assert np.isinf(ranges[~hit]).all()


def test_the_lidar_turns_with_its_yaw() -> None:
    rock = Rock(x=0.0, y=4.0, radius=0.5, height=0.6, colour=(1, 2, 3), shape_seed=1)
    lidar = Lidar(rays=641)
    to_the_left = lidar.scan([rock], 0.0, 0.0, 0.0)
    assert lidar.angles[to_the_left.argmin()] == pytest.approx(math.pi / 2.0, abs=0.01)
    ahead = lidar.scan([rock], 0.0, 0.0, math.pi / 2.0)
    assert lidar.angles[ahead.argmin()] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(('distance', 'height'), [(1.1, 0.6), (5.0, 0.2), (40.0, 0.6)])
def test_the_lidar_does_not_see_what_is_too_near_too_low_or_too_far(
    distance: float, height: float
) -> None:
    rock = Rock(x=distance, y=0.0, radius=0.5, height=height, colour=(1, 2, 3), shape_seed=1)
    assert np.isinf(Lidar().scan([rock], 0.0, 0.0, 0.0)).all()


def test_the_battery_falls_with_driving_and_mast_and_rises_at_rest() -> None:
    settings = rover_settings().battery
    battery = Battery(settings)
    battery.step(100.0, driving=True, mast_moving=True)
    drained = settings.start - 100.0 * (settings.drive_per_s + settings.mast_per_s)
    assert battery.charge == pytest.approx(drained)
    battery.step(10.0, driving=False, mast_moving=False)
    assert battery.charge == pytest.approx(drained + 10.0 * settings.rest_gain_per_s)
    battery.step(1e9, driving=False, mast_moving=False)
    assert battery.charge == 1.0
    battery.step(1e9, driving=True, mast_moving=False)
    assert battery.charge == 0.0
    assert battery.voltage == pytest.approx(24.0)


def test_the_schedule_keeps_its_periods_over_a_long_time() -> None:
    schedule, ran = Schedule(), []
    schedule.every(0.1, lambda: ran.append('odometry'))
    schedule.every(1.0, lambda: ran.append('battery'))
    for step in range(1, 1001):
        schedule.run_due(step * STEP_S)
    assert ran.count('odometry') == pytest.approx(100, abs=1)
    assert ran.count('battery') == pytest.approx(10, abs=1)


def test_a_schedule_that_fell_behind_runs_an_action_once() -> None:
    schedule, ran = Schedule(), []
    schedule.every(0.1, lambda: ran.append(1))
    schedule.run_due(0.0)
    schedule.run_due(50.05)
    schedule.run_due(50.06)
    assert len(ran) == 2
