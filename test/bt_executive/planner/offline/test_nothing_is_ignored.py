"""A command with one word more, which changes what is wanted, is never carried out without it."""

from __future__ import annotations

import unicodedata

from hypothesis import settings
from offline_tools import plan
import pytest

from bt_executive.planner.offline.planned_tasks import tool_name

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
MEANS_THE_SAME = 'wait while 1 minute'  # some languages have one word for both
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
            assert isinstance(plan(goal), str) or goal == MEANS_THE_SAME, goal


@pytest.mark.parametrize('command', WITHOUT_BLANKS)
def test_the_same_in_japanese_and_chinese(command: str) -> None:
    goals = [*(word + command for word in BEFORE), *(command + word for word in AFTER)]
    for goal in goals if ALL else goals[WITHOUT_BLANKS.index(command) % 2 :: 2]:
        assert isinstance(plan(goal), str), goal


# A wish; what is not wanted, or not now, each with its tool; and what joins the two.
BESIDE = [
    (
        ['raise the mast', 'drive forward 3 seconds', 'wait 10 seconds'],
        [
            ("don't turn left for 5 seconds", 'turn_left'),
            ('never go to the shed', 'go_to_remembered'),
            ('no turning right', 'turn_right'),
            ('if it rains, lower the mast', 'mast_close'),
            ('turn left when I whistle', 'turn_left'),
            ('turn right unless it is dark', 'turn_right'),
            ('tomorrow drive to the shed', 'go_to_remembered'),
            ('he said turn left', 'turn_left'),
            ('after lunch turn left', 'turn_left'),
            ('turn left or right', 'turn_left'),
            ('leave the mast up, do not lower it', 'mast_close'),
            ('instead of turning left', 'turn_left'),
        ],
        [', and ', '. ', ' then '],
    ),
    (
        ['マストを上げて', '3秒前に進んで', '10秒待って'],
        [
            ('左に曲がるな', 'turn_left'),
            ('マストは下げないで', 'mast_close'),
            ('右に曲がらなくていい', 'turn_right'),
            ('左に曲がってはいけない', 'turn_left'),
            ('小屋には行かないで', 'go_to_remembered'),
            ('雨が降ったらマストを下げて', 'mast_close'),
            ('合図したら左に曲がって', 'turn_left'),
            ('明日は左に曲がって', 'turn_left'),
            ('左に曲がれと彼が言った', 'turn_left'),
        ],
        ['、', '。'],
    ),
    (
        ['升起桅杆', '前进3秒', '等10秒'],
        [
            ('别左转', 'turn_left'),
            ('不要放下桅杆', 'mast_close'),
            ('桅杆甭放下', 'mast_close'),
            ('不用右转', 'turn_right'),
            ('先别去小屋', 'go_to_remembered'),
            ('下雨的话就放下桅杆', 'mast_close'),
            ('我喊你再左转', 'turn_left'),
            ('明天左转', 'turn_left'),
            ('刚才为什么左转', 'turn_left'),
        ],
        ['，', '。'],
    ),
    (
        ['fahr 3 Sekunden geradeaus', 'warte 10 Sekunden'],
        [
            ('bieg nicht links ab', 'turn_left'),
            ('fahr auf keinen Fall zur Hütte', 'go_to_remembered'),
            ('wenn es regnet, fahr den Mast ein', 'mast_close'),
            ('er sagte, bieg links ab', 'turn_left'),
        ],
        [', und ', '. '],
    ),
]


@pytest.mark.parametrize(
    ('wish', 'other', 'tool', 'joins'),
    [  # each with one wish and one join; `make steady` takes all
        (wish, other, tool, joins if ALL else [joins[(number + number // 3) % len(joins)]])
        for wishes, others, joins in BESIDE
        for number, (other, tool) in enumerate(others)
        for wish in (wishes if ALL else [wishes[number % len(wishes)]])
    ],
)
def test_what_is_denied_or_set_a_condition_is_not_done_beside_a_wish(
    wish: str, other: str, tool: str, joins: list[str]
) -> None:
    """The goal is declined, or the wish alone is carried out."""
    for join in joins:
        for goal in (wish + join + other, other + join + wish):
            planned = plan(goal)
            assert isinstance(planned, str) or tool not in map(tool_name, planned), goal


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
