"""Spec 3 property 3: what an operator says is recognised as what it means, in three languages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.stop_and_question_phrases import recognise

COMMANDS = {
    'stop': [
        'stop',
        'halt',
        'stop it',
        'abort',
        *['止まれ', '止まって', '停止', '停下', '停', '别动'],
    ],
    'pause': ['pause', 'wait a moment', 'hold on', '一時停止', 'ちょっと待って', '暂停', '等一下'],
    'resume': ['resume', 'continue', 'go on', '再開', '続けて', '继续'],
}
FRAMES = ['{}', '{}!', '{}。', ' {} ', '{}！', '…{}', '\u3000{}', '"{}"']
POLITE = {
    'latin': ['please {}', '{} now', '{}, please'],
    'ja': ['{}ください'],
    'zh': ['请{}', '{}吧'],
}
HEADS = ['new goal: ', 'change of plan: ', '新しい目標：', '新目标：']
GOALS = ['find light', 'drive to the rock', '岩を探して', '去找阳光']
NOT_COMMANDS = [
    'do not {} until it is bright',
    'never {} at a rock',
    'drive on and then {} where the sun shines',
    'what does {} mean for the rover',
    '{}しないで進んで',
    '不要{}',
    '{}的标志在哪里',
]


def _written(command: str) -> st.SearchStrategy[str]:
    polite = POLITE['latin'] if command.isascii() else ['{}']
    forms = st.sampled_from([command, command.upper(), command.capitalize()])
    return st.builds(
        lambda text, courtesy, frame: frame.format(courtesy.format(text)),
        forms,
        st.sampled_from(['{}', *polite]),
        st.sampled_from(FRAMES),
    )


PAIRS = [(kind, command) for kind, commands in COMMANDS.items() for command in commands]


@given(data=st.data(), pair=st.sampled_from(PAIRS))
@pytest.mark.slow
def test_a_command_is_recognised_however_it_is_written(
    data: st.DataObject, pair: tuple[str, str]
) -> None:
    kind, command = pair
    assert recognise(data.draw(_written(command))).kind == kind


@given(pair=st.sampled_from(PAIRS), frame=st.sampled_from(NOT_COMMANDS))
def test_a_sentence_about_a_command_is_none(pair: tuple[str, str], frame: str) -> None:
    assert recognise(frame.format(pair[1])).kind == 'normal'


@given(head=st.sampled_from(HEADS), goal=st.sampled_from(GOALS))
def test_a_new_goal_is_taken_apart_from_its_announcement(head: str, goal: str) -> None:
    utterance = recognise(head + goal)
    assert (utterance.kind, utterance.text) == ('new_goal', goal)


@given(text=st.text())
@pytest.mark.slow
def test_whatever_is_said_has_one_meaning_and_loses_no_words(text: str) -> None:
    utterance = recognise(text)
    assert utterance == recognise(text)
    assert utterance.kind in {'stop', 'pause', 'resume', 'new_goal', 'normal'}
    assert utterance.text in text
    assert utterance.kind == 'new_goal' or utterance.text == text.strip()
