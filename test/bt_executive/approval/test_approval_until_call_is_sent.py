"""An approval holds until the request goes out, and only in the situation that was shown."""

from __future__ import annotations

from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, PoseReceived

ROTATE, STOW = '/adapter/mast_rotate', '/adapter/mast_close'
MOVE, STOP = '/adapter/move_forward', '/adapter/move_stop'
RECALL = '/memory/recall'
MOVED = 'Approved for another situation: the robot has moved'
DONE = {'success': True, 'message': ''}
KNOWN = 'guards.mast_known={where: {mast: [open, closed]}, reason: "It moves"}'
ROTATE_WHEN_KNOWN = (
    'approval.mode=always',
    KNOWN,
    'tools.mast_rotate.guards=[adapter_alive, standing_still, mast_known]',
)
NUDGE_AND_RESOLVE = (
    'approval.mode=always',
    KNOWN,
    'tools.move_nudge.guards=[adapter_alive, standing_still, mast_closed, mast_known]',
    'guards.policy={mast_closed: resolve}',
)


def approved(it: TreeBench) -> None:
    """The planner's first tool waits for a human, who agrees."""
    it.goal()
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.tick()
    assert known(it.context.state.hci.approval_response)['accepted']


@pytest.mark.parametrize('changes', [True, False])
@pytest.mark.parametrize('at', ['start', 'all_the_time'])
@pytest.mark.slow
def test_what_changes_while_a_server_is_waited_for_needs_a_new_approval(
    bench: MakeBench, propose: Propose, at: str, changes: bool
) -> None:
    asked = (*ROTATE_WHEN_KNOWN, f'guards.mast_known.at={at}')
    it = bench(propose('mast_rotate'), Answer('done'), overrides=asked)
    it.robot.absent, it.robot.replies = {ROTATE}, {ROTATE: DONE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    approved(it)
    it.pass_time(2.0)
    if changes:
        it.status(mast_is_open=True, mast='open')
    it.pass_time(2.0)
    it.robot.absent = set()
    it.until(lambda: it.reporter.endings)
    (result,) = it.planner.results
    assert (result.ok, it.robot.names) == ((False, []) if changes else (True, [ROTATE]))
    if changes:
        change = 'mast_known was closed, is open'
        assert result.error_reason == f'Approved for another situation: {change}'
        assert result.data['refused_by'] == 'human_approval'


@pytest.mark.parametrize(
    ('tool', 'arguments', 'server'),
    [('move_forward', {'duration_s': 5.0}, MOVE), ('go_to_remembered', {'text': 'rock'}, RECALL)],
    ids=['a drive', 'a step that moves nothing'],
)
def test_a_robot_that_is_moved_while_a_server_is_waited_for_needs_a_new_approval(
    bench: MakeBench, propose: Propose, tool: str, arguments: dict[str, Any], server: str
) -> None:
    outputs = (propose(tool, **arguments), Answer('done'))
    it = bench(*outputs, overrides=['approval.mode=always'])
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.robot.absent = {server}
    it.status(mast_is_open=False, mast='closed', moving=False)
    approved(it)
    it.pass_time(2.0)
    it.inbox.put(PoseReceived(it.now, 5.0, 3.0, 3.1, stamp=it.now))
    it.pass_time(2.0)
    it.robot.absent = set()
    it.until(lambda: it.reporter.endings)
    assert server not in it.robot.names
    assert [each.error_reason for each in it.planner.results] == [MOVED]


@pytest.mark.slow
def test_what_the_tree_itself_makes_true_needs_none(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('done'), overrides=NUDGE_AND_RESOLVE)
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=True, mast='open', moving=False)
    approved(it)
    it.until(lambda: STOW in it.robot.names)
    it.robot.answer(STOW, **DONE)
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [STOW, MOVE, STOP]
    assert it.planner.results[0].ok


def test_who_is_moved_while_the_tree_makes_something_true_needs_a_new_one(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'), overrides=NUDGE_AND_RESOLVE)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.status(mast_is_open=True, mast='open', moving=False)
    approved(it)
    it.until(lambda: STOW in it.robot.names)
    it.robot.answer(STOW, **DONE)
    it.inbox.put(PoseReceived(it.now, 5.0, 0.0, 0.0, stamp=it.now))
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: it.reporter.endings)
    assert MOVE not in it.robot.names
    assert it.planner.results[0].error_reason == MOVED
