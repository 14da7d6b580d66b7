"""Length, tilt, charge and zones: before a motion and while it lasts."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_adapter.motion_guards import Limits
from curiosity_adapter.standstill_by_tf_and_odometry import StandstillMonitor
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.transforms import Transform
from rover_common.reason import sentence_of
from rover_common.robot_time import STANDSTILL_S, RobotTime

SETTINGS = load_config().curiosity
ZONE = KeepOutZone(name='crater', polygon=((4.0, -2.0), (8.0, -2.0), (8.0, 2.0), (4.0, 2.0)))


class Setup:
    def __init__(self, *zones: KeepOutZone) -> None:
        self.now = self.rover_now = 0.0
        self.poses = StandstillMonitor(SETTINGS.motion)
        self.limits = Limits(
            SETTINGS.motion,
            SETTINGS.navigation,
            self.poses,
            KeepOut(zones),
            lambda: self.now,
            lambda: self.rover_now,
        )

    def stand(self, x: float, yaw: float = 0.0, tilt: float = 0.0) -> None:
        lean = Transform(qx=math.sin(tilt / 2.0), qw=math.cos(tilt / 2.0))
        pose = Transform.planar(x, 0.0, yaw, stamp=self.now + 1.0).compose(lean)
        self.poses.update(pose, Now.at(self.now))


def test_what_is_not_measured_is_not_limited() -> None:
    setup = Setup()
    assert setup.limits.refusal('move_forward') is None
    setup.limits.update_battery(math.nan)
    assert setup.limits.battery_pct is None
    with pytest.raises(ValueError, match='percentage 87'):
        setup.limits.update_battery(87.0)
    assert setup.limits.battery_pct is None


def test_a_motion_ends_after_its_longest_time_in_the_rovers_time() -> None:
    setup = Setup()
    setup.limits.motion_began()
    setup.now = setup.rover_now = SETTINGS.motion.longest_s
    assert setup.limits.due('turn_left') is None
    setup.rover_now += 0.1
    assert 'lasted longer than 30 s' in sentence_of(setup.limits.due('turn_left'))
    setup.limits.motion_ended()
    assert setup.limits.due('turn_left') is None


def test_a_clock_that_stands_still_does_not_make_a_motion_endless() -> None:
    setup = Setup()
    clock = RobotTime(7.0, setup.now)
    setup.limits.motion_began()
    for _ in range(round(SETTINGS.motion.longest_s + STANDSTILL_S)):
        assert setup.limits.due('turn_left') is None
        setup.now += 1.01
        setup.rover_now = clock.passed(7.0, setup.now)
    assert 'lasted longer' in sentence_of(setup.limits.due('turn_left'))


@pytest.mark.parametrize(
    ('speed', 'ends_at'), [(1e-4, 30.0), (0.1, 30.0), (0.5, 60.0), (1.0, 30.0), (20.0, 1.5)]
)
def test_where_simulated_time_creeps_steady_time_bounds_a_motion(
    speed: float, ends_at: float
) -> None:
    setup = Setup()
    setup.limits.motion_began()
    for now, ended in ((ends_at - 0.1, False), (ends_at + 0.1, True)):
        setup.now, setup.rover_now = now, now * speed
        assert ('lasted longer' in sentence_of(setup.limits.due('turn_left'))) == ended


@given(tilt=st.floats(0.0, 3.0), yaw=st.floats(-math.pi, math.pi))
def test_tilt_is_limited_whatever_the_heading(tilt: float, yaw: float) -> None:
    setup = Setup()
    setup.stand(0.0, yaw, tilt)
    assert setup.poses.latest is not None
    assert setup.poses.latest.tilt == pytest.approx(tilt, abs=1e-6)
    too_much = setup.poses.latest.tilt > SETTINGS.motion.max_tilt_rad
    assert ('motion.max_tilt_rad' in sentence_of(setup.limits.refusal('move_forward'))) == too_much
    assert ('motion.max_tilt_rad' in sentence_of(setup.limits.due('move_forward'))) == too_much


def test_an_empty_battery_forbids_and_ends_motion() -> None:
    setup = Setup()
    setup.limits.update_battery(0.049)
    assert 'the battery is at 4.9 %, the floor is 5 %' in sentence_of(
        setup.limits.refusal('turn_right')
    )
    assert sentence_of(setup.limits.due('turn_right')).startswith(
        'turn_right was stopped: the battery'
    )
    setup.limits.update_battery(0.05)
    assert setup.limits.refusal('turn_right') is None


def test_a_zone_ahead_ends_the_motion_before_it_is_reached() -> None:
    setup = Setup(ZONE)
    assert 'position is not known' in sentence_of(setup.limits.refusal('move_forward'))
    setup.stand(2.0)
    assert setup.limits.refusal('move_forward') is None
    setup.now += 0.1
    setup.stand(2.7)
    assert "keep-out zone 'crater' is nearer than 1 m" in sentence_of(
        setup.limits.due('move_forward')
    )
    setup.now += 0.1
    setup.stand(3.5, yaw=math.pi)
    assert setup.limits.refusal('move_forward') is None


def test_a_position_that_gets_old_ends_a_motion_where_zones_are() -> None:
    setup = Setup(ZONE)
    setup.stand(0.0)
    assert setup.limits.due('move_forward') is None
    setup.now += SETTINGS.motion.pose_max_age_s + 0.1
    assert 'position is not known' in sentence_of(setup.limits.due('move_forward'))
