"""A tool in steps asks a human if one of its steps does, once, through the real tree."""

from __future__ import annotations

from typing import Any

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, PoseReceived

NAVIGATE = '/adapter/navigate_to_pose'
RECALL = '/memory/recall'
ROCK = {'id': 'n1', 'name': 'Bishop', 'x': 20.0, 'y': 0.0, 'radius_m': 1.0}


def asked_to_go_to_the_rock(
    bench: MakeBench, propose: Propose, overrides: list[str], **goal: Any
) -> TreeBench:
    it = bench(propose('go_to_remembered', text='rock'), Answer('done'), overrides=overrides)
    it.robot.replies = {RECALL: {'ok': True, 'error_code': '', 'reason': '', 'places': [ROCK]}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('go to the rock', **goal)
    return it


@pytest.mark.parametrize(
    ('overrides', 'goal'),
    [
        (['approval.mode=always'], {}),
        ([], {'approve_all': True}),
        (['tools.navigate_to.approve=true'], {}),
    ],
    ids=['always', 'by the goal', 'by the step'],
)
def test_a_tool_whose_step_drives_waits_for_a_human(
    bench: MakeBench, propose: Propose, overrides: list[str], goal: dict[str, Any]
) -> None:
    it = asked_to_go_to_the_rock(bench, propose, overrides, **goal)
    it.until(it.context.approvals.waiting)
    assert it.robot.names == []
    (request,) = it.context.approvals.waiting()
    assert (request.tool, request.arguments) == ('go_to_remembered', {'text': 'rock'})
    assert request.amounts_to == 'drives to the place that the memory names (navigate_to)'
    assert request.risk == 'Moves the base'
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.until(lambda: NAVIGATE in it.robot.names)
    assert it.context.approvals.waiting() == (), 'its steps are not asked for again'


def test_by_default_a_tool_in_steps_waits_for_nobody(bench: MakeBench, propose: Propose) -> None:
    it = asked_to_go_to_the_rock(bench, propose, [])
    it.until(lambda: NAVIGATE in it.robot.names)
