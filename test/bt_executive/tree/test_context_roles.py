"""What a behaviour is handed is what it may change, by type: mypy reads this file.

An ignored complaint of mypy that is no longer made is an error, so each line says both. The
functions that are no tests are there for mypy alone.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError
import typing

from py_trees.behaviour import Behaviour
import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.call_table import CallTable
from bt_executive.core.state import BrainState
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.behaviours.operator.charge_hold_park_or_end_goals import Idle, WaitWhile
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.branch_conditions import Condition
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import (
    ApprovalAccess,
    GoalAccess,
    ReadAccess,
    RoundAccess,
    ServerAccess,
    StateAccess,
    ToolAccess,
    TraceAccess,
    UpkeepAccess,
)
from bt_executive.tree.planning_round import Round
from bt_executive.tree.subtrees_on_demand import fully_planted
from rover_common.config.load import load_config


@pytest.fixture
def it(bench: MakeBench) -> TreeBench:
    return bench()


def facts_change_nothing(facts: ReadAccess) -> None:
    facts.state = BrainState()  # type: ignore[misc]
    facts.round = Round('mine')  # type: ignore[misc]
    facts.config = load_config()  # type: ignore[misc]
    facts.round.ran = True  # type: ignore[misc]
    facts.robot  # type: ignore[attr-defined]  # noqa: B018 (mypy alone reads it)
    facts.tracer  # type: ignore[attr-defined]  # noqa: B018


def a_guard_changes_the_round_and_reaches_no_robot(access: RoundAccess) -> None:
    access.round = Round('another')
    access.state = BrainState()  # type: ignore[misc]
    access.robot  # type: ignore[attr-defined]  # noqa: B018


def a_tool_reaches_neither_state_nor_planner(access: ToolAccess) -> None:
    access.round = Round('another')
    access.state = BrainState()  # type: ignore[misc]
    access.calls = CallTable()  # type: ignore[misc]
    access.planner  # type: ignore[attr-defined]  # noqa: B018


def who_has_the_planner_has_no_robot(access: GoalAccess) -> None:
    access.state = BrainState()
    access.robot  # type: ignore[attr-defined]  # noqa: B018
    access.permits  # type: ignore[attr-defined]  # noqa: B018


def one_object_has_every_role(
    context: Context,
) -> tuple[ToolAccess, UpkeepAccess, ApprovalAccess, GoalAccess]:
    return context, context, context, context


# Role → what it may put a new value into.
CHANGES: dict[type, set[str]] = {
    ReadAccess: set(),
    TraceAccess: set(),
    RoundAccess: {'composites', 'round'},
    StateAccess: {'state'},
    ServerAccess: set(),
    ToolAccess: {'composites', 'round'},
    UpkeepAccess: {'state', 'to_adopt'},
    ApprovalAccess: {'composites', 'round', 'state'},
    GoalAccess: {'composites', 'round', 'state', 'planner_goal', 'progress', 'requested_acts'},
}


@pytest.mark.parametrize('role', CHANGES, ids=lambda role: role.__name__)
def test_a_role_changes_what_it_says(role: type) -> None:
    given = [vars(each).get('__annotations__', {}) for each in role.__mro__]
    assert {name for each in given for name in each if name[0] != '_'} == CHANGES[role]


def test_a_value_that_is_read_is_immutable(it: TreeBench) -> None:
    with pytest.raises(FrozenInstanceError):
        it.context.round.ran = True  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        it.context.state.world = it.context.state.world  # type: ignore[misc]


def roles_of(root: Behaviour) -> dict[type[Behaviour], type[ReadAccess]]:
    """Leaf class → the role that the nearest of its bases names."""
    with fully_planted(root):
        leaves = [each for each in root.iterate() if isinstance(each, Leaf)]
    return {type(leaf): role_of(type(leaf)) for leaf in leaves}


def role_of(leaf: type[Leaf[typing.Any]]) -> type[ReadAccess]:
    """The argument of `Leaf[...]` in the head of the class, or of the base that it has."""
    for base in leaf.__mro__:
        for each in getattr(base, '__orig_bases__', ()):
            if typing.get_origin(each) is Leaf:
                role: type[ReadAccess] = typing.get_args(each)[0]
                return role
    raise AssertionError(f'{leaf} names no role')


def test_every_leaf_names_its_role_and_one_alone_has_all(it: TreeBench) -> None:
    roles = roles_of(it.executive.root)
    assert len(roles) >= 20
    assert [leaf for leaf, role in roles.items() if role is Context] == [Sense]
    assert {Condition, WaitWhile, Idle} <= {
        leaf for leaf, role in roles.items() if role is ReadAccess
    }
