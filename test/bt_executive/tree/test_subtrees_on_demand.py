"""The tree is small at any moment: what does not run is not in it."""

from __future__ import annotations

from pathlib import Path

from py_trees.behaviour import Behaviour
from py_trees.behaviours import StatusQueue
from py_trees.common import Status
import pytest
from rehearsal import MOST_BEHAVIOURS
from tree_bench import make_bench

from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.context import Context
from bt_executive.tree.picture import build_tree
from bt_executive.tree.subtrees_on_demand import (
    Branch,
    OnDemand,
    Otherwise,
    fully_planted,
    on_demand_in,
)
from rover_common.config.load import load_config

ROBOTS = Path(__file__).resolve().parents[3] / 'config' / 'robots'
SHIPPED = (None, *sorted(each for each in ROBOTS.iterdir() if each.is_dir()))
BRANCHES = ('Stay safe', 'Keep charged', 'Pause')  # each may preempt a tool that runs
R, S, F = Status.RUNNING, Status.SUCCESS, Status.FAILURE


def size(*nodes: Behaviour) -> int:
    """How many behaviours are there now."""
    return sum(1 for node in nodes for _ in node.iterate())


def whole_size(node: OnDemand) -> int:
    """How many there are below it, with everything that may be."""
    with fully_planted(node):
        return size(*node.subtrees)


@pytest.mark.parametrize('variant', ['A', 'B'])
@pytest.mark.parametrize('folder', SHIPPED, ids=lambda each: each.name if each else 'curiosity')
def test_with_any_tool_of_a_shipped_robot_the_tree_is_small(
    folder: Path | None, variant: str
) -> None:
    config = load_config(folder, [f'variant={variant}'])
    ports = make_bench().context.ports
    root = build_tree(Context(config, Registry(config), ports))
    found = {each.name: each for each in on_demand_in(root)}
    idle = size(root)
    selected = found['Run the tool']
    assert {each.name for each in selected.subtrees} == {*Registry(config)}
    for tool in selected.subtrees:
        with fully_planted(tool):
            running = idle + size(*found['Pursue the goal'].subtrees) + size(tool)
        preempted = running + max(whole_size(found[name]) for name in BRANCHES)
        assert preempted <= MOST_BEHAVIOURS, f'{tool.name}: {preempted}'
    assert size(root) == idle, 'looking at all of it has changed nothing'


def outcomes(*statuses: Status) -> Behaviour:
    """A leaf with these statuses, one after the other."""
    return StatusQueue('leaf', list(statuses), eventually=None)


def ticked(node: OnDemand) -> tuple[Status, int]:
    """Its status after a tick as the executive does it, and how many subtrees stay planted."""
    node.remove_idle(ended=True)
    *_, last = node.tick()
    node.remove_idle(ended=False)
    assert last is node
    return node.status, len(node.planted())


def test_what_a_branch_does_is_planted_while_its_condition_holds() -> None:
    branch = Branch('branch', outcomes(F, S, S, F, S), outcomes(S, S, S), outcomes(R, R, S))
    assert ticked(branch) == (F, 0)
    assert ticked(branch) == (R, 2)
    assert ticked(branch) == (R, 2)
    assert ticked(branch) == (F, 0)
    assert [each.status for each in branch.subtrees] == [Status.INVALID] * 2
    assert ticked(branch) == (S, 2)
    branch.remove_idle(ended=True)
    assert not branch.planted()


def test_a_remedy_is_planted_while_the_condition_does_not_hold() -> None:
    otherwise = Otherwise('otherwise', outcomes(S, F, F, S, F), outcomes(R, R, F))
    assert ticked(otherwise) == (S, 0)
    assert ticked(otherwise) == (R, 1)
    assert ticked(otherwise) == (R, 1)
    assert ticked(otherwise) == (S, 0)
    assert ticked(otherwise) == (F, 1)


def test_a_behaviour_keeps_its_identity_from_one_run_to_the_next() -> None:
    branch = Branch('branch', outcomes(S, S, F, S), outcomes(R, R, R))
    ids = []
    for _ in range(4):
        ticked(branch)
        ids.append([node.id for node in branch.iterate()])
    assert ids[0] == ids[1] == ids[3]
    assert len(ids[2]) == 2


def test_the_whole_tree_is_in_the_order_of_the_picture_whatever_runs() -> None:
    root = make_bench().executive.root
    with fully_planted(root):
        names = [node.name for node in root.iterate()]
    selected = next(each for each in on_demand_in(root) if each.name == 'Run the tool')
    selected.plant(selected.subtrees[3])
    with fully_planted(root):
        assert [node.name for node in root.iterate()] == names
    assert selected.children == [selected.subtrees[3]]
