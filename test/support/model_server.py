"""A model behind HTTP for tests: real protocols, the offline model's mind, and scripted faults.

    model_server.py [--port N]      prints its address and serves until it is killed

Paths: /v1/chat/completions (OpenAI), /openai/deployments/… (Azure), /v1/messages (Anthropic),
/api/chat (Ollama), and what their clients ask at start: /v1/models, /openai/models, /api/tags,
/api/show.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import itertools
import json
import re
import socket
import sys
import threading
from typing import Any

from langchain_core.messages import AIMessage
from model_protocols import AND_SO_ON, Anthropic, Asked, Ollama, OpenAI, Reply
from offline_tools import OFFERS, offline_model

from bt_executive.planner.prompt_toolset_and_result_text import toolset_text

MODEL = 'test-model'
NO_TOOLS = 'plain-model'  # a model that cannot call tools
PROTOCOLS = {'chat/completions': OpenAI(), 'messages': Anthropic(), 'chat': Ollama()}

SHIPPED_AS_JSON: list[dict[str, Any]] = json.loads(toolset_text(OFFERS))

Mind = Callable[[Asked], Reply]
Fault = Callable[['Handler', Any, Reply], None]  # handler, protocol, what it would have said


def offline_mind(asked: Asked) -> Reply:
    """What the offline model says to the decoded conversation."""
    message = offline_model().invoke(asked.messages, tools=[*asked.tools, *_not_now(asked)])
    assert isinstance(message, AIMessage)
    return Reply.of(message)


def _not_now(asked: Asked) -> list[dict[str, Any]]:
    """The shipped tools that the prompt names as not offered: a plan may still come to them."""
    named = str(asked.messages[0].content).partition('\nNot offered now: ')[2].partition('\n')[0]
    names = {*re.findall(r'\w+', named)} if asked.tools else set()
    return [each for each in SHIPPED_AS_JSON if each['function']['name'] in names]


class ModelServer:
    """Runs in threads of this process.

    Attributes:
        models: What it says that it has.
        faults: One is taken from the left for each chat request; None lets one pass.
        asked: Every decoded chat request.
        always: A fault for every request that `faults` has none for.
        listing: A fault for every question which models there are.
    """

    def __init__(
        self,
        mind: Mind = offline_mind,
        key: str = '',
        port: int = 0,
        models: Sequence[str] = (MODEL, NO_TOOLS),
    ) -> None:
        self.reset(mind, key, models)
        self.open: set[socket.socket] = set()
        self.ended = threading.Event()
        self._lock = threading.Lock()
        handler = type('BoundHandler', (Handler,), {'owner': self})
        self._server = QuietServer(('127.0.0.1', port), handler)
        self.url = f'http://127.0.0.1:{self._server.server_address[1]}'
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def reset(
        self,
        mind: Mind = offline_mind,
        key: str = '',
        models: Sequence[str] = (MODEL, NO_TOOLS),
    ) -> None:
        """Forgets what it was asked, and what it was to do."""
        self.mind = mind
        self.key = key
        self.models = models
        self.faults: deque[Fault | None] = deque()
        self.always: Fault | None = None
        self.listing: Fault | None = None
        self.asked: list[Asked] = []
        self.bodies: list[dict[str, Any]] = []

    def next_fault(self) -> Fault | None:
        with self._lock:
            return self.faults.popleft() if self.faults else self.always

    def base_url(self, provider: str) -> str:
        """What `planner.base_url` must be for a provider."""
        return f'{self.url}/v1' if provider in ('openai', 'llamacpp') else self.url

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        for each in list(self.open):
            each.close()


class QuietServer(ThreadingHTTPServer):
    """Clients that go in the middle are what it is for."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tells faults of this server, and nothing of clients that have gone."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    owner: ModelServer
    protocol_version = 'HTTP/1.1'

    def setup(self) -> None:
        super().setup()
        self.owner.open.add(self.request)

    def finish(self) -> None:
        self.owner.open.discard(self.request)
        with suppress(OSError):
            super().finish()

    def log_message(self, *_args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        path = self.path.partition('?')[0]
        if not self.key_fits():
            return
        if self.owner.listing:
            self.owner.listing(self, None, Reply())
        elif path in ('/v1/models', '/openai/models'):
            self.answer({'data': [{'id': name} for name in self.owner.models]})
        elif path == '/health':  # of llama.cpp
            self.answer({'status': 'ok'})
        elif path == '/api/tags':
            self.answer(
                {
                    'models': [
                        {'name': name if ':' in name else f'{name}:latest'}
                        for name in self.owner.models
                    ]
                }
            )
        else:
            self.answer({'error': {'message': 'no such page'}}, 404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers['Content-Length']))
        if len(raw) < int(self.headers['Content-Length']):
            raise ConnectionAbortedError('the client has gone in the middle of its request')
        body = json.loads(raw)
        path = self.path.partition('?')[0]
        if not self.key_fits():
            return
        if path == '/api/show':
            tools = [] if NO_TOOLS in body['model'] else ['tools']
            self.answer({'capabilities': ['completion', *tools]})
            return
        if path.endswith(('/embeddings', '/api/embed')):
            self.embed(body)
            return
        for ending, protocol in PROTOCOLS.items():
            if path.endswith(f'/{ending}'):
                self.chat(protocol, body)
                return
        self.answer({'error': {'message': 'no such page'}}, 404)

    def embed(self, body: dict[str, Any]) -> None:
        """A vector per text: its length and its number of spaces."""
        self.owner.bodies.append(body)
        fault = self.owner.next_fault()
        if fault:
            fault(self, None, Reply())
            return
        texts = [body['input']] if isinstance(body['input'], str) else body['input']
        rows = [[float(len(text)), float(text.count(' '))] for text in texts]
        data = [{'index': at, 'embedding': row} for at, row in enumerate(rows)]
        self.answer({'data': data, 'embeddings': rows, 'model': body['model'], 'usage': {}})

    def chat(self, protocol: Any, body: dict[str, Any]) -> None:
        asked = protocol.decode(body)
        self.owner.bodies.append(body)
        self.owner.asked.append(asked)
        if body.get('model') == NO_TOOLS and asked.tools:
            self.answer({'error': {'message': f'{NO_TOOLS} does not support tools'}}, 400)
            return
        fault = self.owner.next_fault()
        self.streams = bool(asked.stream)
        try:
            if fault:
                fault(self, protocol, self.owner.mind(asked))
            else:
                self.say(protocol, self.owner.mind(asked))
        except OSError:
            self.close_connection = True  # the client has gone

    def say(self, protocol: Any, reply: Reply) -> None:
        if self.streams:
            self.begin_stream(protocol)
            self.pour(protocol.stream(reply))
            self.end_stream()
        else:
            self.answer(protocol.whole(reply))

    def key_fits(self) -> bool:
        given = [
            self.headers.get('Authorization', '').removeprefix('Bearer '),
            self.headers.get('x-api-key'),
            self.headers.get('api-key'),
        ]
        if self.owner.key and self.owner.key not in given:
            self.rfile.read(0)
            words = f'Incorrect API key provided: {next(filter(None, given), "")}'
            self.close_connection = True
            self.answer({'error': {'message': words}}, 401)
            return False
        return True

    def answer(self, value: Any, status: int = 200, **headers: str) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        for name, text in headers.items():
            self.send_header(name.replace('_', '-'), text)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, protocol: Any) -> None:
        self.send_response(200)
        self.send_header('Content-Type', protocol.media)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()

    def pour(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.wfile.write(f'{len(part):x}\r\n'.encode() + part + b'\r\n')

    def end_stream(self) -> None:
        self.wfile.write(b'0\r\n\r\n')


# --- faults -------------------------------------------------------------------------------------


def status(code: int, **headers: str) -> Fault:
    """An HTTP error."""

    def act(handler: Handler, _protocol: Any, _reply: Reply) -> None:
        handler.answer({'error': {'message': f'scripted {code}', 'type': 'test'}}, code, **headers)

    return act


def says(reply: Reply) -> Fault:
    """Something else than it would have said."""
    return lambda handler, protocol, _reply: handler.say(protocol, reply)


def pours(*parts: bytes) -> Fault:
    """A stream of just these parts."""

    def act(handler: Handler, protocol: Any, _reply: Reply) -> None:
        handler.begin_stream(protocol)
        handler.pour(parts)
        handler.end_stream()

    return act


def whole(reply: Reply) -> Fault:
    """A whole message, whatever was asked for."""
    return lambda handler, protocol, _reply: handler.answer(protocol.whole(reply))


def refuses(status_code: int, message: str, **fields: Any) -> Fault:
    """An HTTP error with these words."""
    error = {'error': {'message': message, **fields}}
    return lambda handler, _protocol, _reply: handler.answer(error, status_code)


def garbage(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Neither JSON nor a stream."""
    handler.answer(b'<html>It works!</html>')


def no_choices(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """A whole answer in which there is none."""
    handler.answer({'id': 'x', 'object': 'chat.completion', 'model': 'm', 'choices': []})


def hang_up(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True
    handler.request.shutdown(socket.SHUT_RDWR)


def silence(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Never answers."""
    wait_for_client_to_go(handler)


def silent_stream(handler: Handler, protocol: Any, reply: Reply) -> None:
    """Begins a stream and says nothing more."""
    handler.begin_stream(protocol)
    handler.pour(itertools.islice(protocol.stream(reply), 1))
    wait_for_client_to_go(handler)


def half_stream(handler: Handler, protocol: Any, reply: Reply) -> None:
    """Breaks off in the middle, with the connection."""
    handler.begin_stream(protocol)
    handler.pour(first_half(protocol, reply))
    hang_up(handler, protocol, reply)


def clean_half_stream(handler: Handler, protocol: Any, reply: Reply) -> None:
    """Ends in the middle as if it were the end."""
    handler.begin_stream(protocol)
    handler.pour(first_half(protocol, reply))
    handler.end_stream()


def endless_stream(handler: Handler, protocol: Any, _reply: Reply) -> None:
    """Goes on and on, as fast as it can, in parts so large that its limit takes some hundred."""
    handler.begin_stream(protocol)
    handler.pour(protocol.endless(100 * AND_SO_ON))


def dripping_stream(handler: Handler, protocol: Any, _reply: Reply) -> None:
    """Goes on and on, a little at a time: never silent, never done."""
    handler.begin_stream(protocol)
    for part in protocol.endless():
        handler.pour([part])
        handler.owner.ended.wait(0.02)


def dripping_head(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Sends the head of its answer a byte at a time: never silent, never done."""
    drip(handler, b'HTTP/1.1 200 OK\r\nX-Words: ', b'x')


def dripping_body(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Sends the body of its answer a byte at a time."""
    drip(handler, b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', b' ')


def endless_promises(handler: Handler, _protocol: Any, _reply: Reply) -> None:
    """Says again and again that an answer will come."""
    drip(handler, b'', b'HTTP/1.1 102 Processing\r\n\r\n')


def drip(handler: Handler, begin: bytes, drop: bytes) -> None:
    handler.close_connection = True
    handler.wfile.write(begin)
    while not handler.owner.ended.wait(0.02):
        handler.wfile.write(drop)


DRIPPING = (dripping_head, dripping_body, endless_promises)


def first_half(protocol: Any, reply: Reply) -> Iterator[bytes]:
    parts = list(protocol.stream(reply))
    return iter(parts[: max(1, len(parts) // 2)])


def wait_for_client_to_go(handler: Handler) -> None:
    handler.request.settimeout(0.1)
    while not handler.owner.ended.is_set():
        try:
            if not handler.request.recv(1):
                break
        except TimeoutError:
            continue
    handler.close_connection = True


def main() -> None:
    """Serves until it is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--port', type=int, default=0)
    parser.add_argument('--key', default='')
    options = parser.parse_args()
    server = ModelServer(key=options.key, port=options.port)
    print(server.url, flush=True)
    threading.Event().wait()


if __name__ == '__main__':
    main()
