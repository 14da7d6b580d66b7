"""What a behaviour is handed is what it may change: by type (mypy reads this file), and in truth.

An ignored complaint of mypy that is no longer made is an error, so each line says both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
import typing

from py_trees.behaviour import Behaviour
import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.permits import Permits
from bt_executive.core.state import BrainState
from bt_executive.tree.access import GoalAccess, RoundAccess, ServerAccess, ToolAccess
from bt_executive.tree.behaviours.condition import Condition
from bt_executive.tree.behaviours.leaf import Leaf
from bt_executive.tree.behaviours.operator.wait_while import WaitWhile
from bt_executive.tree.behaviours.planning.idle import Idle
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.context import Context
from bt_executive.tree.facts import Facts
from bt_executive.tree.known import Known
from bt_executive.tree.on_demand import fully_planted
from bt_executive.tree.round import Round

Role = typing.TypeVar('Role', bound=Facts)


@pytest.fixture
def it(bench: MakeBench) -> TreeBench:
    return bench()


def handed(it: TreeBench, role: Callable[..., Role]) -> Role:
    """The bench's context in this role, and nothing else."""
    before = it.context
    return role(before.config, before.registry, before.ports, Known(Permits(it.robot.permit)))


def test_who_reads_changes_nothing(it: TreeBench) -> None:
    facts = handed(it, Facts)
    with pytest.raises(AttributeError):
        facts.state = BrainState()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        facts.round = Round('mine')  # type: ignore[misc]
    with pytest.raises(AttributeError):
        facts.config = it.context.config  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        facts.round.ran = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        facts.robot  # type: ignore[attr-defined]  # noqa: B018 (it raises)


def test_a_guard_changes_the_round_and_reaches_no_robot(it: TreeBench) -> None:
    access = handed(it, RoundAccess)
    access.round = Round('another')
    assert access.round.call_id == 'another'
    with pytest.raises(AttributeError):
        access.state = BrainState()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        access.robot  # type: ignore[attr-defined]  # noqa: B018 (it raises)


def test_a_tool_reaches_neither_state_nor_planner(it: TreeBench) -> None:
    access = handed(it, ToolAccess)
    with pytest.raises(AttributeError):
        access.state = BrainState()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        access.planner  # type: ignore[attr-defined]  # noqa: B018 (it raises)


def test_who_has_the_planner_has_no_robot(it: TreeBench) -> None:
    access = handed(it, GoalAccess)
    with pytest.raises(AttributeError):
        access.robot  # type: ignore[attr-defined]  # noqa: B018 (it raises)
    assert not issubclass(GoalAccess, ServerAccess)


def roles_of(root: Behaviour) -> dict[type[Behaviour], type[Facts]]:
    """Leaf class → the role that the nearest of its bases names."""
    with fully_planted(root):
        leaves = [each for each in root.iterate() if isinstance(each, Leaf)]
    return {type(leaf): role_of(type(leaf)) for leaf in leaves}


def role_of(leaf: type[Leaf[typing.Any]]) -> type[Facts]:
    """The argument of `Leaf[...]` in the head of the class, or of the base that it has."""
    for base in leaf.__mro__:
        for each in getattr(base, '__orig_bases__', ()):
            if typing.get_origin(each) is Leaf:
                role: type[Facts] = typing.get_args(each)[0]
                return role
    raise AssertionError(f'{leaf} names no role')


def test_every_leaf_names_its_role_and_one_alone_has_all(it: TreeBench) -> None:
    roles = roles_of(it.executive.root)
    assert len(roles) >= 20
    assert [leaf for leaf, role in roles.items() if role is Context] == [Sense]
    assert {Condition, WaitWhile, Idle} <= {leaf for leaf, role in roles.items() if role is Facts}
