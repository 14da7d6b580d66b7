"""Writes a whole message as the stream that was asked for; some servers never stream.

By the shape of the message: OpenAI's chat completions, Anthropic's messages, Ollama's chat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import json
from typing import Any


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
