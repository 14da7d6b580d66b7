"""Spec 3 property 4: one mode for a state; safety before battery before operator before goals."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import arbitrate
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import (
    BrainState,
    HCIState,
    Mode,
    TasksState,
    UserInterruptType,
    state_from_json,
    state_to_json,
)
from bt_executive.core.surroundings_state import WorldState

STANDS = (UserInterruptType.STOP, UserInterruptType.PAUSE)


EVERYTHING_AT_ONCE = BrainState(
    hci=HCIState(user_interrupt=UserInterruptType.PAUSE),
    world=WorldState(safety_reason='a cliff'),
    robot=RobotState(battery_state='LOW'),
    tasks=TasksState(queue=(Task('1', 'go'),)),
)


@pytest.mark.slow
@given(state=st.from_type(BrainState))
@example(state=EVERYTHING_AT_ONCE)
@example(state=replace(EVERYTHING_AT_ONCE, world=WorldState(), robot=RobotState()))
def test_the_mode_follows_the_order_of_spec_3(state: BrainState) -> None:
    mode = arbitrate(state).mode
    if state.world.safety_reason:
        assert mode is Mode.SAFE
    elif state.robot.battery_state == 'LOW':
        assert mode is Mode.CHARGE
    elif state.hci.user_interrupt in STANDS or not state.tasks.queue:
        assert mode is Mode.IDLE
    else:
        assert mode is Mode.EXEC


@pytest.mark.slow
@given(state=st.from_type(BrainState))
def test_the_same_state_always_has_the_same_mode(state: BrainState) -> None:
    assert arbitrate(state) == arbitrate(state_from_json(state_to_json(state)))


@pytest.mark.slow
@given(state=st.from_type(BrainState))
def test_what_holds_a_goal_back_is_told(state: BrainState) -> None:
    arbitration = arbitrate(state)
    held = state.hci.user_interrupt in STANDS or arbitration.mode in (Mode.SAFE, Mode.CHARGE)
    assert bool(arbitration.preempt_reason) == held
