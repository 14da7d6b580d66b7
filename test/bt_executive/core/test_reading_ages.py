"""Readings that are too old to act on have their age on ~/state."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.core.reading_ages import topic_parts, with_ages
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, state_from_json, state_to_json
from rover_common.clocks import Now
from rover_common.config.load import load_config

SETTINGS = load_config().executive
LIMITS = {
    'pose': SETTINGS.guards.pose_max_age_s,
    'status': SETTINGS.guards.adapter_status_max_age_s,
    'battery': SETTINGS.safety.battery_max_age_s,
}
times = st.none() | st.floats(0.0, 1000.0)


@given(times, times, times, st.floats(1000.0, 2000.0))
def test_every_reading_that_no_guard_would_use_has_its_age(
    pose: float | None, status: float | None, battery: float | None, now: float
) -> None:
    seen = {'pose': pose, 'status': status, 'battery': battery}
    robot = RobotState(pose_at=pose, status_at=status, battery_at=battery)
    state = with_ages(BrainState(robot=robot), Now.at(now), SETTINGS)
    for name, at in seen.items():
        is_old = at is not None and now - at > LIMITS[name]
        assert (name in state.robot.ages) is is_old
        if at is not None and is_old:
            assert abs(state.robot.ages[name] - (now - at)) <= 0.05 + 1e-9
    assert state_from_json(state_to_json(state)) == state


def test_a_reading_that_comes_again_has_none() -> None:
    old = with_ages(BrainState(robot=RobotState(pose_at=0.0)), Now.at(100.0), SETTINGS)
    assert old.robot.ages == {'pose': 100.0}
    again = replace(old, robot=replace(old.robot, pose_at=100.0))
    assert not with_ages(again, Now.at(100.0), SETTINGS).robot.ages


def test_what_topics_have_is_shown_with_its_age_or_why_it_is_not_known() -> None:
    robot = RobotState(
        parts={'door': True, 'charge': 80.0, 'near_m': None, 'status': 'up'},
        parts_at={'charge': 3.0, 'near_m': 1.0, 'status': 9.5},
        parts_unknown={'near_m': 'ranges has nan'},
        status_at=0.0,
    )
    shown = topic_parts(with_ages(BrainState(robot=robot), Now.at(10.0), SETTINGS).robot)
    assert shown == {
        'charge': 'charge 80 (7 s ago)',
        'near_m': 'near m not known: ranges has nan',
        'status': 'status up',  # of its own age, not of that of the adapter's status
    }
