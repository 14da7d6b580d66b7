"""Which acts a goal asks for: in several languages, of any robot, and nothing left open."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from offline_tools import CONFIG, NO_TOOL, SHIPPED, tools_of
import pytest

from bench.models.fitting import read_wordings
from bt_executive.core.executive_ports import ToolOffer
from bt_executive.core.requested_acts import RequestedAct
from bt_executive.planner.offline.acts_in_text import asked_acts
from rover_common.config.settings.skills import SkillExample

pytestmark = pytest.mark.long  # the sentence encoder
NOTHING = {'type': 'object', 'properties': {}}
METRES = {'type': 'object', 'properties': {'distance_m': {'type': 'number'}}}
ARM = {
    'pick_up': ('pick up the {red box}', 'grab the {cup}', '{赤い箱}を取って'),
    'put_down': ('put it down on the {table}', '{机}の上に置いて'),
    'roll': ('roll 2 m forward',),
    'home': ('move the arm to its home position',),
}
OTHER_ROBOT = tools_of(
    (ToolOffer(name, '', METRES if name == 'roll' else NOTHING, 1.0) for name in ARM),
    {name: tuple(SkillExample(say=say) for say in told) for name, told in ARM.items()},
)


@cache  # three tests ask for the same wordings
def asked(goal: str) -> tuple[RequestedAct, ...]:
    return asked_acts(goal, SHIPPED, NO_TOOL)


def names(acts: tuple[RequestedAct, ...]) -> list[str]:
    return [each.tools[0] for each in acts if each.tools]


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('Raise the mast and take a picture.', ['mast_open', 'capture_and_score']),
        ('Could you put the mast up, then snap a photo?', ['mast_open', 'capture_and_score']),
        ('Raise the mast once around noon', []),
        ('Stop, stop!', ['move_stop']),
        ('マストを上げて写真を撮ってもらえますか', ['mast_open', 'capture_and_score']),
        ('写真を撮ってから左に曲がって', ['capture_and_score', 'turn_left']),
        ('升起桅杆，然后拍照', ['mast_open', 'capture_and_score']),
        ('升起桅杆拍一张照片', ['mast_open', 'capture_and_score']),
        ('向左转，再向前开三秒', ['turn_left', 'move_forward']),
        ('Biege links ab und mach ein Foto', ['turn_left', 'capture_and_score']),
        ('Before you take a picture, raise the mast', ['mast_open', 'capture_and_score']),
        # What is denied, asked, left open, or hangs on a condition, is no wish.
        ('Do not take a picture, just raise the mast', ['mast_open']),
        ('Raise the mast, and if it is dark, take a picture', ['mast_open']),
        ('Raise the mast, if it is dark', []),
        ('如果天黑了就拍照', []),
        ('暗くなったら写真を撮って', []),
        ('take a picture or raise the mast', []),
        ('要么左转要么右转', []),
        ('take a picture in five minutes', []),
        ('sing a song', []),
    ],
)
def test_acts_that_the_words_ask_for(goal: str, tools: list[str]) -> None:
    assert names(asked(goal)) == tools


@pytest.mark.parametrize(
    'goal',
    ['Drive forward for 6 seconds', 'drive ahead for six seconds', '前に6秒進んで', '向前开六秒'],
)
def test_how_much_is_asked_for(goal: str) -> None:
    (act,) = asked(goal)
    assert act.amounts['move_forward'] == ('duration_s', 6.0)
    assert act.seconds == 6.0


@pytest.mark.parametrize(
    ('goal', 'seconds', 'metres'),
    [
        ('drive 1 m ahead case Cwrong', 0.0, 1.0),
        ('swoosh forth for 4 s qwx', 4.0, 0.0),
        ('raise the mast, then brrp zork 3 metres', 0.0, 3.0),
        ('brrp zork 2 m three times', 0.0, 6.0),
    ],
)
def test_of_what_is_not_understood_it_is_known_how_much(
    goal: str, seconds: float, metres: float
) -> None:
    act = asked(goal)[-1]
    assert (act.tools, act.seconds, act.metres) == ((), seconds, metres)


@pytest.mark.parametrize(
    'goal',
    [
        'the rock is 3 m away',
        'a 3 m tall rock',
        'what is 3 m tall?',
        'do not zork 3 m',
        'if it is 3 m away, zork',
        'zork in 3 minutes',
        'brrp zork 3',
    ],
)
def test_an_amount_that_is_no_wish_is_none(goal: str) -> None:
    assert [each for each in asked(goal) if not each.tools] == []


def test_small_numbers_before_a_unit_are_numbers_and_once_is_none() -> None:
    first, second = asked('Drive ahead for two seconds, then sweep the mast once around')
    assert first.amounts['move_forward'] == ('duration_s', 2.0)
    assert (second.tools[0], second.amounts) == ('mast_rotate', {})


@pytest.mark.parametrize(
    ('goal', 'times'),
    [
        ('take a picture', 1),
        ('take three pictures', 3),
        ('Take 2 photos and raise the mast', 2),
        ('take two pictures', 2),
        ('take a picture twice', 2),
        ('take a picture two times', 2),
        ('sweep the mast around three times', 3),
        ('please take five shots of the ground', 5),
        ('take 3 pictures of the 2 rocks', 3),
        ('拍两张照片', 2),
        ('拍三次照', 3),
        ('写真を3枚撮って', 3),
        ('写真を十枚撮って', 10),
        ('two photos please', 2),
        ('マストを2回回して', 2),
        ('mach drei Fotos', 3),
        # Which one, of what, and how large: not how often.
        ('take picture 2 again', 1),
        ('take the two pictures', 1),
        ('take a 5 megapixel picture', 1),
        ('拍第二张照片', 1),
        ('走两步', 1),  # one drive, of some metres
        ('写真を2回目に撮って', 1),
    ],
)
def test_how_often_is_asked_for(goal: str, times: int) -> None:
    assert asked(goal)[0].times == times


@pytest.mark.parametrize(
    'goal',
    [
        'drive forward for 2 seconds three times',
        'Drive forward three times, two seconds each time.',
        'drive forward three times, 2 seconds each',
        'drive forward twice, 3 seconds each time',
    ],
)
def test_how_often_counts_for_how_much(goal: str) -> None:
    (act,) = asked(goal)
    assert (act.tools[0], act.seconds) == ('move_forward', 6.0)
    assert act.times == (2 if 'twice' in goal else 3)
    assert act.amounts['move_forward'] == ('duration_s', 6.0)


def test_metres_are_kept_where_no_argument_takes_them() -> None:
    (act,) = asked('drive forward 3 metres')
    assert (act.metres, act.amounts) == (3.0, {})


def test_a_place_is_kept() -> None:
    (act,) = asked('Go to x 8, y 0.')
    assert (act.tools[0], act.arguments) == ('navigate_to', {'x': 8.0, 'y': 0.0})


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('pick up the blue cup and put it down on the shelf', ['pick_up', 'put_down']),
        ('赤い箱を取って、アームを元の位置に戻して', ['pick_up', 'home']),
        ('please pick up whatever lies there', ['pick_up']),  # by its name
        ('把机械臂移到初始位置', ['home']),
    ],
)
def test_any_robots_tools_are_known_by_a_few_examples(goal: str, tools: list[str]) -> None:
    assert names(asked_acts(goal, OTHER_ROBOT)) == tools


def test_an_amount_of_another_robot() -> None:
    (act,) = asked_acts('roll forward 150 cm', OTHER_ROBOT)
    assert act.amounts == {'roll': ('distance_m', 1.5)}


def test_a_robot_without_tools_is_asked_for_nothing() -> None:
    assert asked_acts('take a picture', {}) == ()


@pytest.mark.parametrize(
    'name',
    [
        'wordings.yaml',
        'wordings_of_four_languages.yaml',
        '../../../../bench/models/wordings_of_four_languages.yaml',
    ],
)
def test_what_a_wording_amounts_to_is_all_that_it_asks_for(name: str) -> None:
    """No act is asked for that is not among the calls which somebody wrote beside the wording."""
    wordings = read_wordings(Path(__file__).parent / name)
    wrong = [each['text'] for each in wordings if each.get('calls') and _asks_more(each)]
    assert len(wrong) <= 0.01 * len(wordings), wrong


def test_no_wording_is_to_be_done_more_often_than_somebody_wrote() -> None:
    wrong = []
    for name in ('wordings.yaml', 'wordings_of_four_languages.yaml'):
        wordings = read_wordings(Path(__file__).parent / name)
        for each in wordings:
            tools = [call['tool'] for call in each.get('calls') or ()]
            wrong += [
                each['text']
                for act in (asked(each['text']) if tools else ())
                if act.times > max(1, *(tools.count(tool) for tool in act.tools))
            ]
    assert wrong == []


def test_what_a_wording_amounts_to_comes_to_how_much_it_says() -> None:
    """Some call that somebody wrote takes what an unclear part says, or it says no amount."""
    wrong, count = [], 0
    for name in ('wordings.yaml', 'wordings_of_four_languages.yaml'):
        wordings = read_wordings(Path(__file__).parent / name)
        for each in (wording for wording in wordings if wording.get('calls')):
            count += 1
            unread = [act for act in asked(each['text']) if not act.tools]
            taken = {call['tool'] for call in each['calls']}
            wrong += [each['text'] for act in unread if not taken & set(act.amounts)]
    assert len(wrong) <= 0.01 * count, wrong


def _asks_more(wording: dict[str, Any]) -> bool:
    calls = {each['tool'] for each in wording['calls']}
    acts = (each for each in asked(wording['text']) if each.tools and _acts(each.tools[0]))
    return any(not calls & set(each.tools) for each in acts)


def _acts(tool: str) -> bool:
    skill = CONFIG.robot.tools[tool]
    return skill.acts and not skill.reads_only and skill.interface_type != 'internal'
