"""Stops that are sent at the start, and until they are confirmed."""

from __future__ import annotations

from fakes.core import ADAPTER_STOP
from lives import Lives
import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalCancelled,
    PoseReceived,
    StopRequested,
)


def go(lives: Lives, ticks: int = 1, moving: bool = False) -> None:
    it = lives.it
    for _ in range(ticks):
        it.inbox.put(BatteryReceived(it.now, 100.0))
        it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, 0.0, it.now))
        it.status(mast='closed', mast_is_open=False, moving=moving)
        lives.tick()


def with_drive(lives: Lives, tool: str = 'move_forward', **arguments: object) -> Lives:
    lives.it.goal('drive', deadline=lives.it.moment.ros + 600.0)
    go(lives, 2)
    lives.propose(tool, **arguments or {'duration_s': 20.0})
    lives.it.until(lambda: lives.it.robot.sent)
    go(lives, 2, moving=True)
    return lives


@pytest.mark.parametrize('end', ['deadline', 'cancelled', 'a better goal', 'none'])
def test_a_drive_is_stopped_whatever_comes_of_its_goal(end: str) -> None:
    lives = with_drive(Lives())
    lives.crash()
    if end == 'deadline':
        lives.it.run_clock(1.0, jump=1000.0)
    elif end == 'cancelled':
        lives.it.inbox.put(GoalCancelled('goal-drive', 'its client cancelled it'))
    elif end == 'a better goal':
        lives.it.goal('better', priority=5)
    go(lives, moving=True)
    assert lives.it.robot.names == [ADAPTER_STOP]
    assert lives.it.context.state.robot.stopping
    go(lives, 10, moving=True)
    assert lives.it.robot.names.count(ADAPTER_STOP) > 1, 'again and again'


@pytest.mark.parametrize('is_answered', [True, False])
@pytest.mark.slow
def test_a_stop_that_was_not_confirmed_is_sent_again(is_answered: bool) -> None:
    lives = with_drive(Lives())
    if is_answered:
        lives.it.robot.reply = {'success': True, 'message': ''}
    lives.it.inbox.put(StopRequested('the operator'))
    go(lives, 30, moving=True)
    for _ in range(2):
        lives.crash()
        go(lives, moving=True)
        assert lives.it.robot.names == [ADAPTER_STOP]
        assert lives.it.context.state.robot.stopping


def test_the_stop_of_a_clean_end_is_seen_to_by_the_next_start() -> None:
    lives = with_drive(Lives())
    lives.shut_down()
    go(lives, moving=True)
    assert lives.it.robot.names == [ADAPTER_STOP]


@pytest.mark.slow
def test_nothing_is_sent_where_the_robot_stood_after_the_last_stop() -> None:
    lives = with_drive(Lives())
    lives.it.inbox.put(StopRequested('the operator'))
    go(lives, 3)
    for _ in range(2):
        lives.crash()
        go(lives, 3)
        assert lives.it.robot.names == []


def test_nothing_is_sent_after_a_drive_that_has_ended_by_itself() -> None:
    lives = with_drive(Lives(), 'navigate_to', x=1.0, y=0.0)
    lives.answer(CallInput.ACCEPT)
    lives.answer(CallInput.SUCCEED, success=True, message='', distance_m=1.0)
    go(lives, 3)
    assert lives.it.context.progress.steps == 1
    lives.crash()
    go(lives, 3)
    assert lives.it.robot.names == []
