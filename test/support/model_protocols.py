"""The chat protocols of OpenAI, Anthropic and Ollama, from the server's side.

Each protocol decodes a request into langchain messages and encodes a `Reply`, whole or as a
stream of pieces. Nothing here knows sockets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import json
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

USED = (1200, 34)  # tokens in and out that every reply tells
PIECE = 7  # characters of a streamed piece

AND_SO_ON = 'and so on '


@dataclass(frozen=True)
class Reply:
    """What the model says. Arguments are text, so that they can be malformed."""

    text: str = ''
    calls: tuple[tuple[str, str, str], ...] = ()  # id, name, arguments

    @classmethod
    def of(cls, message: AIMessage) -> Reply:
        calls = tuple(
            (str(call['id']), call['name'], json.dumps(call['args']))
            for call in message.tool_calls
        )
        return cls(str(message.content), calls)


@dataclass(frozen=True)
class Asked:
    """A decoded request; tools in the format of OpenAI."""

    messages: list[BaseMessage]
    tools: list[dict[str, Any]]
    stream: bool


class OpenAI:
    """Chat completions."""

    media = 'text/event-stream'

    def decode(self, body: dict[str, Any]) -> Asked:
        messages = [{**each, 'content': each.get('content') or ''} for each in body['messages']]
        return Asked(
            convert_to_messages(messages), body.get('tools', []), bool(body.get('stream'))
        )

    def whole(self, reply: Reply) -> dict[str, Any]:
        message: dict[str, Any] = {'role': 'assistant', 'content': reply.text or None}
        if reply.calls:
            message['tool_calls'] = [self._call(*call) for call in reply.calls]
        choice = {'index': 0, 'message': message, 'finish_reason': self._end(reply)}
        return {**self._head('chat.completion'), 'choices': [choice], 'usage': self._usage()}

    def stream(self, reply: Reply) -> Iterator[bytes]:
        yield self._chunk({'role': 'assistant', 'content': ''})
        for piece in pieces(reply.text):
            yield self._chunk({'content': piece})
        for index, (call_id, name, arguments) in enumerate(reply.calls):
            first = {**self._call(call_id, name, ''), 'index': index}
            yield self._chunk({'tool_calls': [first]})
            for piece in pieces(arguments):
                part = {'index': index, 'function': {'arguments': piece}}
                yield self._chunk({'tool_calls': [part]})
        yield self._chunk({}, self._end(reply))
        yield event({**self._head('chat.completion.chunk'), 'choices': [], 'usage': self._usage()})
        yield b'data: [DONE]\n\n'

    def endless(self, text: str = AND_SO_ON) -> Iterator[bytes]:
        while True:
            yield self._chunk({'content': text})

    def _chunk(self, delta: dict[str, Any], end: str | None = None) -> bytes:
        choice = {'index': 0, 'delta': delta, 'finish_reason': end}
        return event({**self._head('chat.completion.chunk'), 'choices': [choice]})

    def _head(self, kind: str) -> dict[str, Any]:
        return {'id': 'chat-1', 'object': kind, 'created': 1, 'model': 'test-model'}

    def _call(self, call_id: str, name: str, arguments: str) -> dict[str, Any]:
        function = {'name': name, 'arguments': arguments}
        return {'id': call_id, 'type': 'function', 'function': function}

    def _end(self, reply: Reply) -> str:
        return 'tool_calls' if reply.calls else 'stop'

    def _usage(self) -> dict[str, int]:
        return {
            'prompt_tokens': USED[0],
            'completion_tokens': USED[1],
            'total_tokens': sum(USED),
        }


class Anthropic:
    """Messages."""

    media = 'text/event-stream'

    def decode(self, body: dict[str, Any]) -> Asked:
        assert body['messages'][0]['role'] == 'user', 'the first message must be of the user'
        messages: list[BaseMessage] = [SystemMessage(text_in(body.get('system', '')))]
        for each in body['messages']:
            messages += self._messages(each['role'], each['content'])
        tools = [
            {
                'type': 'function',
                'function': {
                    'name': tool['name'],
                    'description': tool.get('description', ''),
                    'parameters': tool['input_schema'],
                },
            }
            for tool in body.get('tools', [])
        ]
        return Asked(messages, tools, body.get('stream', False))

    def whole(self, reply: Reply) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{'type': 'text', 'text': reply.text}]
        content = content if reply.text else []
        content += [
            {'type': 'tool_use', 'id': call_id, 'name': name, 'input': as_object(arguments)}
            for call_id, name, arguments in reply.calls
        ]
        usage = {'input_tokens': USED[0], 'output_tokens': USED[1]}
        return {
            **self._head(),
            'content': content,
            'stop_reason': self._end(reply),
            'usage': usage,
        }

    def stream(self, reply: Reply) -> Iterator[bytes]:
        usage = {'input_tokens': USED[0], 'output_tokens': 0}
        head = {**self._head(), 'content': [], 'stop_reason': None, 'usage': usage}
        yield self._event('message_start', message=head)
        index = 0
        if reply.text:
            yield from self._block(index, {'type': 'text', 'text': ''}, 'text', reply.text)
            index += 1
        for call_id, name, arguments in reply.calls:
            block = {'type': 'tool_use', 'id': call_id, 'name': name, 'input': {}}
            yield from self._block(index, block, 'partial_json', arguments)
            index += 1
        delta = {'stop_reason': self._end(reply), 'stop_sequence': None}
        usage = {'input_tokens': USED[0], 'output_tokens': USED[1]}
        yield self._event('message_delta', delta=delta, usage=usage)
        yield self._event('message_stop')

    def endless(self, text: str = AND_SO_ON) -> Iterator[bytes]:
        head = {**self._head(), 'content': [], 'usage': {'input_tokens': 1, 'output_tokens': 0}}
        yield self._event('message_start', message=head)
        block = {'type': 'text', 'text': ''}
        yield self._event('content_block_start', index=0, content_block=block)
        while True:
            delta = {'type': 'text_delta', 'text': text}
            yield self._event('content_block_delta', index=0, delta=delta)

    def _block(self, index: int, start: dict[str, Any], kind: str, text: str) -> Iterator[bytes]:
        yield self._event('content_block_start', index=index, content_block=start)
        delta = {'text': 'text_delta', 'partial_json': 'input_json_delta'}[kind]
        for piece in pieces(text):
            part = {'type': delta, kind: piece}
            yield self._event('content_block_delta', index=index, delta=part)
        yield self._event('content_block_stop', index=index)

    def _event(self, kind: str, **fields: Any) -> bytes:
        return f'event: {kind}\n'.encode() + event({'type': kind, **fields})

    def _head(self) -> dict[str, Any]:
        return {
            'id': 'msg-1',
            'type': 'message',
            'role': 'assistant',
            'model': 'test-model',
            'stop_sequence': None,
        }

    def _end(self, reply: Reply) -> str:
        return 'tool_use' if reply.calls else 'end_turn'

    def _messages(self, role: str, content: Any) -> Iterator[BaseMessage]:
        blocks = [{'type': 'text', 'text': content}] if isinstance(content, str) else content
        words = text_in(blocks)
        if role == 'assistant':
            calls = [
                {'name': each['name'], 'args': each['input'], 'id': each['id']}
                for each in blocks
                if each['type'] == 'tool_use'
            ]
            yield AIMessage(words, tool_calls=calls)
            return
        for each in blocks:
            if each['type'] == 'tool_result':
                text = text_in(each['content'])
                yield ToolMessage(text, tool_call_id=each['tool_use_id'])
        if words:
            yield from convert_to_messages([('user', words)])


class Ollama:
    """Chat of Ollama: lines of JSON, calls without ids."""

    media = 'application/x-ndjson'

    def decode(self, body: dict[str, Any]) -> Asked:
        messages: list[BaseMessage] = []
        waiting: list[str] = []
        for number, each in enumerate(body['messages']):
            if each['role'] == 'tool':
                messages.append(ToolMessage(each['content'], tool_call_id=waiting.pop(0)))
                continue
            calls = [
                {**call['function'], 'id': f'call-{number}-{index}'}
                for index, call in enumerate(each.get('tool_calls') or [])
            ]
            if each['role'] == 'assistant':
                waiting = [call['id'] for call in calls]
                tool_calls = [
                    {'name': call['name'], 'args': call['arguments'], 'id': call['id']}
                    for call in calls
                ]
                messages.append(AIMessage(each.get('content') or '', tool_calls=tool_calls))
            else:
                messages += convert_to_messages([(each['role'], each['content'])])
        return Asked(messages, body.get('tools') or [], body.get('stream', True))

    def whole(self, reply: Reply) -> dict[str, Any]:
        message = {'role': 'assistant', 'content': reply.text, 'tool_calls': self._calls(reply)}
        return {**self._line(message), **self._last()}

    def stream(self, reply: Reply) -> Iterator[bytes]:
        for piece in pieces(reply.text):
            yield line(self._line({'role': 'assistant', 'content': piece}))
        if reply.calls:
            calls = self._calls(reply)
            yield line(self._line({'role': 'assistant', 'content': '', 'tool_calls': calls}))
        yield line({**self._line({'role': 'assistant', 'content': ''}), **self._last()})

    def endless(self, text: str = AND_SO_ON) -> Iterator[bytes]:
        while True:
            yield line(self._line({'role': 'assistant', 'content': text}))

    def _line(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            'model': 'test-model',
            'created_at': '2026-01-01T00:00:00Z',
            'message': message,
            'done': False,
        }

    def _last(self) -> dict[str, Any]:
        counts = {'prompt_eval_count': USED[0], 'eval_count': USED[1], 'total_duration': 1}
        return {'done': True, 'done_reason': 'stop', **counts}

    def _calls(self, reply: Reply) -> list[dict[str, Any]]:
        return [
            {'function': {'name': name, 'arguments': as_object(arguments)}}
            for _id, name, arguments in reply.calls
        ]


def pieces(text: str) -> Iterator[str]:
    size = max(PIECE, len(text) // 1000)
    return (text[at : at + size] for at in range(0, len(text), size))


def event(value: dict[str, Any]) -> bytes:
    return b'data: ' + json.dumps(value).encode() + b'\n\n'


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b'\n'


def text_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return ''.join(each.get('text', '') for each in content if each['type'] == 'text')


def as_object(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
