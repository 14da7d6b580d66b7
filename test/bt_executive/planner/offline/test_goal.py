"""Goals that nobody would write: whatever they are, reading them ends soon and moves nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from offline_tools import SHIPPED, calls, plan
import pytest

from bt_executive.planner.offline.argument_filling import unit_of
from bt_executive.planner.offline.clause_parsing import LONGEST_GOAL
from bt_executive.planner.offline.conversation_steps import GiveUp, Transcript
from bt_executive.planner.offline.next_step import decide
from bt_executive.planner.offline.offered_tools import OfflineTool
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question
from embodied_nav.retrieval.count_and_order_queries import parse_form

pytestmark = pytest.mark.long  # the sentence encoder
TOOLS = SHIPPED
PIECES = ['"', '(', '1', '1.', '-', 'x', 'x=', ' ', 'て', 'マ', '桅', '°', 'a_', 'and ', "'", '\n']
WORDS = ['drive', 'forward', '3', '10 s', 'x 5', 'y 2', '(1, 2)', 'mast', 'open', 'not', '桅杆']
WORDS += [
    '打开',
    '進んで',
    'and',
    ',',
    'the',
    'turn',
    'left',
    '90 degrees',
    'what',
    '?',
    'wait',
    '.25 s',
    '>',
]


@pytest.mark.parametrize('piece', PIECES)
def test_an_enormous_goal_is_declined(piece: Any) -> None:
    decision = decide(Transcript(piece * 1_000_000), TOOLS)
    assert isinstance(decision, GiveUp)
    assert f'at most {LONGEST_GOAL} characters' in decision.reason
    assert len(decision.reason) < 1000


@pytest.mark.parametrize('piece', [*PIECES, '\ufdfa', '「', '“'])
def test_the_longest_goal_is_read(piece: Any) -> None:
    goal = (piece * LONGEST_GOAL)[:LONGEST_GOAL]
    assert isinstance(plan(goal), str)


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS), max_size=12).map(' '.join))
def test_whatever_is_said_only_offered_tools_are_planned_with_arguments_that_fit(
    goal: str,
) -> None:
    found = plan(goal)
    for task in [] if isinstance(found, str) else found:
        if isinstance(task, PlannedCommand):
            Draft202012Validator(TOOLS[task.tool].schema).validate(task.arguments)
        elif isinstance(task, Question):
            assert task.tool.startswith(('get_', 'list_'))


@example('forward what')  # a look, whose question is text
@example('3 進んで .25 s')
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(' '.join))
def test_no_number_is_dropped(goal: str) -> None:
    found = plan(goal)
    numbers = sum(goal.count(each) for each in ('3', '10 s', 'x 5', 'y 2', '90', '.25'))
    numbers += 2 * goal.count('(1, 2)')
    if not isinstance(found, str):
        commands = [task for task in found if isinstance(task, PlannedCommand)]
        given = [value for each in commands for value in each.arguments.values()]
        given = [value for value in given if type(value) in (int, float)]
        may_count_items = goal.startswith('3 ')  # of a list
        assert numbers - may_count_items <= len(given) <= numbers
        assert given.count(0.25) == goal.count('.25')


@pytest.mark.parametrize(
    ('name', 'description', 'unit'),
    [
        ('duration_s', '', 's'),
        ('seconds', '', 's'),
        ('duration', 'in seconds', 's'),
        ('distance', '', 'm'),
        ('height_m', '', 'm'),
        ('length', 'Metres ahead.', 'm'),
        ('x', '', 'm'),
        ('angle', '', 'rad'),
        ('angle', 'degrees, to the left', 'deg'),
        ('heading', 'rad; any if left out.', 'rad'),
        ('pan_deg', '', 'deg'),
        ('duration', 'Minutes.', 'min'),
        ('duration', 'In minutes, at most 600 s.', 'min'),
        ('duration', 'In min.', 'min'),
        ('duration', 'Seconds (min 1, max 5).', 's'),
        ('duration', 'min 1, in seconds', 's'),
        ('duration', 'In hours.', 'h'),
        ('duration', 'Milliseconds.', 'ms'),
        ('distance', 'Distance in cm.', 'cm'),
        ('distance', 'mm.', 'mm'),
        ('distance_km', 'metres', 'km'),
        ('speed_cm_s', '', ''),
        ('speed', 'metres per second', ''),
        ('speed_m_s', '', ''),
        ('speed', 'in m/s', ''),
        ('level', "the lamp's", ''),
        ('count', '', ''),
    ],
)
def test_the_unit_of_an_argument_is_what_its_schema_says(
    name: str, description: str, unit: str
) -> None:
    schema = {'properties': {name: {'type': 'number', 'description': description}}}
    assert unit_of(OfflineTool('tool', '', schema), name) == unit


@pytest.mark.long  # the sentence encoder
@pytest.mark.parametrize(
    'goal',
    [
        '最后看到的岩石在哪里',
        '最新看到的石头在哪',
        '最後に見た岩はどこですか',
        '最初に見た岩はどこ',
        'where did you last see the rock?',
        'where is the newest rock?',
    ],
)
def test_first_and_last_are_not_lost_on_the_way_to_the_memory(goal: str) -> None:
    tasks = plan(goal)
    assert not isinstance(tasks, str)
    (task,) = tasks
    assert isinstance(task, PlannedCommand)
    assert task.tool == 'recall'
    assert parse_form(task.arguments['text']).order in ('first', 'last')


@pytest.mark.long
def test_what_it_asks_back_is_in_the_language_of_the_goal() -> None:
    asked = plan('カメラを磨いて')
    assert 'did you mean “カメラを' in str(asked)


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('写真を1枚撮って', ['capture_and_score']),
        (
            'take a picture, wait 2 s and take a picture again',
            ['capture_and_score', 'wait', 'capture_and_score'],
        ),
        ('drive forward for 2 s and only then turn left', ['move_forward', 'turn_left']),
        ('pls drive forward for 2 s, thanks a lot', ['move_forward']),
        ('¡gira a la izquierda!', ['turn_left']),
    ],
)
def test_what_changes_nothing_about_a_wish_is_no_obstacle(goal: str, tools: list[str]) -> None:
    assert [tool for tool, _ in calls(goal)] == tools


@pytest.mark.parametrize(
    'goal', ['写真を2枚撮って', 'turn left again', 'open the mast again twice']
)
def test_what_does_change_it_is_still_declined(goal: str) -> None:
    assert isinstance(plan(goal), str)


@pytest.mark.parametrize('goal', ['列出所有的话题', 'list all topics'])
def test_all_of_what_is_listed_is_listed(goal: str) -> None:
    assert calls(goal) == [('list_topics', {})]
