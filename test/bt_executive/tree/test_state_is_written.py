"""What spec 3's state declares is written where it has a source, seen through the whole tree."""

from __future__ import annotations

from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, PoseReceived, ServerCallUpdate, StopRequested

MOVE, STOP, NAVIGATE = '/adapter/move_forward', '/adapter/move_stop', '/adapter/navigate_to_pose'
DONE = {'success': True, 'message': ''}
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
