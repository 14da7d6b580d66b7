"""Whether the words of a goal ask for an answer and for nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.stop_and_question_phrases import is_question


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
