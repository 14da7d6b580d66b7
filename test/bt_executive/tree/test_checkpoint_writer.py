"""What a tick writes into the store, and what waits until it is on disk."""

from __future__ import annotations

from typing import Any

from driving_bench import DONE, MOVE, STOP
from known import known
from lives import Lives
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    PauseRequested,
    PoseReceived,
    ResetRequested,
    ResumeRequested,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode
from bt_executive.core.store_port import Durability, StoreCode
from rover_common.permit import NO_PERMIT
from rover_common.reason import Reason

NAVIGATE = '/adapter/navigate_to_pose'
CLOSED = {'mast_is_open': False, 'mast': 'closed', 'moving': False}
PIT = 'keep_out=[{name: pit, polygon: [[40, 2], [60, 2], [60, 4]]}]'


def stand_at(it: TreeBench, x: float) -> None:
    it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=it.now))


@pytest.fixture
def nudging(bench: MakeBench, propose: Propose) -> TreeBench:
    it = bench(propose('move_nudge'), Answer('there'))
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(**CLOSED)
    it.goal('drive')
    it.until(lambda: MOVE in it.robot.names)
    return it


@pytest.fixture
def navigating(bench: MakeBench, propose: Propose) -> TreeBench:
    """On the way to x 6, y 0 from x 1, y 0."""
    it = bench(propose('navigate_to', x=6.0, y=0.0), Answer('so be it'))
    it.status(**CLOSED)
    stand_at(it, 1.0)
    it.goal('go there')
    it.until(lambda: NAVIGATE in it.robot.names)
    return it


def tell(it: TreeBench, happened: CallInput, **fields: Any) -> None:
    (server_call_id, _) = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))
    it.tick()


def test_the_configured_zones_are_there_from_the_start(bench: MakeBench) -> None:
    world = bench(overrides=[PIT]).context.state.world
    assert (world.zones, world.summary) == (('pit',), 'Keep-out zones: pit.')


@pytest.mark.slow
def test_a_result_has_the_time_and_the_way_that_it_took(nudging: TreeBench) -> None:
    it = nudging
    stand_at(it, 0.0)
    it.tick()
    began = it.now
    while not it.context.state.skills.last_result:
        it.pass_time(0.1)
        stand_at(it, min(0.48 * (it.now - began), 2.4))
    last = known(it.context.state.skills.last_result)
    assert (last.status, last.error_code) == ('SUCCESS', '')
    assert last.metrics['distance_m'] == pytest.approx(2.4)
    assert last.metrics['robot_s'] == pytest.approx(5.0, abs=0.5)
    assert last.metrics['wall_s'] == pytest.approx(5.0, abs=0.5)


def test_a_tool_that_was_called_off_has_a_result_too(nudging: TreeBench) -> None:
    it = nudging
    it.goal('better', priority=5)
    it.tick()
    last = known(it.context.state.skills.last_result)
    assert (last.status, last.error_code) == ('CANCELLED', 'CANCELLED')
    assert set(last.metrics) == {'robot_s', 'wall_s', 'distance_m'}


def test_a_goal_names_the_resources_of_the_tools_that_it_uses(nudging: TreeBench) -> None:
    it = nudging
    assert known(it.context.task).resources_required == ('base',)
    it.goal('by hand', tool='capture_and_score')
    it.tick()
    by_hand = it.context.state.tasks.queue[-1]
    assert by_hand.resources_required == ('camera',)


def test_the_way_to_the_target_is_what_the_feedback_says(navigating: TreeBench) -> None:
    it = navigating
    it.tick()
    assert it.context.state.robot.distance_to_target == pytest.approx(5.0), 'in a straight line'
    tell(it, CallInput.ACCEPT)
    tell(it, CallInput.PROGRESS, distance_left=6.5, time_left=13.0)
    assert it.context.state.robot.distance_to_target == 6.5
    tell(it, CallInput.SUCCEED, error_code='', message='Arrived')
    it.until(lambda: it.reporter.endings)
    assert it.context.state.robot.distance_to_target == 0.0


def test_the_way_to_the_target_does_not_become_shorter_in_a_pause(navigating: TreeBench) -> None:
    it = navigating
    tell(it, CallInput.ACCEPT)
    tell(it, CallInput.PROGRESS, distance_left=6.5, time_left=13.0)
    (server_call_id, _) = it.robot.sent[-1]
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.pass_time(1.0)
    assert it.context.calls.get(server_call_id) is None, 'it has ended'
    assert it.context.state.robot.distance_to_target == 6.5


def test_a_place_where_a_drive_was_blocked_is_an_obstacle(navigating: TreeBench) -> None:
    it = navigating
    tell(it, CallInput.ACCEPT)
    stand_at(it, 3.0)
    tell(it, CallInput.FAIL, error_code='NAV_BLOCKED', message='A rock')
    it.until(lambda: it.context.state.world.obstacles)
    (met,) = it.context.state.world.obstacles
    assert (met['x'], met['y'], met['tool'], met['reason']) == (3.0, 0.0, 'navigate_to', 'A rock')
    assert it.context.state.world.summary == 'Drives were blocked once, the last one: A rock'


def test_the_words_of_an_interrupt_are_kept(nudging: TreeBench) -> None:
    it = nudging
    it.goal('止まって')
    it.tick()
    assert it.context.state.hci.user_utterance == '止まって'
    it.inbox.put(StopRequested('the console'))
    it.tick()
    assert it.context.state.hci.user_utterance == '止まって', 'a button says nothing'


def test_edited_arguments_stand_in_the_answer_to_a_request(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_forward', duration_s=9.0), overrides=['approval.mode=always'])
    it.status(**CLOSED)
    it.goal('drive')
    it.until(lambda: it.context.approvals.waiting())
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'edit', {'duration_s': 1.0}))
    it.tick()
    assert it.context.state.hci.approval_response == {
        'id': request.request_id,
        'action': 'edit',
        'word': '',
        'ruling': f'Request {request.request_id} is approved with a change, '
        'move_forward(duration_s=9.0) to move_forward(duration_s=1.0), which is checked again',
        'arguments': {'duration_s': 1.0},
        'accepted': True,
    }
    (told,) = [each.data for each in it.events if each.message.startswith('edit by')]
    assert told is not None
    assert told['approval']['amounts_to'] == '1 s, about 0.48 m straight ahead'
    it.until(lambda: [each for each in it.events if each.kind == 'DECIDE' and each.ok])
    (allowed,) = [each.data for each in it.events if each.kind == 'DECIDE' and each.ok]
    assert allowed is not None
    assert allowed['edited'] is True


def test_a_decision_names_the_calls_that_follow_from_it(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('so be it'))
    it.status(**{**CLOSED, 'mast_is_open': True, 'mast': 'open'})
    it.goal('look')
    it.until(lambda: '/capture_and_score' in it.robot.names)
    (server_call_id, _) = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.LOSE))
    it.until(lambda: it.context.state.react.decision)
    decision = known(it.context.state.react.decision)
    assert decision.type.value == 'RETRY'
    assert decision.ops == ({'tool': 'capture_and_score', 'arguments': {}},)


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


def test_a_call_that_waits_longer_than_its_own_time_was_not_called() -> None:
    lives = Lives('robot.tools.move_forward.timeout_s=1.0')
    a_drive_waits(lives)
    go(lives, 15)
    (ended,) = lives.store.of('STEP')
    reason = f'{DRIVE} was not called within 1 s: it waited for the journal'
    assert ended.result.error_reason.startswith(reason)
    assert DRIVE not in lives.it.robot.names


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


def test_a_call_is_on_disk_with_its_goal_also_when_another_one_goes_in_that_tick() -> None:
    """Killed then, the next run knows for whom it was, and does not call again."""
    pick = '{action: {name: /pick, type: demo/action/Pick}, args: {}, timeout_s: 9.0}'
    lives = Lives(f'robot.tools.pick={pick}')
    lives.it.inbox.put(PauseRequested('me'))
    lives.it.goal('look around')
    go(lives)
    lives.it.goal('pick it', tool='pick', arguments={}, priority=1)
    go(lives)
    lives.store.at_once, begun = False, lives.store.latest
    lives.it.inbox.put(ResumeRequested('me'))
    lives.it.inbox.put(GoalCancelled('goal-look around', 'cancelled'))
    go(lives)
    lives.store.synced = begun + 1  # what the call waits for, and nothing of the tick's end
    go(lives)
    assert lives.it.robot.names[-1] == '/pick'
    lives.crash()
    assert lives.saved_goals() == ['pick it', 'look around']
    go(lives, 10)
    assert lives.it.robot.names == []
    assert lives.ends() == {'goal-pick it': 1}


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


def test_the_picture_of_a_member_outlives_the_executive() -> None:
    """Its member has ended and is not called again; its score counts for the goal."""
    photo = 'robot.tools.photo={sequence: [capture_and_score, {wait: {seconds: 60}}]}'
    lives = Lives(photo, 'tools.capture_and_score.guards=[]')
    go(lives)
    lives.it.goal('by hand', tool='photo')
    go(lives, 4)
    assert lives.it.robot.names == ['/capture_and_score']
    lives.answer(CallInput.ACCEPT)
    lives.answer(ok=True, debug='', stamp=1.0, score=0.1, is_good=False)
    go(lives, 2)
    lives.crash()
    progress = lives.it.context.progress
    assert (progress.last_score, progress.last_is_good) == (0.1, False)
