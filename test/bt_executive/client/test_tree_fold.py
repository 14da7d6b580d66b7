from __future__ import annotations

from collections.abc import Iterable

from console_views import GOAL, TREE
from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.tree_fold import FoldedRow, TreeNode, fold


def drawn(rows: Iterable[FoldedRow]) -> list[str]:
    return ['  ' * row.depth + ' › '.join(row.names) + f'  {row.message}' for row in rows]


def test_with_room_everything_that_tells_something_is_there() -> None:
    assert drawn(fold(TREE, 12)) == [
        'Executive  ',
        '  Look at the world  EXEC',
        '  Act by priority  ',
        '    Stay safe  ',
        '    Pursue the goal  ',
        f'      Goal active?  {GOAL}',
        '      One round  ',
        '        Check the proposal  allowed',
        '        Run the tool  ',
        '          Mast closed?  Need to close mast',
        '          Drive  1.2 s left',
        '    Idle  waiting for a goal',
    ]


def test_with_less_room_the_deepest_stay() -> None:
    assert drawn(fold(TREE, 3)) == [
        'Executive › Act by priority › Pursue the goal › One round › Run the tool  ',
        '  Mast closed?  Need to close mast',
        '  Drive  1.2 s left',
    ]


def test_on_one_row_stands_what_runs() -> None:
    (row,) = fold(TREE, 1)
    assert (row.names[-1], row.status, row.message) == ('Drive', 'running', '1.2 s left')


def test_a_guard_that_has_nothing_to_say_gets_no_words() -> None:
    root = TreeNode('Executive', 'failure', children=(TreeNode('Battery low?', 'failure', 'no'),))
    assert fold(root, 5) == (FoldedRow(0, ('Executive', 'Battery low?'), 'failure', ''),)


statuses = st.sampled_from(['invalid', 'running', 'success', 'failure'])
trees = st.recursive(
    st.builds(TreeNode, st.text(max_size=5), statuses, st.text(max_size=5)),
    lambda inner: st.builds(
        TreeNode,
        st.text(max_size=5),
        statuses,
        st.text(max_size=5),
        st.lists(inner, max_size=4).map(tuple),
    ),
    max_leaves=30,
)


@given(trees, st.integers(0, 12))
@pytest.mark.slow
def test_the_room_is_kept_and_never_left_empty(root: TreeNode, most: int) -> None:
    rows = fold(root, most)
    assert len(rows) <= most
    assert bool(rows) == bool(most)


@pytest.mark.parametrize('most', [0, -1])
def test_no_room_no_rows(most: int) -> None:
    assert fold(TREE, most) == ()
