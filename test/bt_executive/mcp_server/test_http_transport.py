"""HTTP: on loopback, with the token, and for no page of another host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
import json
from pathlib import Path
import socket

import httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_stage import INITIALIZE, INITIALIZED, Stage, begun_call, play, text_of
import pytest

from bt_executive.client.front_end_events import ExecutiveReady, GoalEnded
from bt_executive.mcp_server.json_rpc_messages_and_ids import request_ids_of
from bt_executive.mcp_server.mcp_access import PATH, new_token
from bt_executive.mcp_server.mcp_transports import ReadableMessages, serve_http
from bt_executive.mcp_server.tools_as_mcp_schemas import GOAL, STOP
from rover_common.process import unfinished_http_requests
from rover_common.process.loopback import HOST
from rover_common.process.unfinished_http_requests import TOO_LATE

TOKEN = new_token()
ACCEPT = {'Accept': 'application/json, text/event-stream'}
pytestmark = pytest.mark.process  # opens a port of its own


@asynccontextmanager
async def served(stage: Stage) -> AsyncIterator[str]:
    """The address of a server with the stage's robot."""
    listening = socket.create_server((HOST, 0))
    stage.begin()
    serving = asyncio.create_task(serve_http(stage.server.mcp, listening, TOKEN))
    try:
        yield f'http://{HOST}:{listening.getsockname()[1]}{PATH}'
    finally:
        serving.cancel()
        await asyncio.wait([serving])


@pytest.mark.parametrize('header', [{}, {'Authorization': 'Bearer wrong'}])
async def test_nobody_comes_in_without_the_token(stage: Stage, header: dict[str, str]) -> None:
    async with served(stage) as url, httpx.AsyncClient() as stranger:
        answer = await stranger.post(url, headers=header, json={})
        assert answer.status_code == 401
        assert 'wants its token' in answer.text


async def test_a_page_of_another_host_is_refused(stage: Stage) -> None:
    async with served(stage) as url, httpx.AsyncClient() as browser:
        headers = {'Authorization': f'Bearer {TOKEN}', 'Origin': 'http://evil.example'}
        assert (await browser.post(url, headers=headers, json={})).status_code == 403


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
async def test_with_the_token_a_client_calls_and_one_that_goes_is_cancelled(
    stage: Stage, mode: str
) -> None:
    headers = {'Authorization': f'Bearer {TOKEN}'}
    async with served(stage) as url:
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                put = stage.robot.put
                stage.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'reached', 'ok'))
                assert not (await client.call_tool('mast_open')).is_error
                assert not (await client.call_tool(STOP)).is_error
                call = await begun_call(stage.robot, client)
                call.cancel()
                await asyncio.wait([call])
        while stage.robot.cancelled != [2]:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize('body', [json.dumps(INITIALIZE).encode(), b'{"jsonrpc"'])
async def test_a_message_whose_client_leaves_before_its_end_is_dropped(
    stage: Stage, body: bytes
) -> None:
    """The SDK would write a traceback into the log."""
    received: Iterator[dict[str, object]] = iter(
        [{'type': 'http.request', 'body': body, 'more_body': True}, {'type': 'http.disconnect'}]
    )
    done = list[object]()

    async def app(*_: object) -> None:
        done.append('called')

    async def receive() -> dict[str, object]:
        return next(received)

    async def send(message: object) -> None:
        done.append(message)

    scope = {'type': 'http', 'method': 'POST', 'headers': []}
    await ReadableMessages(app, request_ids_of(stage.server.mcp))(scope, receive, send)
    assert done == []


async def test_nothing_is_begun_for_a_client_that_has_left_meanwhile(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the executive was awaited."""
    stage.ready = False
    asked, over = asyncio.Event(), asyncio.Event()
    acquire, end_call = stage.lock.acquire, stage.lock.end_call

    def acquired(client: str, *, is_unique: bool) -> str:
        asked.set()
        return acquire(client, is_unique=is_unique)

    def ended() -> None:
        end_call()
        over.set()

    monkeypatch.setattr(stage.lock, 'acquire', acquired)
    monkeypatch.setattr(stage.lock, 'end_call', ended)
    async with served(stage) as url:
        stage.robot.on_start = lambda _: over.set()
        async with httpx.AsyncClient(timeout=60.0) as http:
            session = await Session(url, http).begin()
            call = asyncio.create_task(session.call(2, 'move_nudge'))
            await asked.wait()
            call.cancel()
            await asyncio.wait([call])
        async with httpx.AsyncClient() as other:  # after which the server has read that end, too
            assert (await other.post(url, json={})).status_code == 401
        stage.robot.put(ExecutiveReady())
        await over.wait()
    assert stage.robot.started == []


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
async def test_two_windows_of_one_program_do_not_drive_at_once(stage: Stage, mode: str) -> None:
    headers = {'Authorization': f'Bearer {TOKEN}'}
    async with served(stage) as url, AsyncExitStack() as windows:

        async def window() -> Client:
            made = create_mcp_http_client(headers=headers)
            http = await windows.enter_async_context(made)
            transport = streamable_http_client(url, http_client=http)
            return await windows.enter_async_context(Client(transport, mode=mode))

        first, second = await window(), await window()
        call = await begun_call(stage.robot, first)
        refused = await second.call_tool('mast_open')
        assert 'holds the robot' in text_of(refused)
        assert ('call under way' in text_of(refused)) == (mode == 'auto')  # has no session
        stage.robot.put(GoalEnded(1, 'reached', 'ok'))
        assert not (await call).is_error


def test_a_server_that_ends_lets_a_connected_client_go_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path)

    async def scene() -> None:
        headers = {'Authorization': f'Bearer {TOKEN}'}
        async with create_mcp_http_client(headers=headers) as http, served(stage) as url:
            asked = await http.post(url, headers=ACCEPT, json=INITIALIZE)
            session = {'Mcp-Session-Id': asked.headers['Mcp-Session-Id']}
            request = http.build_request('GET', url, headers=ACCEPT | session)
            await http.send(request, stream=True)

    play(scene)
    assert 'Traceback' not in capsys.readouterr().err


@pytest.mark.parametrize('scheme', ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
@pytest.mark.parametrize('gap', [' ', '  '])
async def test_the_scheme_of_a_token_knows_no_case(stage: Stage, scheme: str, gap: str) -> None:
    async with served(stage) as url, httpx.AsyncClient() as http:
        headers = ACCEPT | {'Authorization': f'{scheme}{gap}{TOKEN}'}
        assert (await http.post(url, headers=headers, json=INITIALIZE)).status_code == 200
        for wrong in (f'{scheme}{TOKEN}', f'Basic {TOKEN}', f'{scheme} {TOKEN}x', TOKEN):
            headers['Authorization'] = wrong
            assert (await http.post(url, headers=headers, json=INITIALIZE)).status_code == 401


class Session:
    """A session over HTTP, request by request."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        self._url, self._http = url, http
        self.headers = ACCEPT | {'Authorization': f'Bearer {TOKEN}'}

    async def begin(self) -> Session:
        asked = await self.post(INITIALIZE)
        self.headers['Mcp-Session-Id'] = asked.headers['Mcp-Session-Id']
        await self.post(INITIALIZED)
        return self

    async def post(self, message: Mapping[str, object]) -> httpx.Response:
        return await self._http.post(self._url, headers=self.headers, json=message)

    async def call(self, number: int | str, tool: str, **arguments: object) -> httpx.Response:
        params = {'name': tool, 'arguments': arguments}
        return await self.post(
            {'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': params}
        )

    async def end(self) -> None:
        ended = await self._http.delete(self._url, headers=self.headers)
        assert ended.status_code == 200


async def test_a_session_that_ends_lets_go_of_the_robot_once_its_drive_has_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(stage) as url, httpx.AsyncClient(timeout=60.0) as http:
        first, second = await Session(url, http).begin(), await Session(url, http).begin()
        put = stage.robot.put
        stage.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'reached', 'ok'))
        assert '"isError":false' in (await first.call(2, 'mast_open')).text
        assert 'holds the robot' in (await second.call(2, 'mast_open')).text
        await first.end()
        while 'holds the robot' in (await second.call(3, 'mast_open')).text:
            pass  # the session is wound up beside its DELETE

        started, ends = asyncio.Event(), asyncio.Event()
        stage.robot.on_start = lambda _: started.set()
        third = await Session(url, http).begin()
        cancel = stage.robot.cancel_goal
        monkeypatch.setattr(stage.robot, 'cancel_goal', lambda _: ends.set())
        drive = asyncio.create_task(second.call(4, 'move_nudge'))
        await started.wait()
        await second.end()
        await ends.wait()
        assert 'holds the robot' in (await third.call(2, 'mast_open')).text, 'it still drives'
        cancel(stage.robot.started[-1][0])
        stage.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'reached', 'ok'))
        while 'holds the robot' in (await third.call(3, 'mast_open')).text:
            pass
        await asyncio.wait([drive])


@pytest.mark.parametrize('second', [7, '7'])
async def test_an_id_that_is_used_twice_ends_the_responses_to_both(
    stage: Stage, second: int | str
) -> None:
    async with served(stage) as url, httpx.AsyncClient(timeout=60.0) as http:
        session = await Session(url, http).begin()
        started = asyncio.Event()
        stage.robot.on_start = lambda _: started.set()
        drive = asyncio.create_task(session.call(7, 'move_nudge'))
        await started.wait()
        refused = await session.call(second, 'mast_open')
        assert (refused.status_code, refused.json()['id']) == (400, second)
        for answer in (refused, await drive):
            assert 'Use each id once' in answer.text
        assert len(stage.robot.started) == 1
        assert stage.robot.cancelled == [1]
        put = stage.robot.put
        stage.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'reached', 'ok'))
        assert '"isError":false' in (await session.call(7, 'mast_open')).text


async def test_a_long_text_reaches_the_robot_whose_sentence_is_reported(stage: Stage) -> None:
    async with served(stage) as url, httpx.AsyncClient(timeout=60.0) as http:
        session = await Session(url, http).begin()
        put = stage.robot.put
        stage.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'failed', 'too long'))
        assert 'too long' in (await session.call(2, GOAL, goal='x' * 20_000_000)).text


@pytest.mark.parametrize('twice', ['"method": "ping"', '"params": {"a": 1, "a": 2}'])
async def test_a_message_that_repeats_a_name_is_refused_as_on_standard_input(
    stage: Stage, twice: str
) -> None:
    body = f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", {twice}}}'

    async with served(stage) as url, httpx.AsyncClient() as http:
        session = await Session(url, http).begin()
        answer = await http.post(url, content=body, headers=session.headers)
        assert answer.status_code == 400
        assert (answer.json()['error']['code'], answer.json()['id']) == (-32600, 7)


DEEP = 5000
PING = '{"jsonrpc": "2.0", "method": "ping", "id": %s, "params": %s}'


@pytest.mark.parametrize(
    ('body', 'code'),
    [
        (PING % (7, '[' * DEEP), -32700),
        (PING % (7, '{"a":' * DEEP + '1' + '}' * (DEEP + 1)), -32700),
        (PING % (7, '{"a": "\\ud800"}'), -32700),
        (PING % ('1.5', '{}'), -32600),
        (PING % ('true', '{}'), -32600),
        (PING % ('null', '{}'), -32600),
        ('', -32700),
    ],
)
def test_a_body_that_is_no_message_is_refused_as_on_standard_input(
    stage: Stage, capsys: pytest.CaptureFixture[str], body: str, code: int
) -> None:
    async def scene() -> None:
        async with served(stage) as url, httpx.AsyncClient() as http:
            session = await Session(url, http).begin()
            headers = session.headers | {'Content-Type': 'application/json'}
            answer = await http.post(url, content=body, headers=headers)
            assert (answer.status_code, answer.json()['error']['code']) == (400, code)

    play(scene)
    assert 'Traceback' not in capsys.readouterr().err


async def test_a_connection_without_a_request_is_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)

    async with served(stage) as url:
        port = httpx.URL(url).port
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(b'POST /mcp HTTP/1.1\r\nHost: x\r\n')
        assert await reader.read() == TOO_LATE
        writer.close()
