"""The offline model knows when something is to be seen, and when something else is meant."""

from __future__ import annotations

from offline_tools import NO_TOOL, SHIPPED
import pytest

from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task

pytestmark = pytest.mark.long  # the sentence encoder


def plan(goal: str, without: str = '') -> list[Task] | str:
    offered = {name: tool for name, tool in SHIPPED.items() if name != without}
    return make_plan(goal, offered, NO_TOOL)


def tasks_of(goal: str) -> list[Task]:
    found = plan(goal)
    assert isinstance(found, list), found
    return found


@pytest.mark.parametrize(
    ('goal', 'tool'),
    [
        ('What is in front of you? Look.', 'look'),
        ('look', 'look'),
        ('Look around', 'look'),
        ('Take a look', 'look'),
        ('What do you see?', 'look'),
        ('Are there rocks in front of you?', 'look'),
        ('Describe the rocks ahead', 'look'),
        ('前方に何が見えますか', 'look'),
        ('前を見て', 'look'),
        ('看前面', 'look'),
        ('What is on my screen?', 'look_at_screen'),
        ('look at my screen', 'look_at_screen'),
    ],
)
def test_it_looks(goal: str, tool: str) -> None:
    (task,) = tasks_of(goal)
    assert isinstance(task, PlannedCommand)
    assert task.tool == tool
    assert task.arguments.get('question', goal.strip()) == goal


@pytest.mark.parametrize(
    ('goal', 'arguments'),
    [
        ('watch every 5 s', {'every_s': 5}),
        ('watch every 2 minutes', {'every_s': 120}),
        ('Tell me when it gets dark', {'on': True, 'tell_when': 'dark'}),
        ('tell me when it is dark', {'on': True, 'tell_when': 'dark'}),
        ('tell me if anything moves', {'on': True, 'tell_when': 'motion'}),
        ('tell me when something moves', {'on': True, 'tell_when': 'motion'}),
        ('暗くなったら教えて', {'on': True, 'tell_when': 'dark'}),
        ('watch off', {'on': False}),
        ('stop watching', {'on': False}),
    ],
)
def test_it_watches(goal: str, arguments: dict[str, object]) -> None:
    (task,) = tasks_of(goal)
    assert isinstance(task, PlannedCommand)
    assert (task.tool, task.arguments) == ('watch', arguments)


@pytest.mark.parametrize(
    'goal',
    [
        'tell me if you are moving',
        'report if the rover is driving',
        'tell me when you move',
        'tell me when you move something',
        'tell me when to go',
        '行ったら教えて',
        'tell me when it moves when it gets dark',
    ],
)
def test_it_watches_neither_the_robot_itself_nor_half_of_what_is_said(goal: str) -> None:
    assert isinstance(plan(goal), str)


def test_several_things_are_done_in_their_order() -> None:
    tasks = plan('open the mast and look')
    assert [getattr(task, 'tool', '') for task in tasks] == ['mast_open', 'look']


def test_a_search_for_light_is_no_look() -> None:
    assert plan('look for a bright place') == [Search()]


@pytest.mark.parametrize('goal', ['move forward 3 s', 'turn left 3 s'])
def test_driving_is_no_look(goal: str) -> None:
    (task,) = tasks_of(goal)
    assert getattr(task, 'tool', '') in ('move_forward', 'turn_left')


def test_without_the_tool_nothing_looks() -> None:
    found = plan('What do you see?', without='look')
    assert isinstance(found, str) or all(isinstance(each, Question) for each in found)
