"""What a message of a model is: calls with arguments that can be used, an answer, or a fault."""

from __future__ import annotations

from contextlib import suppress
import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
import pytest

from bt_executive.planner.assembly_of_streamed_tool_calls import assemble_message
from bt_executive.planner.model_message_reading import (
    ANSWER_LIMIT,
    NESTING_LIMIT,
    REFUSED,
    SIZE_LIMIT,
    THOUGHT_LIMIT,
    Arguments,
    MessageReader,
    read_call_arguments,
    validate_response,
)
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import text_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(JSON | st.text().map(lambda text: text))
@pytest.mark.slow
def test_anything_is_read_into_what_any_file_can_hold(raw: Any) -> None:
    arguments = read_call_arguments(raw)
    assert len(json.dumps(arguments.values, allow_nan=False, ensure_ascii=False).encode()) >= 2
    assert not (arguments.fault and arguments.values)


@given(JSON)
@pytest.mark.slow
def test_the_text_of_arguments_is_read_like_the_arguments(raw: Any) -> None:
    if isinstance(raw, dict):
        assert read_call_arguments(json.dumps(raw)) == read_call_arguments(
            json.loads(json.dumps(raw))
        )


@pytest.mark.parametrize('raw', ['{"a": ', 'x', '[1]', '"far"', '"null"', '3', 7, [1]])
def test_what_is_no_object_is_refused(raw: Any) -> None:
    assert 'are not a JSON object' in read_call_arguments(raw).fault


@pytest.mark.parametrize('raw', ['', '  ', 'null', ' null\n', None])
def test_nothing_is_an_empty_object_for_a_tool_without_arguments_alone(raw: Any) -> None:
    assert read_call_arguments(raw) == Arguments()
    assert 'Send {}' in read_call_arguments(raw, has_arguments=True).fault


@pytest.mark.parametrize('raw', [{}, '{}', ' {} '])
@pytest.mark.parametrize('has_arguments', [True, False])
def test_an_empty_object_leaves_all_arguments_out(raw: Any, has_arguments: bool) -> None:
    assert read_call_arguments(raw, has_arguments) == Arguments()


@pytest.mark.parametrize(
    'raw',
    [
        '{"duration_s": 1, "duration_s": 25}',
        '{"duration_s": 1, "duration\\u005fs": 25}',
        '{"a": [{"b": 1, "b": 1}]}',
    ],
)
def test_a_name_that_stands_twice_is_refused(raw: str) -> None:
    fault = read_call_arguments(raw).fault
    assert 'are ambiguous' in fault
    assert 'occurs twice' in fault


@pytest.mark.parametrize('text', ['a\x1bb', 'zero\u200bwidth', '\x07', 'ｆｕｌｌ'])
def test_texts_are_what_the_model_wrote(text: str) -> None:
    assert read_call_arguments(json.dumps({text: text})).values == {text: text}


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(NESTING_LIMIT + 2):
        deep = {'a': deep}
    assert 'levels deep' in read_call_arguments(deep).fault
    assert 'are not a JSON object' in read_call_arguments('{"a":' + '[' * 10**6).fault
    assert f'longer than {SIZE_LIMIT}' in read_call_arguments({'a': 'x' * SIZE_LIMIT}).fault


@pytest.mark.parametrize('number', ['NaN', '-Infinity', '1e999', '9' * 400, '"\\ud800"'])
def test_what_no_file_can_hold_is_refused(number: str) -> None:
    assert read_call_arguments(f'{{"a": {number}}}').fault


@pytest.mark.parametrize('value', [math.nan, math.inf, 10**400, '\ud800', {1, 2}])
def test_what_a_library_made_of_it_is_refused_as_well(value: Any) -> None:
    assert read_call_arguments({'a': value}).fault


def test_half_a_number_is_not_another_number() -> None:
    pieces = ['{"duration', '_s": 1', '2']  # of 120}
    chunks = [
        AIMessageChunk(
            content='',
            tool_call_chunks=[
                {'name': None if at else 'turn_left', 'args': piece, 'id': None, 'index': 0}
            ],
        )
        for at, piece in enumerate(pieces)
    ]
    (call,) = assemble_message(chunks).invalid_tool_calls
    assert read_call_arguments(call['args']).fault


def proposal_of(name: str, arguments: str) -> Any:
    call = {'name': name, 'args': arguments, 'id': 'c1', 'error': None}
    message = AIMessage('Off I go.', invalid_tool_calls=[call])
    (said,) = MessageReader({name: True}).read(message).calls
    return said.proposal


@pytest.mark.parametrize(
    'arguments', ['', json.dumps({f'key {number}': number for number in range(2000)})]
)
def test_arguments_that_cannot_be_used_are_proposed_with_their_fault(arguments: str) -> None:
    proposal = proposal_of('turn_left', arguments)
    assert proposal.fault.startswith('The arguments of turn_left')
    assert proposal.arguments == {}


@pytest.mark.parametrize(
    'arguments',
    [{'duration_s': 1e300}, {'duration_s': 2, 'speed': 9}, {'duration_s': '2'}, {'a': '\0'}],
)
def test_other_arguments_are_for_the_tree(arguments: dict[str, Any]) -> None:
    proposal = proposal_of('turn_left', json.dumps(arguments))
    assert (proposal.fault, proposal.arguments) == ('', arguments)
    json.dumps(proposal.arguments, ensure_ascii=False).encode()


@pytest.mark.parametrize('tool', ['turn_lefd', 'ros2_service_call', 'x' * 5000, '明'])
def test_an_unknown_tool_keeps_its_name(tool: str) -> None:
    name = proposal_of(tool, '{}').tool
    assert tool.startswith(name.removesuffix(' …(cut)'))
    assert len(name) <= 100


OFFERED = ('mast_open', 'mast_close', 'move_forward', 'abort')
JSON_CALL = '{"name": "mast_open", "arguments": {}}'


def hint_for(words: str) -> str:
    """What the model is told of these words."""
    with pytest.raises(ModelError) as caught:
        validate_response(AIMessage(words), OFFERED, reports_endings=False, streamed=False)
    assert caught.value.again
    return caught.value.hint


@pytest.mark.parametrize(
    'words',
    [
        JSON_CALL,
        f'<tool_call>\n{JSON_CALL}\n</tool_call>',
        f'<think>The mast must be opened.</think>\n<tool_call>{JSON_CALL}</tool_call>',
        f'The mast must be opened.</think>{JSON_CALL}',
        f'I will open the mast.\n```json\n{JSON_CALL}\n```',
        f'I will open the mast: {JSON_CALL}. Then I am done.',
        '{"type":"function","function":{"name":"mast_open","arguments":{}}}',
        '<tool_call>{"name": "mast_close"}</tool_call>\n<tool_call>{"name": "x"}</tool_call>',
        f'[TOOL_CALLS][{JSON_CALL}]',
        '[TOOL_CALLS]mast_open{}',
        '<function=mast_open>{}</function>',
        f'<|python_tag|>{JSON_CALL}',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>mast_open',
        'mast_open()',
        '```python\nmast_close()\nmove_forward(duration_s=2.0)\n```',
        '[move_forward(duration_s=2.0, why="(quickly)")]',
        '{"tool_calls":[{"name":"mast_open"}]}',
        '{"tool_calls":[{"function":{"name":"mast_open","arguments":"{\\"a\\": 1}"}}]}',
        "{'tool': 'mast_open', 'arguments': {}}",
        '{"name": "move_forward", "arguments": {"duration_s"',
        '{"mast_open": {}}',
        'Action: mast_open',
        'Thought: It is closed.\nAction: mast_open\nAction Input: {}',
        'Well. ' * 2000 + JSON_CALL,
    ],
)
def test_a_call_as_text_is_no_answer(words: str) -> None:
    assert 'tool call as text' in hint_for(words)


@pytest.mark.parametrize(
    'words',
    [
        '',
        ' \n',
        '\u200b',
        '\ufeff\u2060 ',
        '\x00\x07',
        '<think>The mast must be opened.</think>',
        '<think>The mast must be opened, so I',
        'The mast must be opened.</think>\n',
        '<thinking>Hm.</thinking>\u200b',
    ],
)
def test_what_nobody_can_read_is_empty(words: str) -> None:
    assert 'was empty' in hint_for(words)


@pytest.mark.parametrize(
    'words',
    [
        'The mast is open.',
        'I called mast_open and then move_forward.',
        'I called mast_open(), and the mast is open (fully).',
        'mast_open() opened the mast (fully).',
        'The last action: mast_open, which succeeded.',
        'Action: none is needed.',
        'Measured: {"score": 0.8, "name": "Bishop"}',
        'abort (the goal) was not needed.',
        'x < 3 and y > 2',
    ],
)
def test_an_answer_may_name_a_tool(words: str) -> None:
    validate_response(AIMessage(words), OFFERED, reports_endings=False, streamed=False)


@pytest.mark.parametrize('signs', ['{"a":', '<think>', 'mast_open(', 'Action: ', "('", '\\"'])
def test_hostile_repetition_is_read_to_its_end(signs: str) -> None:
    with suppress(ModelError):
        validate_response(
            AIMessage(signs * 20_000), OFFERED, reports_endings=False, streamed=False
        )


def test_thinking_is_no_part_of_the_answer() -> None:
    assert MessageReader().read(AIMessage('<think>Hm.</think>\n\nIt is open.')).text == (
        'It is open.'
    )


@pytest.mark.parametrize(
    'ending',
    [
        {'finish_reason': 'length'},
        {'stop_reason': 'max_tokens'},
        {'done_reason': 'length', 'done': True},
    ],
)
@pytest.mark.parametrize('words', ['I drove forward and then', '<think>It is', ''])
def test_half_an_answer_is_none(ending: dict[str, Any], words: str) -> None:
    half = AIMessage(words, response_metadata=ending)
    with pytest.raises(ModelError, match='was cut off at planner') as caught:
        validate_response(half, OFFERED, reports_endings=True, streamed=True)
    assert caught.value.again
    assert 'cut off' in caught.value.hint
    assert not caught.value.out_of_order
    half.tool_calls = [{'name': 'mast_open', 'args': {}, 'id': '1'}]
    with pytest.raises(ModelError, match='was cut off at planner'):
        validate_response(half, OFFERED, reports_endings=True, streamed=True)


@pytest.mark.parametrize(
    'ending', [{'stop_reason': 'refusal'}, {'finish_reason': 'content_filter'}]
)
@pytest.mark.parametrize(('words', 'reason'), [('I will not.', 'I will not.'), ('', REFUSED)])
def test_a_refusal_is_taken_as_one_with_or_without_words(
    ending: dict[str, str], words: str, reason: str
) -> None:
    message = AIMessage(words, response_metadata=ending)
    validate_response(message, OFFERED, reports_endings=True, streamed=True)
    said = MessageReader().read(message)
    assert (said.refused, said.text) == (True, reason)


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
