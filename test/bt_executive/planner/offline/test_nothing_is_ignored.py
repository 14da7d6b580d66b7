"""A command with one word more, which changes what is wanted, is never carried out without it."""

from __future__ import annotations

import unicodedata

from hypothesis import settings
from offline_tools import plan
import pytest

pytestmark = pytest.mark.long  # the sentence encoder
COMMANDS = [
    'drive forward 10 s',
    'please turn left for 5 seconds',
    'could you rotate the mast?',
    'wait 1 minute',
]
ALL = settings().max_examples > 15  # `make steady`
QUALIFIERS = [
    *('not', 'never', 'or', 'but', 'unless', 'until', 'after', 'before', 'again', 'twice'),
    *('slowly', 'without', 'if', 'when', 'while', 'except', 'instead'),
    *('he', 'was', 'did', 'had', 'should', 'may', 'might', 'no', 'none', 'many', 'all'),
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
    assert isinstance(plan(command), list)
    words = command.split()
    places = (0, len(words) // 2, len(words))
    for number, qualifier in enumerate(QUALIFIERS, COMMANDS.index(command)):
        # Each with each command, and in each place of one of them.
        for place in places if ALL else places[number % 3 :][:1]:
            goal = ' '.join([*words[:place], qualifier, *words[place:]])
            assert isinstance(plan(goal), str), goal


@pytest.mark.parametrize('command', WITHOUT_BLANKS)
def test_the_same_in_japanese_and_chinese(command: str) -> None:
    for goal in [*(word + command for word in BEFORE), *(command + word for word in AFTER)]:
        assert isinstance(plan(goal), str), goal


@pytest.mark.parametrize('command', COMMANDS)
def test_no_command_is_carried_out_once_if_it_is_said_twice(command: str) -> None:
    """Said again with “and” it is done twice; without, nobody knows."""
    once = plan(command)
    assert isinstance(once, list)
    command = command.rstrip('?')
    assert plan(f'{command} and {command}') == [*once, *once]
    assert isinstance(plan(f'{command} {command}'), str)


def test_letters_are_read_however_they_are_put_together() -> None:
    """Some systems write が as か and a mark; wide letters and digits are letters and digits."""
    said = '左に曲がってください'
    apart = unicodedata.normalize('NFD', said)
    assert apart != said
    assert plan(apart) == plan(said)
    assert plan('ｄｒｉｖｅ　ｆｏｒｗａｒｄ　１０　ｓ') == plan('drive forward 10 s')
