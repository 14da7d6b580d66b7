"""When two tasks of a plan are one."""

from __future__ import annotations

import pytest

from bt_executive.planner.offline.connectives_lists_and_quotations import (
    Connective,
)
from bt_executive.planner.offline.planned_tasks import (
    LOOK,
    PlannedCommand,
    Question,
    Search,
    Task,
    add,
)

STOP = PlannedCommand('stop')
FOR_3_S, FOR_5_S = (PlannedCommand('drive', {'s': s}, measured=True) for s in (3, 5))
DRIVE = PlannedCommand('drive')
ROCK = PlannedCommand('recall', {'text': 'rock'})
ASKED = Question('status', ('battery',))


@pytest.mark.parametrize('joint', list(Connective))
@pytest.mark.parametrize('same_words', [False, True])
@pytest.mark.parametrize(
    ('first', 'second', 'one'),
    [
        (STOP, DRIVE, None),
        (FOR_3_S, FOR_5_S, None),
        (FOR_3_S, FOR_3_S, None),  # amounts that are said twice are two
        (ROCK, ROCK, ROCK),
        (ASKED, ASKED, ASKED),
        (Search(), PlannedCommand(LOOK), Search()),
        (
            PlannedCommand('watch', {'every_s': 5}),
            PlannedCommand('watch', {'tell_when': 'dark'}),
            PlannedCommand('watch', {'every_s': 5, 'tell_when': 'dark'}),
        ),
    ],
)
def test_what_joins_two_tasks_does_not_matter(
    joint: Connective, same_words: bool, first: Task, second: Task, one: Task | None
) -> None:
    tasks = [first]
    add(second, tasks, joint, same_words)
    assert tasks == ([first, second] if one is None else [one])


@pytest.mark.parametrize(
    ('joint', 'same_words', 'moves', 'is_one'),
    [
        (Connective.COMMA, True, True, True),
        (Connective.PUNCTUATION, False, True, True),
        (Connective.AND, False, False, True),
        (Connective.AND, True, False, False),
        (Connective.THEN, False, False, False),
    ],
)
def test_the_same_tool_in_other_words_is_one_unless_then_joins_them(
    joint: Connective, same_words: bool, moves: bool, is_one: bool
) -> None:
    tasks: list[Task] = [STOP]
    add(STOP, tasks, joint, same_words, moves)
    assert len(tasks) == (1 if is_one else 2)


def test_a_motion_with_an_amount_after_and_is_another_one() -> None:
    tasks: list[Task] = [DRIVE]
    add(FOR_3_S, tasks, Connective.AND, moves=True)
    assert tasks == [DRIVE, FOR_3_S]
    tasks = [DRIVE]
    add(FOR_3_S, tasks, Connective.COMMA, moves=True)
    assert tasks == [FOR_3_S]
