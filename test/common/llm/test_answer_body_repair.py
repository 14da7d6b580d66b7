"""The body of an answer reaches the client library whole, however the network cuts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from rover_common.llm.answer_body_repair import readable_body
from rover_common.llm.model_errors import ModelError

MARK = '\ufeff'.encode()
WORDS = st.text(st.characters(codec='utf-8') | st.sampled_from('\r\n{":[]}'), max_size=12)
ENDS = st.sampled_from([b'\n', b'\r\n', b'\r'])
CUTS = st.lists(st.integers(0, 500), max_size=8)


def cut(body: bytes, at: Sequence[int]) -> list[bytes]:
    places = [0, *sorted(each % (len(body) + 1) for each in at), len(body)]
    return [body[one:other] for one, other in pairwise(places)]


@given(st.lists(WORDS, min_size=1, max_size=4), ENDS, CUTS, st.booleans())
@example(['tool_use'], b'\r\n', [], False)  # looks like a call, and is none
@pytest.mark.slow
def test_a_stream_of_events_stays_as_it_is(
    words: list[str], end: bytes, at: list[int], has_mark: bool
) -> None:
    events = [b'data: ' + json.dumps({'content': each}).encode() + end + end for each in words]
    body = b''.join(events)
    pieces = cut(MARK + body if has_mark else body, at)
    assert b''.join(readable_body(pieces, is_stream_expected=True)) == body


@given(
    st.lists(st.sampled_from([b': ping', b'retry: 3000', b'id: 4', b'event: ping']), max_size=3),
    ENDS,
    CUTS,
)
@example([], b'\r\n', [14, 14])  # between the two signs of an end there is an empty piece
def test_an_event_without_data_is_none(fields: list[bytes], end: bytes, at: list[int]) -> None:
    empty = b''.join(each + end for each in fields) + end
    one, other = b'event: text' + end + b'data: {"a": 1}' + end + end, b'data: [DONE]' + end + end
    body = empty + one + empty + other + empty
    assert b''.join(readable_body(cut(body, at), is_stream_expected=True)) == one + other


@pytest.mark.parametrize('begin', [b'', b'data: '])
def test_an_error_in_mere_words_is_told(begin: bytes) -> None:
    body = b''.join(readable_body([begin + b'{"error": "out of memory"}\n\n'], True))
    assert b'data: {"error": {"message": "out of memory"}}' in body


@given(WORDS, CUTS)
@example('\r\n\r\nNo.\r\n', [])
def test_any_whole_body_loses_nothing_but_blanks_before_it(words: str, at: list[int]) -> None:
    body = words.encode()
    read = b''.join(readable_body(cut(body, at), is_stream_expected=False))
    assert body.removeprefix(MARK).endswith(read)
    assert read.lstrip() == body.removeprefix(MARK).lstrip()


@given(CUTS, st.booleans(), st.sampled_from([None, 2]))
def test_a_whole_message_becomes_events(at: list[int], has_mark: bool, indent: int | None) -> None:
    message = {'role': 'assistant', 'content': 'Hm.'}
    answer = {'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}]}
    body = json.dumps(answer, indent=indent).encode()
    pieces = cut(MARK + body if has_mark else body, at)
    event, done = b''.join(readable_body(pieces, True)).strip().split(b'\n\n')
    (choice,) = json.loads(event.removeprefix(b'data: '))['choices']
    assert (choice['delta']['content'], choice['finish_reason']) == ('Hm.', 'stop')
    assert done == b'data: [DONE]'


CALL = {'tool_calls': [{'id': 'a', 'type': 'function', 'function': {'name': 'go'}}]}


def completion(end: str | None) -> bytes:
    choice = {'index': 0, 'message': {'role': 'assistant', **CALL}, 'finish_reason': end}
    return json.dumps({'choices': [choice]}).encode()


@given(CUTS, st.sampled_from([b'\n\n  ', b'   ', b'\r\n']))
def test_blanks_that_keep_a_connection_alive_are_no_part_of_a_message(
    at: list[int], blanks: bytes
) -> None:
    events = b''.join(readable_body(cut(blanks + completion('tool_calls'), at), True))
    assert events.startswith(b'data: {')
    assert b'"delta"' in events


def test_a_whole_message_in_one_event_is_a_piece_of_its_own() -> None:
    body = b'data: ' + completion('tool_calls') + b'\n\ndata: [DONE]\n\n'
    event, done = b''.join(readable_body([body], True)).strip().split(b'\n\n')
    (choice,) = json.loads(event.removeprefix(b'data: '))['choices']
    assert choice['delta']['tool_calls'][0]['function']['name'] == 'go'
    assert (choice['finish_reason'], done) == ('tool_calls', b'data: [DONE]')


@pytest.mark.parametrize('arguments', [{'a': 1}, [1], 7, True])
def test_arguments_that_are_no_text_become_it(arguments: Any) -> None:
    call = {'id': 'a', 'type': 'function', 'function': {'name': 'go', 'arguments': arguments}}
    body = json.dumps({'choices': [{'index': 0, 'message': {'tool_calls': [call]}}]}).encode()
    (choice,) = json.loads(b''.join(readable_body([body], False)))['choices']
    text = choice['message']['tool_calls'][0]['function']['arguments']
    assert json.loads(text) == arguments


def test_a_message_in_an_event_that_has_not_ended_is_left_to_be_refused() -> None:
    body = b'data: ' + completion(None) + b'\n\n'
    assert b'"message"' in b''.join(readable_body([body], True))


def test_a_line_is_handed_on_as_soon_as_it_is_whole() -> None:
    asked = 0

    def pieces() -> Iterator[bytes]:
        nonlocal asked
        for number in range(3):
            asked = number
            yield b'data: {}\n\n'

    body = readable_body(pieces(), is_stream_expected=True)
    assert next(body) == b'data: {}\n'
    assert asked == 0


@pytest.mark.parametrize(
    'answer',
    [
        '{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","name":"b"}}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":1,"a":2}}}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{}]}}]}',
        '{"choices":[{"delta":{"tool_calls":["move_forward"]}}]}',
        '{"choices":[{"delta":{"tool_calls":{"0":{}}}}]}',
        '{"choices":[{"index":1,"delta":{"tool_calls":[{"function":{}}]}}]}',
        '{"choices":[{"delta":{},"message":{"tool_calls":[{"function":{}}]}}]}',
    ],
)
@pytest.mark.parametrize('before', ['data: ', 'data:', ''])
def test_an_ambiguous_call_is_refused(answer: str, before: str) -> None:
    with pytest.raises(ModelError) as caught:
        list(readable_body([f'{before}{answer}\n\n'.encode()], is_stream_expected=bool(before)))
    assert caught.value.hint
