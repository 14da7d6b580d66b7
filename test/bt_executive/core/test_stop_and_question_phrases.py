"""Spec 3 property 3: commands and questions are recognised for what they mean."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.stop_and_question_phrases import Utterance, is_question, recognise

MEANINGS = {
    'stop': """stop|STOP!!|stop now|please stop|halt|stop the rover|emergency stop|all stop|E-STOP
        |Stop.|'stop'|stoooop|stop stop stop|can you stop?|Please stop the rover immediately!
        |Wait, stop!|No, stop!|Stop! There is a cliff|instead, stop|don't move|stop right there
        |stand still|Stay where you are!|come to a stop, please|BRAKE!|Whoa, stop!|cancel that
        |stop all motion|stop the motors|cancel all goals
        |停まれ|停まって|あぶない、止まれっ|はいストップ|そこで停止|その場で止まれ
        |刹住|打住!别动!|哎哎哎,停下!|吁——停！|紧急停车！|立即停止运动|别走了,停车|別動|不要動|緊急停車|終止任務
        |止まれ|止まって|停止|ストップ|やめて|緊急停止|ｽﾄｯﾌﾟ|ストーーップ|すとっぷ|トマレ|止まってください！
        |ローバーを止めて|今すぐ止まれ|止まれ！前に岩がある
        |停|停下|停止|快停下来|停停停|请马上停下|停下来！|停车|别动|紧急停止|ｓｔｏｐ！|请 stop""",
    'pause': """pause|Pause please|wait|Wait!|wait a moment|hold on|just a second|stop for a moment
        |一時停止|ちょっと待って|待ってください|ちょっと止まって
        |暂停|暫停|暫停一下|停一停|等一會兒|暂停一下|停一下|等一下|请稍等""",
    'resume': """resume|continue|go on|please continue|ok, carry on|you can continue now
        |再開|続けて|続けてください|続行せよ|继续|继续吧|请继续|繼續|繼續前進|恢復任務""",
    'new_goal': """new goal: drive to the rock|NEW GOAL: look|instead, look around
        |stop, new goal: look around|please, new task: stop at the rock
        |新しい目標：岩を見る|新目標:止まらずに進む|代わりに、左を見て|新目标：去看石头|新的目标：不要停
        |新任務：去看石頭|換個目標：去看石頭""",
    'normal': """do not stop until it is bright|don't stop|Do not stop!|never stop|stop at the rock
        |drive until you reach the bus stop|pause the music later|stop and turn left|no stop
        |non-stop|stopwatch|stopping|when should I stop?|why did you stop?|wait until noon
        |continue to the rock|instead of driving, look around|go on until it is bright
        |new goal|new goal:|please|the rover|hold the mast up|stop, drive to the rock
        |止まらずに進んで|止まるな|止まらないで|停止線まで進んで|停止しないで|一時停止線まで|待っている間に撮って
        |やめないで|続けて進んだら止まって|再開できる？|代わりに
        |不要停|别停|别停下来|停车场在哪里|停不停|不要停下|停止条件是什么|等到天亮|继续拍照|别动那块石头
        |stay where the light is|cancel the picture|stand still until it is bright
        |brake at the rock|別動那塊石頭|打住宿点的电话|停まれるか|そこで待つ岩|はい|あっ|oh|哎
        |||...|！？|123""",
}
COMMANDS = [
    (kind, text.strip())
    for kind in ('stop', 'pause', 'resume')
    for text in MEANINGS[kind].split('|')
]
MARKS = st.characters(categories=['P', 'S', 'Zs', 'Cc', 'Cf'], exclude_characters=',，、:：')
STOP_WORDS = ['stop', 'halt', '止まれ', '停止', 'ストップ', '停', '停下']
FOREIGN = [
    'until',
    "don't",
    'bright',
    'rock',
    'sign',
    '線',
    'まで',
    'ない',
    '不',
    '场',
    '石头',
    '7',
]


@pytest.mark.parametrize(
    ('kind', 'text'),
    [(kind, text.strip()) for kind, texts in MEANINGS.items() for text in texts.split('|')],
)
def test_what_is_said_is_recognised(kind: str, text: str) -> None:
    assert recognise(text).kind == kind


@pytest.mark.parametrize(
    ('text', 'goal'),
    [
        ('New goal: Drive to the Rock.', 'Drive to the Rock.'),
        ('ｎｅｗ　ｇｏａｌ： １００ m north', '１００ m north'),
        ('instead, look left, then right', 'look left, then right'),
        ('新しい目標：停止線まで進んで', '停止線まで進んで'),
        ('new goal: do not stop!', 'do not stop!'),
    ],
)
def test_a_new_goal_is_given_in_the_operators_own_words(text: str, goal: str) -> None:
    assert recognise(text) == Utterance('new_goal', goal)


@pytest.mark.slow
@given(st.sampled_from(STOP_WORDS), st.text(MARKS, max_size=12), st.text(MARKS, max_size=12))
def test_a_stop_word_alone_stops_in_any_decoration(word: str, before: str, after: str) -> None:
    assert recognise(before + word + after).kind == 'stop'


@given(st.sampled_from(COMMANDS), st.data())
def test_case_width_and_composition_change_nothing(
    command: tuple[str, str], data: st.DataObject
) -> None:
    kind, text = command
    upper = [data.draw(st.booleans()) for _ in text]
    cased = ''.join(
        each.upper() if up else each.lower() for each, up in zip(text, upper, strict=True)
    )
    wide = ''.join(chr(ord(each) + 0xFEE0) if '!' <= each <= '~' else each for each in cased)
    for written in (cased, wide, unicodedata.normalize('NFD', cased)):
        assert recognise(written).kind == kind


@given(
    st.sampled_from(STOP_WORDS),
    st.lists(st.sampled_from(FOREIGN), max_size=3),
    st.lists(st.sampled_from(FOREIGN), max_size=3),
    st.sampled_from([' ', '', ', ']),
)
def test_a_stop_word_inside_a_longer_sentence_never_stops(
    word: str, before: list[str], after: list[str], gap: str
) -> None:
    if not before and not after:
        before = ['until']
    assert recognise(gap.join([*before, word, *after])).kind == 'normal'


@pytest.mark.slow
@pytest.mark.parametrize('part', ['stop ', 'please ', 'new goal: ', 'stop,', '停', 'right now '])
def test_very_long_words_do_not_hang(part: str) -> None:
    """With time that grows as the square of the length, the limit for each test ends this one."""
    recognise(part * 10_000 + 'x')


@pytest.mark.parametrize(
    'text',
    [
        'what can you do',
        'What is the battery?',
        "where's the rover",
        'how far did you drive?',
        'is the mast open?',
        'tell me the state of the battery',
        'please show me what you see',
        'can you tell me where you are?',
        'the position?',
        'list the topics',
        'hello',
        '現在のローバーの状態を教えて',
        '電池はいくつですか？',
        'マストは開いていますか',
        '電池は？',
        '你能做什么？',
        '电池还有多少？',
        '请告诉我你的位置',
    ],
)
def test_these_ask(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    'text',
    [
        '',
        '  ',
        'drive forward 3 seconds',
        'drive forward 3 seconds?',
        'can you drive on?',
        'could you please open the mast?',
        'will you go to the rock?',
        'What do you see? Then drive on',
        'tell me the battery and drive home',
        'show me the battery, then open the mast',
        'the quick brown fox',
        'do raise the mast and take a picture',
        'have a look around',
        'Analyze the ground texture',
        '3秒進んで',
        '3秒進んでくれますか？',
        '前进三秒',
        '你能往前开吗？',
    ],
)
def test_these_ask_for_something_to_be_done_or_for_nothing_clear(text: str) -> None:
    assert not is_question(text)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert is_question(text) in (True, False)
