"""One subtree is ticked: that of the proposed tool."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from py_trees.behaviours import StatusQueue
from py_trees.common import Status
import pytest

from bt_executive.core.ports import Proposal
from bt_executive.tree.behaviours.tools.selected_tool import SelectedTool

R, S, F = Status.RUNNING, Status.SUCCESS, Status.FAILURE


@pytest.fixture
def brain() -> Any:
    return SimpleNamespace(round=SimpleNamespace(proposal=None))


def propose(brain: Any, tool: str) -> None:
    brain.round.proposal = Proposal('id', tool, {}, '')


def made(brain: Any, **queues: list[Status]) -> SelectedTool:
    tools = {name: StatusQueue(name, queue, eventually=None) for name, queue in queues.items()}
    return SelectedTool('Run the tool', brain, tools)


def ticked(selected: SelectedTool) -> list[tuple[str, Status]]:
    return [(node.name, node.status) for node in selected.tick()]


def test_only_the_proposed_one_is_ticked_and_its_status_counts(brain: Any) -> None:
    selected = made(brain, look=[S], drive=[R, F])
    propose(brain, 'drive')
    assert ticked(selected) == [('drive', R), ('Run the tool', R)]
    assert ticked(selected) == [('drive', F), ('Run the tool', F)]
    assert selected.children[0].status is Status.INVALID


def test_another_proposal_ends_what_ran(brain: Any) -> None:
    selected = made(brain, look=[S], drive=[R, R])
    propose(brain, 'drive')
    ticked(selected)
    propose(brain, 'look')
    assert ticked(selected) == [('look', S), ('Run the tool', S)]
    assert selected.children[1].status is Status.INVALID


def test_preempted_it_ends_its_tool(brain: Any) -> None:
    selected = made(brain, drive=[R, R])
    propose(brain, 'drive')
    ticked(selected)
    selected.stop(Status.INVALID)
    assert (selected.status, selected.children[0].status) == (Status.INVALID, Status.INVALID)


@pytest.mark.parametrize('tool', ['', 'fly'])
def test_without_a_known_proposal_it_fails(brain: Any, tool: str) -> None:
    selected = made(brain, drive=[R])
    if tool:
        propose(brain, tool)
    assert ticked(selected) == [('Run the tool', F)]
