"""What is not safe by itself, at its limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_executive.core.causes_of_safe import causes_in_state
from bt_executive.core.robot_state import Pose
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.load import load_config

EXECUTIVE = load_config(None, ['safety.required=[battery, tf]']).executive
NOW = 1000.0


def causes(**robot: Any) -> tuple[str, ...]:
    state = BrainState()
    state = replace(state, robot=replace(state.robot, **robot))
    return causes_in_state(state, Now.at(NOW), EXECUTIVE.safety, EXECUTIVE.guards)


def test_nothing_stands_against_driving_at_the_start() -> None:
    assert causes() == ()


@pytest.mark.parametrize(
    ('robot', 'cause'),
    [
        ({'pose': Pose(tilt=0.61)}, 'tilt 0.61 rad is over the limit of 0.6 rad'),
        ({'pose': Pose(tilt=float('nan'))}, 'tilt nan rad is over the limit of 0.6 rad'),
        ({'status_at': NOW - 1.6}, 'the adapter is silent'),
        ({'battery_at': NOW - 5.1}, 'the battery state is stale'),
        ({'pose_at': NOW - 2.1}, 'the position is stale'),
    ],
)
def test_a_cause_stands_beyond_its_limit(robot: dict[str, Any], cause: str) -> None:
    assert causes(**robot) == (cause,)


@pytest.mark.parametrize(
    'robot',
    [
        {'pose': Pose(tilt=0.6)},
        {'status_at': NOW - 1.5},
        {'battery_at': NOW - 5.0},
        {'pose_at': NOW - 2.0},
    ],
)
def test_at_its_limit_it_does_not(robot: dict[str, Any]) -> None:
    assert causes(**robot) == ()


def test_every_cause_is_told() -> None:
    assert len(causes(pose=Pose(tilt=1.0), status_at=0.0, battery_at=0.0, pose_at=0.0)) == 4
