"""Recorded wires of six kinds of servers, in pieces of every size: the same message, or fault.

The files in `wires/` were written after the documentation of the servers. No socket and no thread:
the answer goes from bytes to the planner's message through the client library of the provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
import gzip
from itertools import pairwise
import json
from pathlib import Path
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
import pytest
import yaml

from bt_executive.planner.configured_planner import make_source
from bt_executive.planner.model_message_reading import MessageReader, validate_response
from bt_executive.planner.model_requests_and_timeouts import ModelClient
from bt_executive.planner.planner_run import EventQueue, Run
from rover_common.config.load import load_config
from rover_common.config.settings import PlannerSettings
from rover_common.llm.answer_body_repair import whole_lines
from rover_common.llm.bounded_http import Transport
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import reasoning_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker

pytestmark = pytest.mark.long

FOLDER = Path(__file__).with_name('wires')
PROVIDER = {'llamacpp': 'openai', 'vllm': 'openai'}  # by whose client they are asked
TOOLS = {'move_forward': True, 'mast_open': False}
KEYS = dict.fromkeys(('OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY', 'ANTHROPIC_API_KEY'), 'test-key')
SETTINGS = load_config().executive.planner
Split = Sequence[bytes]


@cache
def wires_of(kind: str) -> dict[str, Any]:
    found = yaml.safe_load((FOLDER / f'{kind}.yaml').read_text(encoding='utf-8'))
    return {each['name']: each for each in found}


KINDS = [path.stem for path in sorted(FOLDER.glob('*.yaml'))]
ALL = [(kind, name) for kind in KINDS for name in wires_of(kind)]


@cache
def source_of(kind: str) -> ModelSource:
    own = 'http://127.0.0.1:9' + ('/v1' if kind in ('openai', *PROVIDER) else '')
    given = {'provider': PROVIDER.get(kind, kind), 'model': 'm', 'base_url': own}
    settings: PlannerSettings = SETTINGS.model_copy(update=given)
    return make_source(settings, KEYS)


class Wire(Transport):
    """Answers each request with these pieces."""

    def __init__(self, recorded: Mapping[str, Any], pieces: Split, encoding: str) -> None:
        super().__init__(SETTINGS.request, lambda: None)
        self._recorded, self._pieces, self._encoding = recorded, pieces, encoding

    def _transport(self, url: httpx.URL) -> Any:
        del url
        headers = {**self._recorded['headers'], 'content-encoding': self._encoding}
        status, pieces = self._recorded['status'], self._pieces
        return httpx.MockTransport(
            lambda _: httpx.Response(status, headers=headers, stream=_Pieces(pieces))
        )


class _Pieces(httpx.SyncByteStream):
    def __init__(self, pieces: Split) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)


def what_comes(kind: str, recorded: Mapping[str, Any], pieces: Split, encoding: str) -> Any:
    """What a planner makes of an answer, in the words of the files."""
    source, transport = source_of(kind), Wire(recorded, pieces, encoding)
    run = Run(lambda: None, 9, EventQueue())
    circuit = CircuitBreaker(source.name, SETTINGS.circuit, lambda _sentence, _ok: None)
    client = ModelClient(run, transport, circuit, source, streaming=True)
    model: BaseChatModel = source.model
    try:
        with transport.in_use():
            message = client.ask(model, [HumanMessage('Drive.')], deadline=1e12)
        validate_response(message, list(TOOLS), source.is_served, streamed=True)
    except ModelError as fault:
        return fault
    said = MessageReader(TOOLS).read(message)
    if said.refused:
        return {'refused': said.text}
    calls = [[each.proposal.tool, dict(each.proposal.arguments)] for each in said.calls]
    assert not any(each.proposal.fault for each in said.calls)
    return ({'calls': calls} if calls else {'text': said.text}) | (
        {'reasoning': reasoning_of(message)} if reasoning_of(message) else {}
    )


def check(kind: str, name: str, pieces: Split, encoding: str = 'identity') -> None:
    recorded = wires_of(kind)[name]
    expected, found = recorded['expects'], what_comes(kind, recorded, pieces, encoding)
    if 'error' in expected:
        assert isinstance(found, ModelError), found
        assert expected['error'] in found.sentence
        assert found.again is expected['again']
        assert found.too_long is expected.get('too_long', False)
        assert found.refused is expected.get('asks_otherwise', found.refused)
        assert found.wait_s == pytest.approx(expected.get('wait_s', 0.0))
    elif 'refused' in expected:
        assert isinstance(found, dict), found
        assert found['refused'].startswith(expected['refused'])
    else:
        assert found == expected


def body_of(kind: str, name: str) -> bytes:
    body: bytes = wires_of(kind)[name]['body'].encode()
    return body.replace(b'\n', b'\r\n') if name == 'carriage returns' else body


@pytest.mark.parametrize(('kind', 'name'), ALL)
def test_an_answer_byte_by_byte_and_in_one_piece_and_compressed(kind: str, name: str) -> None:
    body = body_of(kind, name)
    check(kind, name, [body[at : at + 1] for at in range(len(body))])
    check(kind, name, [body])
    squeezed = gzip.compress(body, mtime=0)
    check(kind, name, [squeezed[at : at + 7] for at in range(0, len(squeezed), 7)], 'gzip')


@given(wire=st.sampled_from(ALL), where=st.lists(st.floats(0, 1), max_size=6))
def test_an_answer_in_any_pieces(wire: tuple[str, str], where: list[float]) -> None:
    body = body_of(*wire)
    cuts = sorted({0, *(int(share * len(body)) for share in where), len(body)})
    check(*wire, [body[a:b] for a, b in pairwise(cuts)])


@pytest.mark.parametrize(('kind', 'name'), ALL)
def test_the_lines_of_an_answer_are_the_same_wherever_it_is_cut(kind: str, name: str) -> None:
    """At every byte. The client library is given lines, so to it no cut makes a difference."""
    body = body_of(kind, name)
    whole = list(whole_lines([body]))
    for at in range(len(body) + 1):
        assert list(whole_lines([body[:at], body[at:]])) == whole, at


@given(kind=st.sampled_from(KINDS), where=st.floats(0, 1, exclude_max=True))
def test_an_answer_that_breaks_off_anywhere_calls_nothing(kind: str, where: float) -> None:
    """Neither half a call nor one with half of its arguments."""
    recorded, body = wires_of(kind)['call'], body_of(kind, 'call')
    at = int(where * len(body))
    found = what_comes(kind, recorded, [body[:at]], 'identity')
    assert isinstance(found, ModelError) or found == recorded['expects'], (at, found)


SSE = {'content-type': 'text/event-stream'}
ANSWER = {'object': 'chat.completion.chunk', 'model': 'm', 'created': 1, 'id': 'c'}


def events(*choices: list[dict[str, Any]]) -> bytes:
    lines = (json.dumps({**ANSWER, 'choices': each}) for each in choices)
    return b''.join(b'data: %s\n\n' % line.encode() for line in lines) + b'data: [DONE]\n\n'


def a_piece(index: int = 0, end: str | None = 'stop', **delta: Any) -> dict[str, Any]:
    return {'index': index, 'delta': {'content': 'Left.', **delta}, 'finish_reason': end}


@pytest.mark.parametrize(
    ('headers', 'body', 'says'),
    [
        ({'content-type': 'text/html; charset=utf-8'}, b'<html>Log in.</html>', 'a web page'),
        ({'content-type': 'text/plain'}, b'\n<!doctype html>\n<html>Log in.</html>', 'a web page'),
        (SSE, b'\xef\xbb\xbf<html>Log in.</html>', 'a web page'),
        ({}, b'<?xml version="1.0"?><html/>', 'a web page'),
        (SSE, b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n', 'no text in UTF-8'),
        (SSE, b'data: ' + b'[' * 10_000 + b']' * 10_000 + b'\n\n', 'nested too deeply'),
        (SSE, events([a_piece(0), a_piece(1)]), 'several answers'),
        (SSE, events([a_piece(0, None)], [a_piece(1, None)], [a_piece(0)]), 'several answers'),
        (SSE, b'data: {"choices": [null]}\n\n', 'is no object'),
        (SSE, b'', 'holds no message'),
    ],
)
def test_a_server_that_misbehaves(headers: dict[str, str], body: bytes, says: str) -> None:
    found = what_comes('openai', {'status': 200, 'headers': headers}, [body], 'identity')
    assert isinstance(found, ModelError)
    assert says in found.sentence
    assert found.again


@pytest.mark.parametrize('status', [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    'headers',
    [
        {'location': 'https://u:secret@other.example/v2?key=secret'},
        {'location': '/v2'},
        {'location': '//'},
        {},
    ],
)
def test_a_redirection_is_told_and_not_followed(status: int, headers: dict[str, str]) -> None:
    recorded = {'status': status, 'headers': headers}
    found = what_comes('openai', recorded, [b''], 'identity')
    assert isinstance(found, ModelError)
    assert 'planner.base_url' in found.sentence
    assert 'secret' not in found.sentence
    assert not found.again


def test_a_page_of_errors_is_told_by_its_text() -> None:
    page = b'<html><head><title>502 Bad Gateway</title></head><p>nginx</p></html>'
    found = what_comes('openai', {'status': 502, 'headers': {}}, [page], 'identity')
    assert isinstance(found, ModelError)
    assert found.sentence == 'openai failed (HTTP 502): 502 Bad Gateway nginx'


def test_a_call_beside_a_refusal_is_told_as_that() -> None:
    call = {'index': 0, 'id': 'a', 'function': {'name': 'mast_open', 'arguments': '{}'}}
    body = events([a_piece(end='tool_calls', refusal='No.', tool_calls=[call])])
    found = what_comes('openai', {'status': 200, 'headers': SSE}, [body], 'identity')
    assert isinstance(found, ModelError)
    assert "ended with 'something else beside it'" in found.sentence


def test_two_calls_with_one_id_stay_two() -> None:
    def call(index: int, name: str) -> dict[str, Any]:
        asked = {'name': name, 'arguments': '{}'}
        return {'index': index, 'id': 'same', 'type': 'function', 'function': asked}

    body = events([a_piece(end='tool_calls', tool_calls=[call(0, 'mast_open'), call(1, 'no')])])
    found = what_comes('openai', {'status': 200, 'headers': SSE}, [body], 'identity')
    assert found == {'calls': [['mast_open', {}], ['no', {}]]}


@pytest.mark.parametrize('encoding', ['gzip', 'deflate', 'br'])
def test_what_is_no_compressed_answer_is_a_fault(encoding: str) -> None:
    recorded = wires_of('openai')['text']
    found = what_comes('openai', recorded, [b'\x1f\x8b nonsense'], encoding)
    assert isinstance(found, ModelError)


@pytest.mark.parametrize('encoding', ['GZIP', 'x-gzip'])
@pytest.mark.parametrize('size', [1, 7, 10_000])
def test_an_answer_in_several_parts_of_gzip_is_whole(encoding: str, size: int) -> None:
    body = body_of('openai', 'call')
    parts = (body[at : at + 90] for at in range(0, len(body), 90))
    squeezed = b''.join(gzip.compress(each) for each in parts) + b'\0\0'
    pieces = [squeezed[at : at + size] for at in range(0, len(squeezed), size)]
    check('openai', 'call', pieces, encoding)


def test_a_flood_of_calls_ends_at_the_first_that_is_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def call(index: int) -> dict[str, Any]:
        asked = {'name': 'mast_open', 'arguments': '{}'}
        return {'index': index, 'id': f'c{index}', 'type': 'function', 'function': asked}

    heard: list[Any] = []
    monkeypatch.setattr(ModelClient, '_receive', lambda _self, chunk: heard.append(chunk))
    body = events(*([a_piece(end=None, tool_calls=[call(index)])] for index in range(2000)))
    found = what_comes('openai', {'status': 200, 'headers': SSE}, [body], 'identity')
    assert isinstance(found, ModelError)
    assert 'more than 32 tool calls' in found.sentence
    assert len(heard) == 33


def test_a_compressed_answer_keeps_to_the_limit_of_its_text() -> None:
    recorded = wires_of('openai')['text']
    endless = gzip.compress(b': keep-alive\n\n' * (SETTINGS.request.max_bytes // 10))
    found = what_comes('openai', recorded, [endless], 'gzip')
    assert isinstance(found, ModelError)
    assert 'was longer than' in found.sentence
    assert len(json.dumps(found.sentence)) < 300
