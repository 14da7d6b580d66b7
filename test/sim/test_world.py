"""Rocks, battery and the schedule: what else is in the rover's world."""

from __future__ import annotations

import math

import pytest

from curiosity_sim.rover.battery import Battery
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover.mast import TILT, Waypoint
from curiosity_sim.rover.rocks import LANE_HALF_WIDTH_M
from curiosity_sim.rover.rover_body import RESTS_AFTER_S, STANDING, Rover
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config
from rover_common.config.settings.curiosity import RoverSettings

STEP_S = 0.01


def rover_settings(*overrides: str) -> RoverSettings:
    return load_config(None, overrides).curiosity.rover


@pytest.mark.slow
def test_the_same_seed_gives_the_same_world() -> None:
    assert make_world(rover_settings()) == make_world(rover_settings())
    other = make_world(rover_settings('curiosity.rover.seed=8'))
    assert make_world(rover_settings()).rocks != other.rocks


def test_the_lane_ahead_of_the_start_is_free_wherever_the_start_is() -> None:
    settings = rover_settings(
        'curiosity.rover.start={x: -8.0, y: 3.0, yaw_rad: 0.7}', 'curiosity.rover.rocks=400'
    )
    world = make_world(settings)
    named = {each.name for each in world.features}
    rocks = [rock for rock in world.rocks if rock.name not in named]
    assert len(rocks) == 400
    for rock in rocks:
        east, north = rock.x + 8.0, rock.y - 3.0
        ahead = east * math.cos(0.7) + north * math.sin(0.7)
        left = north * math.cos(0.7) - east * math.sin(0.7)
        if 0.0 < ahead < 30.0:
            assert abs(left) - rock.radius >= LANE_HALF_WIDTH_M


def test_the_battery_falls_with_driving_mast_and_camera_and_rises_at_rest() -> None:
    settings = rover_settings().battery
    battery = Battery(settings)
    battery.step(100.0, driving=True, mast_moving=True)
    drained = settings.start - 100.0 * (settings.drive_per_s + settings.mast_per_s)
    assert battery.charge == pytest.approx(drained)
    battery.step(10.0, driving=False, mast_moving=False)
    assert battery.charge == pytest.approx(drained + 10.0 * settings.rest_gain_per_s)
    before = battery.charge
    battery.step(10.0, driving=True, mast_moving=False, camera_on=True)
    lost = 10.0 * (settings.drive_per_s + settings.camera_per_s)
    assert battery.charge == pytest.approx(before - lost)
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


def test_at_rest_an_action_runs_less_often_and_after_it_at_once_again() -> None:
    schedule, ran = Schedule(), list[float]()
    schedule.every(0.1, lambda: ran.append(now), at_rest=0.5)
    for step in range(400):
        now = step * STEP_S
        schedule.run_due(now, resting=1.0 <= now < 2.73)
    assert [at for at in ran if 1.0 <= at <= 3.0] == pytest.approx(
        [1.4, 1.9, 2.4, 2.73, 2.8, 2.9, 3.0]
    )


def test_a_rover_rests_a_while_after_it_has_moved_and_not_while_it_is_asked_to() -> None:
    rover = Rover(rover_settings(), make_world(rover_settings()))

    def pass_time(seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            rover.step(STEP_S)

    assert not rover.rests
    pass_time(RESTS_AFTER_S + 0.1)
    assert rover.rests
    rover.command = DriveCommand(linear=2.0)
    assert not rover.rests
    pass_time(0.1)
    rover.command = STANDING
    pass_time(RESTS_AFTER_S - 0.1)
    assert not rover.rests
    pass_time(0.2)
    assert rover.rests
    rover.mast.follow([Waypoint(0.5, {TILT: 1.0})])
    assert not rover.rests


def test_a_schedule_that_fell_behind_runs_an_action_once() -> None:
    schedule, ran = Schedule(), []
    schedule.every(0.1, lambda: ran.append(1))
    schedule.run_due(0.0)
    schedule.run_due(50.05)
    schedule.run_due(50.06)
    assert len(ran) == 2
