"""A request fits into the model's window, and the goal and its refusals stay in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
import pytest

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.context_and_tools_of_local_models import window_of_ollama
from bt_executive.planner.context_window import (
    as_messages,
    fit_history,
    room_for_request,
    tokens_of,
    tokens_of_messages,
)

GOAL = 'Drive to the crater, take a picture 写真'
HEAD = [SystemMessage('You are a rover. ' * 20), HumanMessage(GOAL)]
REASONS = ['Need to close mast', 'Move in progress', '前進できません', 'The battery has 12 %']
NOTHING_ELSE = 1900  # tokens that head and all different refusals have at most
DATA = st.dictionaries(
    st.text('abcxyz', min_size=1, max_size=8),
    st.one_of(st.text(max_size=400), st.floats(), st.lists(st.integers(), max_size=80)),
    max_size=4,
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(['move_forward', 'recall', 'capture_and_score']),
        st.one_of(
            st.builds(ToolResult, st.just(True), data=DATA),
            st.builds(ToolResult, st.just(False), st.sampled_from(REASONS), DATA),
        ),
    ),
    max_size=40,
)


def conversation(steps: Sequence[tuple[str, ToolResult]]) -> list[BaseMessage]:
    return [
        *HEAD,
        *as_messages((Proposal(tool, tool, {}, 'Now. '), result) for tool, result in steps),
    ]


@pytest.mark.slow
@given(STEPS, st.integers(NOTHING_ELSE, 9000))
def test_whatever_was_done_fits_with_the_goal_and_every_refusal(
    steps: list[tuple[str, ToolResult]], room: int
) -> None:
    kept = fit_history(conversation(steps), lambda told: tokens_of_messages(told) <= room, 24_000)
    assert tokens_of_messages(kept) <= room
    assert kept[1].content == GOAL
    text = '\n'.join(str(each.content) for each in kept)
    for tool, result in steps:
        assert result.ok or result.error_reason in text, (tool, text)


def test_a_refusal_of_long_ago_is_said_once_with_how_often() -> None:
    refused = [('move_forward', ToolResult(False, 'Need to close mast'))] * 3
    seen = [('recall', ToolResult(True, data={'places': 'x' * 900}))] * 30
    kept = fit_history(conversation([*refused, *seen]), lambda _told: True, 6000)
    assert 'move_forward: Need to close mast (3 times)' in str(kept[0].content)


@pytest.mark.slow
def test_what_fits_is_left_alone_and_if_nothing_fits_the_latest_step_stays() -> None:
    seen = ('recall', ToolResult(True, data={'number': 1.5}))
    refused = ('recall', ToolResult(False, 'Move in progress'))
    said = conversation([refused, *[seen] * 40, seen])
    assert fit_history(said, lambda _told: True, 24_000) == said
    least = fit_history(said, lambda _told: False, 24_000)
    assert 'Move in progress' in str(least[0].content)
    assert least[-2:] == said[-2:]


@pytest.mark.parametrize(
    ('text', 'measured'),  # by the tokenizer of SmolLM2
    [
        (
            'Grüße, 写真を撮って 往前走 {"ok":true,"data":{"score":0.123456789,"is_good":false}}',
            54,
        ),
        ('The quick brown fox jumps over the lazy dog and keeps on running to the river.', 17),
        ('MAST_IS_CLOSED ERROR_NAV2 ' * 10, 151),
        ('Fahre vorwärts über den größten Felsen und mache ein Bild. ' * 4, 105),
        ('写真を撮ってください。前進できません、マストを閉じてください。' * 5, 285),
        ('往前开两秒钟然后拍照,电池不够。' * 5, 155),
        ('{"a":[1,2,3],"b":{"c":[[[]]]}}' * 6, 126),
    ],
)
def test_the_count_is_above_that_of_a_small_vocabulary(text: str, measured: int) -> None:
    assert measured <= tokens_of(text) <= 2 * measured


def test_the_answer_has_room_in_a_window_of_any_size() -> None:
    assert room_for_request(8192, 2000) == 6192
    assert room_for_request(2048, 2000) == 1536


@pytest.mark.parametrize(
    ('shown', 'window'),
    [
        ({}, 16384),
        ({'model_info': None}, 16384),
        ({'model_info': {'llama.context_length': 4096, 'llama.block_count': 30}}, 4096),
        ({'model_info': {'qwen3.context_length': 40960}}, 16384),
        ({'model_info': {'llama.context_length': True}}, 16384),
        ({'model_info': {'llama.context_length': 'long'}}, 16384),
    ],
)
def test_the_window_of_ollama_is_what_it_is_asked_for_or_less(
    shown: dict[str, Any], window: int
) -> None:
    assert window_of_ollama(shown) == window
