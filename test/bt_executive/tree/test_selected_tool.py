"""One subtree is planted and ticked: that of the proposed tool."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from py_trees.behaviours import StatusQueue
from py_trees.common import Status
import pytest

from bt_executive.core.executive_ports import Proposal
from bt_executive.tree.planning_round import Round
from bt_executive.tree.subtrees_on_demand import SelectedTool

R, S, F = Status.RUNNING, Status.SUCCESS, Status.FAILURE


@pytest.fixture
def context() -> Any:
    return SimpleNamespace(round=Round('call'))


def propose(context: Any, tool: str) -> None:
    context.round = Round('call', Proposal('id', tool, {}, ''))


def made(context: Any, **queues: list[Status]) -> SelectedTool:
    tools = {name: StatusQueue(name, queue, eventually=None) for name, queue in queues.items()}
    return SelectedTool('Run the tool', context, tools)


def ticked(selected: SelectedTool) -> list[tuple[str, Status]]:
    return [(node.name, node.status) for node in selected.tick()]


def names(selected: SelectedTool) -> list[str]:
    return [each.name for each in selected.children]


def test_only_the_proposed_one_is_ticked_and_its_status_counts(context: Any) -> None:
    selected = made(context, look=[S], drive=[R, F])
    propose(context, 'drive')
    assert ticked(selected) == [('drive', R), ('Run the tool', R)]
    assert ticked(selected) == [('drive', F), ('Run the tool', F)]
    assert names(selected) == ['drive'], 'who looks at it after this tick sees how it has ended'
    selected.remove_idle(ended=True)
    assert names(selected) == []


def test_another_proposal_ends_what_ran(context: Any) -> None:
    selected = made(context, look=[S], drive=[R, R])
    propose(context, 'drive')
    ticked(selected)
    propose(context, 'look')
    assert ticked(selected) == [('look', S), ('Run the tool', S)]
    assert names(selected) == ['look']
    assert [each.status for each in selected.subtrees] == [S, Status.INVALID]


def test_preempted_it_ends_its_tool(context: Any) -> None:
    selected = made(context, drive=[R, R])
    propose(context, 'drive')
    ticked(selected)
    selected.stop(Status.INVALID)
    assert (selected.status, selected.children[0].status) == (Status.INVALID, Status.INVALID)
    selected.remove_idle(ended=False)
    assert names(selected) == []


@pytest.mark.parametrize('tool', ['', 'fly'])
def test_without_a_known_proposal_it_fails(context: Any, tool: str) -> None:
    selected = made(context, drive=[R])
    if tool:
        propose(context, tool)
    assert ticked(selected) == [('Run the tool', F)]
