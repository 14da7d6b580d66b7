"""What an event changes in the state."""

from __future__ import annotations

import pytest

from bt_executive.inbox import (
    BatterySeen,
    Event,
    GoalCancelled,
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    StatusSeen,
    StopRequested,
)
from bt_executive.kernel.observe import observe
from bt_executive.settings import BatteryLimits
from bt_executive.state import BrainState

LIMITS = BatteryLimits(low_pct=20.0, resume_pct=60.0, lost_after_s=30.0)
STOP, PAUSE, RESUME = StopRequested('x'), PauseRequested('x'), ResumeRequested('x')


def after(*events: Event) -> BrainState:
    state = BrainState()
    for event in events:
        state = observe(state, event, LIMITS)
    return state


@pytest.mark.parametrize(
    ('percents', 'word'),
    [
        ([20.0], 'OK'),
        ([19.9], 'LOW'),
        ([19.9, 20.1, 59.9], 'LOW'),
        ([19.9, 60.0], 'OK'),
        ([19.9, 60.0, 30.0], 'OK'),
    ],
)
def test_a_low_battery_is_low_until_it_has_risen_enough(percents: list[float], word: str) -> None:
    events = [BatterySeen(1.0, each) for each in percents]
    assert after(*events).robot.battery_state == word


@pytest.mark.parametrize(
    ('events', 'word'),
    [
        ([PAUSE], 'PAUSE'),
        ([PAUSE, RESUME], 'NONE'),
        ([STOP, PAUSE], 'STOP'),
        ([STOP, RESUME], 'STOP'),
        ([PAUSE, STOP], 'STOP'),
        ([RESUME], 'NONE'),
    ],
)
def test_a_stop_outlasts_every_other_word(events: list[Event], word: str) -> None:
    assert after(*events).hci.user_interrupt.value == word


def test_the_first_safety_event_gives_the_reason_and_an_empty_one_counts() -> None:
    assert after(SafetyEvent('', 'x')).world.safety_reason == 'Safety event without a reason'
    first = after(SafetyEvent('cliff', 'x'), SafetyEvent('dust', 'x'))
    assert first.world.safety_reason == 'cliff'


@pytest.mark.parametrize('value', ['yes', 1, 0, None, [], {}])
def test_a_status_that_is_no_flag_is_not_known(value: object) -> None:
    status = {'mast_is_open': value, 'moving': value, 'mast': 3}
    robot = after(StatusSeen(1.0, {'mast_is_open': True}), StatusSeen(2.0, status)).robot
    assert (robot.mast_is_open, robot.moving, robot.mast) == (None, None, None)


def test_other_events_are_not_the_states_business() -> None:
    assert after(GoalCancelled('1', 'x')) == BrainState()
