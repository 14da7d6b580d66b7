"""A constrained answer is one whole object of its schema, or nothing of it is carried out."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import jsonschema
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
import pytest

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.constrained_answer import (
    answer_schema,
    closed_schema,
    constrained_messages,
    is_open,
    read_constrained,
)
from bt_executive.planner.model_message_reading import MessageReader
from bt_executive.planner.tool_calls_or_schema import constrain_to_schema
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.llm.model_errors import ModelError

SHIPPED = Registry(load_config()).toolset()
DRIVE = {
    'type': 'object',
    'properties': {
        'seconds': {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 25, 'default': 1},
        'how': {'type': 'string', 'enum': ['slow', 'fast'], 'maxLength': 9},
    },
    'required': ['seconds'],
    'additionalProperties': False,
}
TOOLS = (
    ToolOffer('drive', 'Drive on.', DRIVE, 1.0),
    ToolOffer('back', 'Drive back.', DRIVE, 1.0),
    ToolOffer(
        'open', 'Open it.', {**DRIVE, 'properties': {}, 'required': []}, 2.0, ('mast_closed',)
    ),
)
CALL = {'next': {'tool': 'drive', 'arguments': {'seconds': 2.5, 'how': None}}}


def message(content: Any, end: str = 'stop') -> AIMessage:
    text = content if isinstance(content, str) else json.dumps(content)
    return AIMessage(text, response_metadata={'finish_reason': end})


@pytest.mark.parametrize('bounds', [True, False])
@pytest.mark.slow
def test_the_schema_holds_each_shipped_tool_and_is_closed(bounds: bool) -> None:
    schema = answer_schema(SHIPPED, bounds)
    jsonschema.Draft202012Validator.check_schema(schema)
    names: list[str] = []
    for branch in schema['properties']['next']['anyOf'][:-1]:
        assert branch['required'] == ['tool', 'arguments']
        arguments = branch['properties']['arguments']
        assert arguments['required'] == list(arguments['properties'])
        assert arguments['additionalProperties'] is False
        names += branch['properties']['tool']['enum']
    assert sorted(names) == sorted(each.name for each in SHIPPED)


@pytest.mark.parametrize(
    ('said', 'holds'),
    [
        (CALL, True),
        ({'next': {'answer': 'Done.'}}, True),
        ({'next': {'tool': 'open', 'arguments': {}}}, True),
        ({'next': {'tool': 'back', 'arguments': {'seconds': 3e15, 'how': 'fast'}}}, False),
        ({'next': {'tool': 'drive', 'arguments': {'seconds': 1, 'how': 'soon'}}}, False),
        ({'next': {'tool': 'drive', 'arguments': {'how': 'slow'}}}, False),
        ({'next': {'tool': 'open', 'arguments': {'seconds': 1, 'how': None}}}, False),
        ({'next': {'tool': 'fly', 'arguments': {}}}, False),
        ({'next': {'tool': 'open', 'arguments': {}, 'answer': 'x'}}, False),
    ],
)
def test_what_keeps_to_the_schema(said: dict[str, Any], holds: bool) -> None:
    assert jsonschema.Draft202012Validator(answer_schema(TOOLS, True)).is_valid(said) is holds


def test_without_bounds_a_number_may_be_any() -> None:
    schema = closed_schema(DRIVE, bounds=False)
    assert schema['properties']['seconds'] == {'type': 'number'}
    assert schema['properties']['how']['anyOf'][1] == {'type': 'null'}


def test_an_object_of_any_keys_stays_open() -> None:
    free = {'type': 'object', 'properties': {'about': {'type': 'object'}}}
    assert is_open(free)
    assert not is_open(DRIVE)
    assert closed_schema(free, True)['properties']['about']['anyOf'][0] == {'type': 'object'}


def test_a_call_is_read_as_one() -> None:
    (call,) = MessageReader({'drive': True}).read(read_constrained(message(CALL))).calls
    assert call.proposal.tool == 'drive'
    assert call.proposal.arguments == {'seconds': 2.5, 'how': None}
    assert not call.proposal.fault


def test_an_answer_is_its_words() -> None:
    read = read_constrained(message({'next': {'answer': 'The battery has 80 %.'}}))
    assert read.content == 'The battery has 80 %.'
    assert not read.invalid_tool_calls


@pytest.mark.parametrize(
    'said',
    [
        '',
        'Done.',
        '[]',
        '{"next": {"tool": "drive", "tool": "open", "arguments": {}}}',
        '{"next": {"tool": "drive", "arguments": {"seconds": 1, "seconds": 25}}}',
        '{"next": {"tool": "drive", "arguments": {"seconds": NaN}}}',
        {'next': {'tool': 'drive', 'arguments': '{"seconds": 1}'}},
        {'next': {'tool': 'drive'}},
        {'next': {'tool': 3, 'arguments': {}}},
        {'next': {'answer': 3}},
        {'next': {'tool': 'drive', 'arguments': {}, 'also': 1}},
        {'next': CALL['next'], 'then': CALL['next']},
        {'next': [CALL['next']]},
        {'tool': 'drive', 'arguments': {}},
        f'{json.dumps(CALL)} {json.dumps(CALL)}',
        f'```json\n{json.dumps(CALL)}\n```',
    ],
)
def test_what_is_no_such_object_is_refused_with_a_hint(said: Any) -> None:
    with pytest.raises(ModelError) as caught:
        read_constrained(message(said))
    assert caught.value.again
    assert caught.value.unusable
    assert '"next"' in caught.value.hint


@given(st.integers(0, len(json.dumps(CALL)) - 1))
def test_no_part_of_a_call_is_one(length: int) -> None:
    with pytest.raises(ModelError):
        read_constrained(message(json.dumps(CALL)[:length]))


@pytest.mark.parametrize('end', ['length', 'content_filter', 'refusal'])
def test_what_ended_early_says_so_by_itself(end: str) -> None:
    half = message(json.dumps(CALL), end)
    assert read_constrained(half) is half


def test_our_own_llama_cpp_gets_a_grammar_that_holds_all_limits() -> None:
    """By `response_format` it holds no limits of decimal numbers."""
    held: Any = constrain_to_schema(
        FakeListChatModel(responses=['x']), 'llamacpp', {'maximum': 2.5}, True
    )
    start = held.kwargs['extra_body']['grammar'].removeprefix('%llguidance {}\nstart: %json ')
    assert json.loads(start)['maximum'] == 2.5


def test_the_question_holds_no_calls() -> None:
    call = {'name': 'drive', 'args': {'seconds': 1}, 'id': 'a'}
    asked = constrained_messages(
        [
            SystemMessage('You are a rover.'),
            HumanMessage('drive'),
            AIMessage('', tool_calls=[call]),
            ToolMessage('{"ok":false}', tool_call_id='a'),
        ],
        TOOLS,
    )
    head, goal, said, result = (str(each.content) for each in asked)
    assert '- drive(seconds: number 0..25, how?: slow|fast): Drive on.' in head
    assert goal == 'drive'
    assert json.loads(said) == {'next': {'tool': 'drive', 'arguments': {'seconds': 1}}}
    assert result == 'Result of drive: {"ok":false}'
    assert not any(isinstance(each, ToolMessage) for each in asked)
