"""Numbered lists, bullets and arrows separate clauses; what only looks like a list does not."""

from offline_tools import plan
import pytest

from bt_executive.planner.offline.connectives_lists_and_quotations import without_list_markers
from bt_executive.planner.offline.planned_tasks import tool_name

THREE = ['mast_open', 'capture_and_score', 'mast_close']


@pytest.mark.parametrize(
    'goal',
    [
        '1. raise the mast 2. take a picture 3. lower the mast',
        '1) raise the mast\n2) take a picture\n3) lower the mast',
        '- raise the mast\n- take a picture\n- lower the mast',
        'a) raise the mast b) take a picture c) lower the mast',
        'raise the mast -> take a picture → lower the mast',
        'Step 1: raise the mast, step 2: take a picture, step 3: lower the mast',
        'Please do the following: 1. raise the mast 2. take a picture 3. lower the mast',
        '①マストを上げて ②写真を撮って ③マストを下げて',
        '一、升起桅杆 二、拍张照 三、收起桅杆',
        '第一步，升起桅杆。第二步，拍张照。第三步，收起桅杆',
    ],
)
@pytest.mark.slow
def test_a_list_is_a_sequence(goal: str) -> None:
    planned = plan(goal)
    assert not isinstance(planned, str), planned
    assert list(map(tool_name, planned)) == THREE


@pytest.mark.parametrize(
    'text',
    [
        'turn left in 1. 2. 3.',
        'x: 1. y: 2.',
        '2. raise the mast 3. lower it',  # something is missing before it
        '1. raise the mast',
        'turn left -3 s',
        'say "1. raise the mast 2. take a picture"',
        'say “left -> right”',
    ],
)
def test_what_is_no_list_stays_as_it_is(text: str) -> None:
    assert without_list_markers(text) == text
