"""What must outlive an act is on disk before the act; nothing that ends one waits for a disk."""

from __future__ import annotations

from lives import Lives
import pytest

from bt_executive.core.inputs import ApprovalGiven, ResetRequested, StopRequested
from bt_executive.core.state import Mode
from bt_executive.core.store_port import Durability, StoreCode
from rover_common.permit import NO_PERMIT
from rover_common.reason import Reason

FULL = Reason(StoreCode.DISK_FULL, 'the disk is full')
DRIVE = '/adapter/move_forward'


def go(lives: Lives, ticks: int = 1) -> None:
    for _ in range(ticks):
        lives.all_is_well()
        lives.tick()


def a_drive_waits(lives: Lives) -> None:
    """The disk takes nothing, and a drive was allowed."""
    lives.it.goal('look around')
    go(lives, 2)
    lives.store.at_once = False
    lives.propose('move_forward', duration_s=2.0)
    go(lives, 3)


@pytest.fixture
def waiting() -> Lives:
    lives = Lives()
    a_drive_waits(lives)
    assert lives.it.robot.names == []
    assert lives.it.robot.heartbeat.permit == NO_PERMIT
    return lives


def test_a_call_is_sent_and_permitted_once_its_record_is_on_disk(waiting: Lives) -> None:
    waiting.store.sync()
    go(waiting)
    assert waiting.it.robot.names == [DRIVE]
    assert waiting.it.robot.heartbeat.permit.motion == 'move_forward'
    assert [each.may_move for each in waiting.store.checkpoints('motion')] == [True]


def test_a_disk_that_is_too_slow_fails_the_tool(waiting: Lives) -> None:
    go(waiting, 25)
    (ended,) = waiting.store.of('STEP')
    assert 'The journal cannot be kept: It was not written for 2' in ended.result.error_reason
    (told,) = (each for each in waiting.it.events if each.kind == 'ERROR')
    assert told.data is not None
    assert told.data['result'] is not None
    assert told.data['error_code'] == 'JOURNAL_TIMED_OUT'
    waiting.store.sync()
    go(waiting, 3)
    assert DRIVE not in waiting.it.robot.names
    assert [each.may_move for each in waiting.store.checkpoints('motion')] == [True, False]


def test_the_guards_are_asked_again_after_the_wait(waiting: Lives) -> None:
    waiting.store.sync()
    waiting.it.status(mast='open', mast_is_open=True)
    waiting.tick()
    go(waiting, 2)
    assert DRIVE not in waiting.it.robot.names
    assert waiting.it.robot.heartbeat.permit == NO_PERMIT


def test_a_stop_waits_for_no_disk(waiting: Lives) -> None:
    waiting.it.inbox.put(StopRequested('me'))
    waiting.tick()
    assert set(waiting.it.robot.names) == {'/adapter/move_stop'}


def test_what_may_be_done_twice_waits_for_no_disk() -> None:
    lives = Lives()
    lives.it.goal('look around')
    go(lives, 2)
    lives.store.at_once = False
    lives.propose('get_status')
    go(lives, 3)
    assert lives.it.robot.names


def test_an_approval_is_used_once_it_is_on_disk() -> None:
    lives = Lives('approval.mode=always')
    lives.it.goal('look around')
    go(lives, 2)
    lives.propose('get_status')
    go(lives, 2)
    lives.store.at_once = False
    (request,) = lives.it.context.approvals.waiting()
    lives.it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    go(lives, 3)
    assert lives.it.robot.names == []
    lives.store.sync()
    go(lives)
    assert lives.it.robot.names == [], 'its use has a record, too'
    lives.store.sync()
    go(lives)
    assert len(lives.it.robot.names) == 1


def test_a_fault_fails_the_tool_and_makes_safe_for_as_long_as_it_stands() -> None:
    lives = Lives()
    a_drive_waits(lives)
    lives.store.stands_against = FULL
    go(lives)
    assert lives.it.context.state.tasks.mode is Mode.SAFE
    told: list[str] = []
    lives.it.inbox.put(ResetRequested('me', lambda _ok, why: told.append(why)))
    go(lives)
    assert told == ['Not reset: the journal cannot be kept: the disk is full']
    assert DRIVE not in lives.it.robot.names
    lives.store.stands_against = None
    lives.it.inbox.put(ResetRequested('me', lambda _ok, why: told.append(why)))
    go(lives)
    assert told[1:] == ['reset']
    assert lives.it.messages('OBSERVE').count('The journal is kept again') == 1


def test_with_memory_only_the_robot_goes_on() -> None:
    lives = Lives('journal.on_fault=memory_only')
    lives.store.unkept = Durability.NOT_KEPT
    lives.store.stands_against = FULL
    a_drive_waits(lives)
    assert lives.it.robot.names == [DRIVE]
    assert lives.it.messages('ERROR') == ['Journal: the disk is full']
