"""A command with one word more, which changes what is wanted, is never carried out without it."""

from __future__ import annotations

import unicodedata

import pytest

from bt_executive.planner.offline.plan import make_plan
from bt_executive.planner.offline.toolbox import OfflineTool
from bt_executive.skills.registry import Registry
from rover_common.config.load import load_config

TOOLS = {
    each.name: OfflineTool(each.name, each.description, each.args_schema)
    for each in Registry(load_config()).toolset()
}
COMMANDS = [
    'drive forward 10 s',
    'please turn left for 5 seconds',
    'go to x 5 y 3',
    'open the mast and take a picture',
    'could you rotate the mast?',
    'wait 1 minute',
]
QUALIFIERS = [
    *('not', 'never', 'or', 'but', 'unless', 'until', 'after', 'before', 'again', 'twice'),
    *('slowly', 'in', 'at', 'with', 'without', 'if', 'when', 'while', 'except', 'instead', 'i'),
    *('he', 'was', 'did', 'had', 'can', 'should', 'may', 'might', 'no', 'none', 'many', 'all'),
    *(
        'each',
        'often',
        'always',
        'sometimes',
        'later',
        'why',
        'how',
        'who',
        'half',
        'more',
        'less',
    ),
]
WITHOUT_BLANKS = [
    *('前に5秒進', 'マストを開け', '写真を撮', '左に曲が', '5秒待'),
    *('左转10秒', '打开桅杆', '拍照', '前往 (3, 4)', '关闭桅杆'),
]
BEFORE = ['不', '别', '没', '如果', '刚才', '再也不', 'もし', 'あとで', '決して']
AFTER = [
    'ない',
    'るな',
    'らないで',
    'んで二回',
    'った後',
    'たくない',
    '两次',
    '之后',
    '过',
    '好吗不',
]


@pytest.mark.parametrize('command', COMMANDS)
def test_no_word_that_changes_a_command_is_dropped(command: str) -> None:
    assert isinstance(make_plan(command, TOOLS), list)
    words = command.split()
    for qualifier in QUALIFIERS:
        for place in range(len(words) + 1):
            goal = ' '.join([*words[:place], qualifier, *words[place:]])
            assert isinstance(make_plan(goal, TOOLS), str), goal


@pytest.mark.parametrize('command', WITHOUT_BLANKS)
def test_the_same_in_japanese_and_chinese(command: str) -> None:
    for goal in [*(word + command for word in BEFORE), *(command + word for word in AFTER)]:
        assert isinstance(make_plan(goal, TOOLS), str), goal


@pytest.mark.parametrize('command', COMMANDS)
def test_no_command_is_carried_out_once_if_it_is_said_twice(command: str) -> None:
    """Said again with “and” it is done twice; without, nobody knows."""
    once = make_plan(command, TOOLS)
    assert isinstance(once, list)
    assert make_plan(f'{command} and {command}', TOOLS) == [*once, *once]
    assert isinstance(make_plan(f'{command} {command}', TOOLS), str)


def test_letters_are_read_however_they_are_put_together() -> None:
    """Some systems write が as か and a mark; wide letters and digits are letters and digits."""
    said = '左に曲がってください'
    apart = unicodedata.normalize('NFD', said)
    assert apart != said
    assert make_plan(apart, TOOLS) == make_plan(said, TOOLS)
    assert make_plan('ｄｒｉｖｅ　ｆｏｒｗａｒｄ　１０　ｓ', TOOLS) == make_plan(
        'drive forward 10 s', TOOLS
    )
