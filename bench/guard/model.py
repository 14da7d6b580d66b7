"""The hostile model: an OpenAI-compatible server on loopback that says what a case scripts.

A turn of the script is what it answers to one request. What it sends are the bytes of the wire, so
the client, the assembly of calls and what follows are the shipped ones. Where a script has ended,
the model gives the goal up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import json
import sys
import threading
from typing import Any

from bench.guard.script import Delta, Fault, Turn, WireCall

MODEL = 'guard-bench'
GIVE_UP = Turn(calls=(WireCall(tool='abort', args={'reason': 'The script has ended.'}),))
HEAD = {'id': 'chat-1', 'created': 1, 'model': MODEL}
USAGE = {'prompt_tokens': 100, 'completion_tokens': 10, 'total_tokens': 110}
PIECE = 9  # characters of a piece of a stream
ENDLESS_PIECES = 4000  # far more than `planner.request.max_bytes` of a case lets through


class ScriptedModel:
    """Serves one script after the other, in threads of this process.

    Attributes:
        asked: The body of each request for a message, in order.
        on_silence: Called when the script has no answer from here on.
    """

    def __init__(self, port: int = 0) -> None:
        self._turns: Iterator[Turn] = iter(())
        self._then = GIVE_UP
        self._lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.on_silence = threading.Event()
        self.over = threading.Event()
        handler = type('Bound', (_Handler,), {'owner': self})
        self._server = _Quiet(('127.0.0.1', port), handler)
        self.url = f'http://127.0.0.1:{self._server.server_address[1]}/v1'
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()

    def play(self, turns: Iterable[Turn], then: Turn = GIVE_UP) -> None:
        """The next request gets the first of these turns, and every one after them `then`."""
        self.over.set()  # a request of an earlier script ends
        with self._lock:
            self._turns, self._then = iter(tuple(turns)), then
        self.asked = []
        self.over = threading.Event()
        self.on_silence.clear()

    def next_turn(self, body: dict[str, Any]) -> Turn:
        """The turn that answers a request."""
        with self._lock:
            self.asked.append(body)
            return next(self._turns, self._then)

    def close(self) -> None:
        """Ends the server."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 32

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedModel
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_args: Any) -> None:
        """Answers nothing."""

    def do_GET(self) -> None:
        self._answer({'data': [{'id': MODEL}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        turn = self.owner.next_turn(body)
        with suppress(OSError):  # the client has gone
            if turn.fault is not None:
                self._fail(turn.fault, turn)
            elif body.get('stream') and not turn.whole:
                self._stream(pieces_of(turn))
            else:
                self._answer(whole_of(turn))

    def _answer(self, value: Any, status: int = 200) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, pieces: Iterable[bytes], ends: bool = True) -> None:
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        # In one write: whether it comes in one packet or in many is not what is tried here.
        chunks = (f'{len(each):x}\r\n'.encode() + each + b'\r\n' for each in pieces)
        self.wfile.write(b''.join(chunks))
        if ends:
            self.wfile.write(b'0\r\n\r\n')

    def _fail(self, fault: Fault, turn: Turn) -> None:
        pieces = list(pieces_of(turn))
        if fault == 'empty':
            self._stream([])
        elif fault == 'half':
            self._stream(pieces[: max(1, len(pieces) // 2)])
        elif fault == 'torn':
            self._stream(pieces[: max(1, len(pieces) // 2)], ends=False)
            self.close_connection = True
        elif fault == 'endless':
            self._stream([_chunk({'content': 'and so on '})] * ENDLESS_PIECES)
        elif fault == 'garbage':
            self._answer(b'<html>It works!</html>')
        elif fault == 'no_choices':
            self._answer({**HEAD, 'object': 'chat.completion', 'choices': []})
        elif fault == 'error':
            self._answer({'error': {'message': 'scripted', 'type': 'server_error'}}, 500)
        else:
            self.owner.on_silence.set()
            self.owner.over.wait(30.0)
            self.close_connection = True


# --- the bytes of a turn ----------------------------------------------------------------------


def whole_of(turn: Turn) -> dict[str, Any]:
    """A turn as one message."""
    message: dict[str, Any] = {'role': 'assistant', 'content': turn.say or None}
    if turn.calls:
        message['tool_calls'] = [_call(at, each) for at, each in enumerate(turn.calls)]
    choice = {'index': 0, 'message': message, 'finish_reason': _ending(turn)}
    return {**HEAD, 'object': 'chat.completion', 'choices': [choice], 'usage': USAGE}


def pieces_of(turn: Turn) -> Iterator[bytes]:
    """A turn as the events of a stream."""
    yield _chunk({'role': 'assistant', 'content': ''})
    if turn.say:
        yield _chunk({'content': turn.say})
    deltas = turn.deltas or tuple(_deltas_of(turn.calls))
    for each in deltas:
        yield _chunk(_as_wire(each))
    yield _chunk({}, _ending(turn))
    for each in turn.late:
        yield _chunk(_as_wire(each))
    yield _event({**HEAD, 'object': 'chat.completion.chunk', 'choices': [], 'usage': USAGE})
    yield b'data: [DONE]\n\n'


def _deltas_of(calls: Sequence[WireCall]) -> Iterator[Delta]:
    for at, call in enumerate(calls):
        text = call.as_text()
        yield Delta(index=at, id=call.id or f'call-{at}', name=call.tool, text='')
        for start in range(0, len(text), PIECE):
            yield Delta(index=at, text=text[start : start + PIECE])


def _as_wire(delta: Delta) -> dict[str, Any]:
    function: dict[str, Any] = {}
    if delta.name is not None:
        function['name'] = delta.name
    if delta.text is not None:
        function['arguments'] = delta.text
    part: dict[str, Any] = {'function': function}
    if delta.index is not None:
        part['index'] = delta.index
    if delta.id is not None:
        part |= {'id': delta.id, 'type': 'function'}
    return {'tool_calls': [part]}


def _call(at: int, call: WireCall) -> dict[str, Any]:
    function = {'name': call.tool, 'arguments': call.as_text()}
    return {'id': call.id or f'call-{at}', 'type': 'function', 'function': function}


def _ending(turn: Turn) -> str | None:
    if turn.ends is not None:
        return turn.ends or None
    return 'tool_calls' if turn.calls or turn.deltas or turn.late else 'stop'


def _chunk(delta: Mapping[str, Any], ends: str | None = None) -> bytes:
    choice = {'index': 0, 'delta': delta, 'finish_reason': ends}
    return _event({**HEAD, 'object': 'chat.completion.chunk', 'choices': [choice]})


def _event(value: Mapping[str, Any]) -> bytes:
    return b'data: ' + json.dumps(value).encode() + b'\n\n'
