"""What is said around a wish is no wish, and hides none."""

from __future__ import annotations

from offline_tools import CONFIG, EXAMPLES, calls, plan
import pytest

from bt_executive.planner.offline.clause_parsing import modifiers_of
from bt_executive.planner.offline.offered_tools import example_text
from bt_executive.planner.offline.planned_tasks import PlannedCommand, tool_name
from rover_common.llm.sentence_encoder import sentence_encoder

OPEN, STOP, PHOTO = (
    PlannedCommand(each) for each in ('mast_open', 'move_stop', 'capture_and_score')
)
WISHES = {
    'raise the mast': OPEN,
    'マストを上げて': OPEN,
    '升起桅杆': OPEN,
    'take a picture': PHOTO,
}
AROUND = (
    *('{}, captain', 'we are leaving the hangar, {}', '{} because it is getting dark'),
    *(
        '{}. Our guests are waiting',
        '前面有人，{}',
    ),
)


@pytest.mark.long
@pytest.mark.parametrize('around', AROUND)
@pytest.mark.parametrize('wish', WISHES)
def test_a_wish_is_found_among_what_is_said_around_it(wish: str, around: str) -> None:
    assert plan(around.format(wish)) == [WISHES[wish]]


@pytest.mark.long
@pytest.mark.parametrize('wish', ['raise the mast', 'take a picture', '升起桅杆'])
def test_a_direction_in_an_aside_is_no_wish(wish: str) -> None:
    assert plan(f'{wish}, the cows are on your left') == [WISHES[wish]]


@pytest.mark.long
@pytest.mark.parametrize(
    'goal',
    [
        *(
            'if it rains, raise the mast',
            "s'il pleut, lève le mât",
            '雨が降ったら、マストを上げて',
        ),
        *(
            'raise the mast, not',
            '決してマストを開け',
            '要是下雨，升起桅杆',
            'raise the mast, do not move',
        ),
        *(
            'raise the mast, then dig a hole',
            'we are leaving, captain',
            '穴を掘って、マストを上げて',
        ),
    ],
)
def test_what_sets_a_condition_denies_or_is_another_wish_is_not_left_out(goal: str) -> None:
    assert isinstance(plan(goal), str)


@pytest.mark.long
@pytest.mark.parametrize(
    'goal',
    ['halt! stop right there', 'stop, stop now', '止まれ、止まって', '快停快停', 'stop and halt'],
)
def test_one_wish_to_stop_in_several_words_is_one_stop(goal: str) -> None:
    assert plan(goal) == [STOP]


@pytest.mark.long
def test_what_then_joins_is_two() -> None:
    assert plan('take a picture, then take a picture') == [PHOTO, PHOTO]
    assert plan('turn left and turn left') == [PlannedCommand('turn_left')] * 2


@pytest.mark.long
def test_texts_of_which_nothing_is_known_are_not_alike() -> None:
    rows = sentence_encoder().embed(['瞅瞅', '멈춰'])
    assert not (rows @ rows.T).any()


@pytest.mark.slow
def test_no_example_of_a_tool_that_moves_sets_a_condition_or_denies() -> None:
    """It would open the guard against such goals to every wording near it."""
    moving = {'base', 'mast'}
    said = [
        example_text(each)
        for name, skill in CONFIG.robot.tools.items()
        if moving & {*skill.resources_required}
        for each in EXAMPLES[name]
    ]
    wrong = {'condition: if', 'condition: when', 'condition: until', 'condition: before'}
    found = {each: modifiers_of(each) for each in said}
    assert not [
        each
        for each, kinds in found.items()
        if kinds & wrong or any(kind.startswith('negation') for kind in kinds)
    ]


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('swing the mast round once so I get the whole basin', ['mast_rotate']),
        ('sit tight for half a minute while the foot passengers get by', ['wait']),
        ('wait 10 s so the kids can pass, then nudge ahead', ['wait', 'move_nudge']),
        ('Fahr vorwärts, damit die Gäste vorbeikommen', ['move_forward']),
        ('dreh dich nach links, damit die Kinder was sehen', ['turn_left']),
        ('I have 40 guests waiting, so raise the mast', ['mast_open']),
    ],
)
@pytest.mark.slow
def test_why_something_is_to_be_done_is_no_part_of_it(goal: str, tools: list[str]) -> None:
    planned = plan(goal)
    assert not isinstance(planned, str), planned
    assert list(map(tool_name, planned)) == tools


@pytest.mark.parametrize(
    'goal',
    [
        'turn left because I say so, but not now',
        'turn left because I say so but not now',
        'wait 10 s while the lorry passes, but only if I say so',
        'raise the mast so we can see, unless it rains',
        "raise the mast so we can see but don't do it yet",
    ],
)
def test_what_stands_behind_a_reason_may_take_the_wish_back(goal: str) -> None:
    assert isinstance(plan(goal), str)


@pytest.mark.long
@pytest.mark.parametrize(
    'goal', ['Right, {}', 'OK, right, {}', 'right then, {}', 'Well right, {}, please']
)
def test_right_before_a_wish_is_no_turn(goal: str) -> None:
    assert plan(goal.format('lower the mast')) == [PlannedCommand('mast_close')]


@pytest.mark.long
@pytest.mark.parametrize('goal', ['turn right, take a picture', 'right, left, take a picture'])
def test_right_that_is_a_turn_stays_one(goal: str) -> None:
    assert plan(goal)[0] == PlannedCommand('turn_right')


@pytest.mark.parametrize('words', ['thank you', 'please wait here', 'thanks'])
def test_courtesy_that_is_to_be_spoken_is_spoken(words: str) -> None:
    assert calls(f'say {words}') == [('speak', {'text': words})]


def test_a_greeting_is_not_dropped_for_whom_it_is_meant() -> None:
    assert plan('say hello to the crew') == 'no tool covers “say hello to the crew”'
