"""What was said yes to before the end is done; what is known outlives an end without a tick."""

from __future__ import annotations

from collections.abc import Callable

from fakes.core import ADAPTER_STOP, ROVER_STOP
from lives import Lives
import pytest
from statuses import status_of

from bt_executive.client.state_and_approval_text import format_battery
from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalCancelled,
    PauseRequested,
    ResetRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
)
from bt_executive.core.state import UserInterruptType
from bt_executive.tree.persistent_state import ModePart

LATCHED: dict[str, Callable[[Lives], object]] = {
    'SAFE': lambda it: it.it.inbox.put(SafetyEvent('cliff', 'the scanner')),
    'PAUSE': lambda it: it.it.inbox.put(PauseRequested('the operator')),
    'CHARGE': lambda it: it.it.inbox.put(BatteryReceived(it.now, 5.0)),
}


def holds(lives: Lives, name: str) -> bool:
    state = lives.it.context.state
    return {
        'SAFE': state.world.safety_reason == 'cliff',
        'PAUSE': state.hci.user_interrupt is UserInterruptType.PAUSE,
        'CHARGE': state.robot.battery_state == 'LOW',
    }[name]


def says(mode: ModePart, name: str) -> bool:
    return {
        'SAFE': mode.safety_reason == 'cliff',
        'PAUSE': mode.interrupt is UserInterruptType.PAUSE,
        'CHARGE': mode.battery_state == 'LOW',
    }[name]


@pytest.mark.parametrize('name', LATCHED)
@pytest.mark.parametrize('ends', [1, 3])
def test_ends_before_the_first_tick_change_nothing_of_what_is_known(name: str, ends: int) -> None:
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    LATCHED[name](lives)
    lives.tick()
    assert holds(lives, name)
    lives.crash()
    modes = len(lives.store.checkpoints('mode'))
    for _ in range(ends):
        lives.shut_down()
    for mode in lives.store.checkpoints('mode')[modes:]:
        assert says(mode, name)
    lives.tick()
    assert holds(lives, name)


def test_the_first_run_ends_before_its_first_tick_and_enters_no_mode() -> None:
    lives = Lives()
    lives.shut_down()
    assert lives.store.checkpoints('mode') == []


def test_a_goal_of_before_is_left_open_by_an_end_before_the_first_tick() -> None:
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    lives.it.goal('look')
    lives.tick()
    lives.crash()
    lives.shut_down()
    assert lives.ends() == {}
    lives.tick()
    assert [task.goal for task in lives.it.context.state.tasks.queue] == ['look']


@pytest.mark.parametrize('ticked', [True, False], ids=['in a run', 'before the first tick'])
@pytest.mark.parametrize(
    ('event', 'outcome'),
    [
        (StopRequested('the operator'), 'interrupted'),
        (GoalCancelled('goal-look', 'not wanted'), 'interrupted'),
        (SafetyEvent('cliff', '~/safe_stop'), 'failed'),
    ],
    ids=['stop', 'cancel', 'safe stop'],
)
def test_what_came_just_before_the_end_is_applied_before_goals_are_left_open(
    ticked: bool, event: StopRequested | GoalCancelled | SafetyEvent, outcome: str
) -> None:
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    lives.it.goal('look')
    lives.tick()
    lives.crash()
    if ticked:
        lives.tick()
    lives.it.inbox.put(event)
    lives.shut_down()
    assert lives.ends() == {'goal-look': 1}
    assert [end['data']['goal_ended']['outcome'] for end in lives.saved_ends()] == [outcome]
    lives.tick()
    assert lives.it.context.state.tasks.queue == ()
    is_safe = isinstance(event, SafetyEvent)
    assert bool(lives.it.context.state.world.safety_reason) is is_safe


def test_a_reset_just_before_the_end_clears_the_latch() -> None:
    lives = Lives()
    lives.all_is_well()
    lives.it.inbox.put(SafetyEvent('cliff', 'the scanner'))
    lives.tick()
    lives.all_is_well()
    lives.tick()
    lives.it.inbox.put(ResetRequested('the operator'))
    lives.shut_down()
    lives.tick()
    assert lives.it.context.state.world.safety_reason == ''


def test_a_stop_that_the_robot_confirms_while_the_executive_ends_is_owed_by_nobody() -> None:
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    lives.it.inbox.put(StopRequested('the operator'))
    lives.tick()
    it = lives.it
    assert it.context.stops.pending is not None
    it.executive.shut_down()
    assert it.executive.drain()
    heartbeat = it.robot.heartbeat
    heard = {'sender': heartbeat.sender, 'sequence': heartbeat.sequence}
    it.inbox.put(StatusReceived(it.now, status_of({'heartbeat': heard, 'at_rest': True})))
    it.executive.drain()
    assert it.context.stops.pending is None
    assert not lives.store.checkpoints('motion')[-1].may_move
    lives.begin()
    assert not lives.it.context.stops.owed


def test_a_charge_of_before_is_no_number_until_a_reading_comes() -> None:
    lives = Lives()
    lives.all_is_well()
    LATCHED['CHARGE'](lives)
    lives.tick()
    lives.shut_down()
    lives.tick()
    state = lives.it.context.state
    assert (state.robot.battery_pct, state.robot.charge) == (None, 'not known')
    assert format_battery(state.robot) == 'low before the restart, no reading yet'
    assert state.tasks.preempt_reason.startswith('battery low before the restart')
    lives.it.inbox.put(BatteryReceived(lives.it.now, 7.0))
    lives.tick()
    assert lives.it.context.state.tasks.preempt_reason.startswith('battery low: 7 %')


def test_a_status_that_cannot_be_entered_loses_nothing_of_what_came_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the executive waits for the last answers of its end."""
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    lives.it.inbox.put(StopRequested('the operator'))
    lives.tick()
    it = lives.it
    it.executive.shut_down()
    stop = next(each for each in it.context.calls.running() if each.endpoint is None)

    def with_status(*_: object) -> None:
        raise RuntimeError('no such field')

    monkeypatch.setattr('bt_executive.tree.executive.with_status', with_status)
    it.inbox.put(StatusReceived(it.now, status_of({})))
    it.inbox.put(ServerCallUpdate(stop.server_call_id, CallInput.SUCCEED))
    assert it.executive.drain(), 'the robot is not known to stand'
    assert stop.server_call_id not in {each.server_call_id for each in it.context.calls.running()}
    assert any('no such field' in event.message for event in it.events)


@pytest.mark.parametrize('moves', [True, False])
@pytest.mark.parametrize('ticks', [1, 0])
def test_an_end_stops_a_robot_that_no_tool_drives(moves: bool, ticks: int) -> None:
    """A service of a learned robot may latch a motion, and be done at once."""
    lives = Lives()
    lives.all_is_well()
    lives.tick()
    lives.it.status(moving=moves)
    for _ in range(ticks):
        lives.tick()
    robot = lives.it.robot
    lives.shut_down()
    assert {*robot.names} == ({ADAPTER_STOP, ROVER_STOP} if moves else set())
