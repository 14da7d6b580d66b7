"""What a goal comes to where a model hears its wishes one after another."""

from __future__ import annotations

from typing import Any

from offline_tools import plan
import pytest

from bt_executive.planner.offline.planned_tasks import PlannedCommand

pytestmark = pytest.mark.long  # the sentence encoder


@pytest.mark.parametrize(
    ('goal', 'wanted'),
    [
        (
            'Go to the ape house. Take a photo when you get there.',
            [('go_to_remembered', {'text': 'ape house'}), ('capture_and_score', {})],
        ),
        (
            '直行七秒，右拐两秒，直行七秒',  # what is measured last is kept
            [
                ('move_forward', {'duration_s': 7.0}),
                ('turn_right', {'duration_s': 2.0}),
                ('move_forward', {'duration_s': 7.0}),
            ],
        ),
        (
            'turn left for two seconds then carry straight on for eight',
            [('turn_left', {'duration_s': 2.0}), ('move_forward', {'duration_s': 8.0})],
        ),
        ('黄色いヘルメット、前にどこで見かけたっけ？', [('recall', {'text': '黄色いヘルメット'})]),
    ],
)
def test_it_is_understood(goal: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    tasks = plan(goal)
    assert not isinstance(tasks, str), tasks
    assert all(isinstance(each, PlannedCommand) for each in tasks)
    assert [(each.tool, each.arguments) for each in tasks] == wanted  # type: ignore[union-attr]


@pytest.mark.parametrize(
    'goal',
    [
        'もし船が着いたら、マストを上げてください。',
        '人が通るたびに、ちょっと前に出て',
        'Once the pilot boat has moored, take a photo of it.',
        '要是下雨的话,就开回仓库去。',
        'raise the mast, not',
        'could you rotate the mast? but',
        'go to the big rock; x 5 y 3',
        '麻烦往后倒一点',
    ],
)
def test_what_stands_around_a_wish_is_not_left_out_if_it_changes_it(goal: str) -> None:
    assert isinstance(plan(goal), str)
