from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
import pytest

from bt_executive.planner.model_message_reading import ANSWER_LIMIT, THOUGHT_LIMIT, MessageReader
from rover_common.llm.model_message_text import text_of

IDS = st.none() | st.text(max_size=3) | st.integers(1, 9).map('call-{}-again'.format)
CALLS = st.lists(
    st.fixed_dictionaries(
        {'name': st.text(), 'args': st.dictionaries(st.text(), st.floats()), 'id': IDS}
    ),
    max_size=4,
)
INVALID = st.lists(
    st.fixed_dictionaries(
        {'name': st.none() | st.text(), 'args': st.none() | st.text(), 'id': IDS, 'error': IDS}
    ),
    max_size=4,
)


@pytest.mark.slow
@given(st.text(), st.lists(st.tuples(CALLS, INVALID), max_size=4))
def test_any_message_can_be_read_and_every_call_has_its_own_id(
    text: str, parts: list[tuple[Any, Any]]
) -> None:
    reader, ids = MessageReader(), []
    for calls, invalid in parts:
        said = reader.read(AIMessage(text, tool_calls=calls, invalid_tool_calls=invalid))
        assert len(said.calls) == len(said.message.tool_calls) == len(calls) + len(invalid)
        assert sum(call.refusal is None for call in said.calls) == min(len(said.calls), 1)
        if any(call.proposal.fault for call in said.calls):  # then no other one is proposed
            assert all(call.refusal or call.proposal.fault for call in said.calls)
        ids += [call.proposal.call_id for call in said.calls]
    assert len(set(ids)) == len(ids)


def test_blocks_of_text_are_joined() -> None:
    blocks: list[str | dict[str, Any]] = [
        {'type': 'text', 'text': 'Hello'},
        ' you',
        {'type': 'image', 'url': 'x'},
    ]
    assert text_of(AIMessage(blocks)) == 'Hello you'
    assert text_of(AIMessage([{'type': 'text', 'text': None}])) == ''


def test_a_message_that_is_no_ai_message_is_words() -> None:
    assert MessageReader().read(HumanMessage('Hm.')).text == 'Hm.'


@pytest.mark.slow
def test_endless_words_are_cut_in_answer_thought_and_history() -> None:
    said = MessageReader().read(AIMessage('x' * 10**6))
    assert len(said.text) == ANSWER_LIMIT
    call = {'name': 'look', 'args': {}, 'id': '1'}
    said = MessageReader().read(AIMessage('x' * 10**6, tool_calls=[call]))
    assert len(said.calls[0].proposal.thought) == THOUGHT_LIMIT
    assert len(said.message.content) == THOUGHT_LIMIT


def test_an_id_that_is_made_is_none_that_the_model_has_used() -> None:
    reader = MessageReader()
    look = {'name': 'look', 'args': {}}
    calls = [look | {'id': each} for each in ('call-2-again', 'call-2-again', 'call-3-again')]
    said = reader.read(AIMessage('', tool_calls=calls))
    ids = [call.proposal.call_id for call in said.calls]
    assert len({*ids}) == 3
    assert ids[0] == 'call-2-again'
