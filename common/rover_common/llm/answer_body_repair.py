"""Makes the body of a model's answer what the client libraries read without losing anything.

They take a byte order mark for a part of the first event, find nothing in a whole message where
they expect a stream, drop the pieces of a call that have no index, cannot read arguments that are
no text, read an event without data, keep the last of two values with one name, and add up counts
of tokens that are none.

By the shape of the message: OpenAI's chat completions, Anthropic's messages, Ollama's chat.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
import json
import re
from typing import Any

from rover_common.json_values import RepeatedNameError, refuse_repeated_names
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_usage import MARKS, drop_odd_counts
from rover_common.llm.openai_choices_repair import (
    choices_in,
    refuse_another,
    repair_choice,
    unreadable,
)


def as_stream(value: Mapping[str, Any]) -> Iterator[bytes]:
    """The events of a message, or, of anything else, the one event that holds it."""
    if isinstance(value.get('choices'), list):
        yield _event(as_chunk(value))
        yield b'data: [DONE]\n\n'
    elif value.get('type') == 'message' and isinstance(value.get('content'), list):
        yield from _as_blocks(value)
    elif 'done' in value or isinstance(value.get('error'), str):  # Ollama's
        yield json.dumps(value).encode() + b'\n'
        if 'done' not in value:  # an event to whom the line is none; Ollama's client has ended
            yield _event({'error': {'message': value['error']}})
    else:  # such as an error
        kind = value.get('type')
        yield _event(value, kind if isinstance(kind, str) else '')


def as_chunk(value: Mapping[str, Any]) -> dict[str, Any]:
    """A chat completion as its only chunk."""
    choices = [each for each in value['choices'] if isinstance(each, dict)]
    return {
        **value,
        'object': 'chat.completion.chunk',
        'choices': [_as_delta(choice) for choice in choices],
    }


def _as_delta(choice: Mapping[str, Any]) -> dict[str, Any]:
    answer = choice.get('message')
    message = dict(answer) if isinstance(answer, dict) else {}
    calls = message.get('tool_calls')
    if isinstance(calls, list):
        message['tool_calls'] = [
            {**call, 'index': index} for index, call in enumerate(calls) if isinstance(call, dict)
        ]
    rest = {name: each for name, each in choice.items() if name != 'message'}
    if not rest.get('finish_reason') and not calls:
        rest['finish_reason'] = 'stop'  # it is whole, so it has ended
    return {**rest, 'delta': message}


def _as_blocks(value: Mapping[str, Any]) -> Iterator[bytes]:
    """A message of Anthropic as events; each block comes in one piece."""
    usage = value.get('usage') or {}
    yield _typed('message_start', message={**value, 'content': [], 'stop_reason': None})
    for index, block in enumerate(value['content']):
        if not isinstance(block, dict):
            continue
        yield _typed('content_block_start', index=index, content_block=block)
        if block.get('type') == 'text':
            delta = {'type': 'text_delta', 'text': block.get('text', '')}
            yield _typed('content_block_delta', index=index, delta=delta)
        yield _typed('content_block_stop', index=index)
    ended = {'stop_reason': value.get('stop_reason'), 'stop_sequence': value.get('stop_sequence')}
    yield _typed('message_delta', delta=ended, usage=usage)
    yield _typed('message_stop')


def _typed(kind: str, **fields: Any) -> bytes:
    return _event({'type': kind, **fields}, kind)


def _event(value: Mapping[str, Any], kind: str = '') -> bytes:
    name = f'event: {kind}\n'.encode() if kind else b''
    return name + b'data: ' + json.dumps(value).encode() + b'\n\n'


_DATA = b'data:'
_PAGE = re.compile(rb'\s*<(?:!doctype|!--|\?xml|html|head|body)', re.IGNORECASE)
_ABOUT_CALLS = (b'"tool_call', b'"tool_use"', b'"function_call"')  # worth parsing
_CHOICES, _MESSAGE = b'"choices"', b'"message"'
_ERROR = b'"error"'
_LINE_ENDS = b'\r\n'


def readable_body(
    pieces: Iterable[bytes], is_stream_expected: bool, page: ModelError | None = None
) -> Iterator[bytes]:
    """The body, piece by piece.

    `page`: what a web page is, whatever its declared type; None: one is handed on.

    Raises:
        ModelError: It is a page, or a call in it is ambiguous; the text has the reason.
    """
    lines = whole_lines(pieces)
    first = next((line for line in lines if line.strip()), b'')
    if page is not None and _PAGE.match(first):
        raise page
    whole = chain([first], lines)
    if not first.lstrip().startswith((b'{', b'[')):  # some servers send blanks meanwhile
        yield from map(_repaired_line, _with_data(whole) if is_stream_expected else whole)
    elif not is_stream_expected:
        yield _repaired(b''.join(whole))
    elif _is_line_of_a_stream(first):
        yield from map(_repaired_line, whole)
    else:
        yield from _streamed(b''.join(whole))


def _with_data(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream of events without events that have no data, as its standard has it.

    A client library reads the data of `retry: 3000`, or of a comment after an `id`, as empty JSON.
    """
    fields: list[bytes] = []  # before the data of an event
    has_data = False
    for line in lines:
        if line.startswith(_DATA):
            yield from fields
            fields, has_data = [], True
            yield line
        elif not line.strip(_LINE_ENDS):
            if has_data:
                yield line
            fields, has_data = [], False
        elif has_data:
            yield line
        elif not line.startswith(b':'):
            fields.append(line)
    yield from fields


def _without_mark(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces without the byte order mark before the first, which may come in two of them."""
    head = b''
    rest = iter(pieces)
    for piece in rest:
        head += piece
        if len(head) >= len(codecs.BOM_UTF8):
            break
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from rest


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines with their ends, each as soon as it is whole, without a byte order mark."""
    begun: list[bytes] = []
    for piece in filter(None, _without_mark(pieces)):  # an empty one says nothing of a line's end
        parts = piece.splitlines(keepends=True)
        if begun and begun[-1].endswith(b'\r') and not piece.startswith(b'\n'):
            yield b''.join(begun)
            begun = []
        for at, part in enumerate(parts, 1):
            begun.append(part)
            if part.endswith(b'\n') or (part.endswith(b'\r') and at < len(parts)):
                yield b''.join(begun)
                begun = []
    if begun:
        yield b''.join(begun)


def _is_line_of_a_stream(line: bytes) -> bool:
    """Whether it is a line of Ollama's stream, each of which is an object of its own."""
    value = _object(line)
    return value is not None and 'done' in value


def _streamed(body: bytes) -> Iterator[bytes]:
    """A whole message where a stream was expected, as the stream that it could have been."""
    value = _object(_repaired(body))
    yield from [body] if value is None else as_stream(value)


def _repaired_line(line: bytes) -> bytes:
    if not line.startswith(_DATA):
        return _repaired(line)
    data = line.removeprefix(_DATA).strip(_LINE_ENDS + b' ')
    repaired = _repaired(_as_piece(_error_text(data)))
    end = line[len(line.rstrip(_LINE_ENDS)) :]
    return line if repaired is data else _DATA + b' ' + repaired + end


def _as_piece(data: bytes) -> bytes:
    """An event that holds a whole message of OpenAI's protocol, as the piece that it could be."""
    if _MESSAGE not in data or _CHOICES not in data:
        return data
    value = _object(data) or {}
    choices = value.get('choices')
    if not isinstance(choices, list) or not all(map(_is_whole, choices)):
        return data
    _refuse_repeated(data)
    return json.dumps(as_chunk(value)).encode()


def _is_whole(choice: Any) -> bool:
    """Whether it is a message that has ended, and no piece of one."""
    return (
        isinstance(choice, dict)
        and 'delta' not in choice
        and isinstance(choice.get('message'), dict)
        and bool(choice.get('finish_reason'))
    )


def _error_text(data: bytes) -> bytes:
    """An error that is a mere text as an object with it, as the libraries read it."""
    error = (_object(data) or {}).get('error') if _ERROR in data else None
    return json.dumps({'error': {'message': error}}).encode() if isinstance(error, str) else data


def _repaired(data: bytes) -> bytes:
    """One JSON text, the same object if there is nothing to mend in it."""
    return _with_counts(_with_calls(data))


def _with_counts(data: bytes) -> bytes:
    value = _object(data) if any(mark in data for mark in MARKS) else None
    return data if value is None or not drop_odd_counts(value) else _as_line(value, data)


def _as_line(value: dict[str, Any], data: bytes) -> bytes:
    return json.dumps(value).encode() + (b'\n' if data.endswith(b'\n') else b'')


def _with_calls(data: bytes) -> bytes:
    if not any(mark in data for mark in _ABOUT_CALLS):
        for each in choices_in(_object(data)) if _CHOICES in data else ():
            refuse_another(each)
        return data
    value = _object(data)
    if value is None:
        return data
    _refuse_repeated(data)
    for each in choices_in(value):
        repair_choice(each)
    return _as_line(value, data)


def _refuse_repeated(data: bytes) -> None:
    try:
        refuse_repeated_names(data)
    except RepeatedNameError as error:
        raise unreadable(f'{error}') from None


def _object(data: bytes) -> dict[str, Any] | None:
    """The JSON object, or None where the client library is to report the fault."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
