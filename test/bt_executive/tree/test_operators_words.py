"""What the operator writes into an approval or to a question, through the whole tree."""

from __future__ import annotations

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.inputs import ApprovalGiven, PauseRequested, PoseReceived

DRIVE = '/adapter/navigate_to_pose'
FAR = {'x': 55.0, 'y': -7.0}
ASK_AND_CHECK = ('guards.places=always', 'tools.navigate_to.approve=true')


def stands(it: TreeBench) -> None:
    """The rover is at 0, 0 with its mast closed."""
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))


def test_the_operator_may_edit_the_place_of_a_drive(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('navigate_to', x=1.0, y=0.0), None, overrides=ASK_AND_CHECK)
    stands(it)
    it.goal('drive to x 1, y 0')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'edit', FAR))
    it.until(lambda: DRIVE in it.robot.names)


@pytest.mark.parametrize('words', ['continue', '继续'])
def test_go_on_is_an_answer_unless_a_pause_holds(
    words: str, bench: MakeBench, propose: Propose
) -> None:
    asks = [propose('ask_operator', question='Shall I go on?') for _ in range(2)]
    it = bench(*asks, None)
    stands(it)
    it.goal('look around')
    it.until(lambda: it.context.state.hci.question)
    it.inbox.put(PauseRequested('the operator'))
    it.tick(2)
    it.goal('go on')
    it.until(lambda: it.context.state.hci.question, bound=50)
    it.goal(words)
    it.until(lambda: any(result.ok for result in it.planner.results))
    assert it.planner.results[-1].data['answer'] == words
