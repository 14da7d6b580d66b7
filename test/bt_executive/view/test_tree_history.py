"""A failure that only says "not my turn" is told apart from a refusal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.view.tree_history import changes, displayed_letters

#            root  safe  safety?  goal  check
PARENTS = [None, 0, 1, 0, 3]


def test_a_failure_without_reason_and_its_branch_are_skipped() -> None:
    told = displayed_letters(PARENTS, list('RFFRR'), ['', '', 'no', '', ''])
    assert ''.join(told) == 'RNNRR'


def test_a_guard_with_a_reason_has_refused_and_so_has_its_branch() -> None:
    told = displayed_letters(PARENTS, list('FFFFF'), ['', '', 'no', '', 'Need to close mast'])
    assert ''.join(told) == 'FNNFF'


def test_a_branch_that_goes_on_after_a_refusal_is_not_refused() -> None:
    told = displayed_letters(PARENTS, list('RFFSF'), ['', '', 'no', '', 'Mast is closed'])
    assert ''.join(told) == 'RNNSF'


@given(st.data())
@pytest.mark.slow
def test_only_failures_are_displayed_differently(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 30))
    parents = [None, *(data.draw(st.integers(0, index - 1)) for index in range(1, size))]
    letters = data.draw(st.lists(st.sampled_from('IRSF'), min_size=size, max_size=size))
    words = data.draw(st.lists(st.sampled_from(['', 'no', 'why']), min_size=size, max_size=size))
    told = displayed_letters(parents, letters, words)
    for old, new in zip(letters, told, strict=True):
        assert new == old or (old, new) == ('F', 'N')


def test_only_what_is_other_than_before_is_a_change() -> None:
    assert changes(['I', 'R'], ['I', 'S']) == {1: 'S'}
