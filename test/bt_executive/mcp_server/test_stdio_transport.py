"""Over standard input and output every request is answered, and no drive is without an owner.

The server is a process of its own; the robot within it is played, and says on standard error what
is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
import subprocess
import sys
from typing import IO, Any

from hypothesis import example, given
from hypothesis import strategies as st
from mcp_stage import INITIALIZE, INITIALIZED, own_namespace
import mcp_types as types
import pytest
from warm import WarmPopen

from bt_executive.mcp_server.json_rpc_messages_and_ids import (
    LONGEST,
    MOST_TOKENS,
    read_envelope,
    refusal_of,
)
from bt_executive.mcp_server.tools_as_mcp_schemas import STOP

CHILD = """
import sys
from pathlib import Path
from fakes.mcp_server import FakeAgentPort
from bt_executive.client.robots_option import FleetRobot
from bt_executive.mcp_server.run_mcp import McpOptions, run_mcp
from rover_common.config.load import load_config

class Robot(FakeAgentPort):
    def start(self, ticket, request):
        print('started', ticket, file=sys.stderr, flush=True)

    def cancel_goal(self, ticket):
        print('cancelled', ticket, file=sys.stderr, flush=True)
        super().cancel_goal(ticket)

arguments = ['--ros-args', '-r', f'__ns:={sys.argv[1]}']
options = McpOptions([FleetRobot('', load_config(), arguments)], None, Path('runs'), '1.2.3')
sys.exit(run_mcp(options, lambda config, put, ros_arguments: Robot(put)))
"""
DIGITS = '1' * 5000
ROBOT = (b'started', b'cancelled')
Id = int | str | None


def request(number: Any, method: str = 'ping', **params: Any) -> dict[str, Any]:
    found = {'jsonrpc': '2.0', 'id': number, 'method': method}
    return found | ({'params': params} if params else {})


def call(number: Any, tool: str) -> dict[str, Any]:
    return request(number, 'tools/call', name=tool, arguments={})


class Server:
    """A server, spoken to line by line."""

    def __init__(self, namespace: str) -> None:
        self._process = WarmPopen(
            [sys.executable, '-c', CHILD, namespace],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.send(INITIALIZE)
        assert self.answer()['id'] == INITIALIZE['id']
        self.send(INITIALIZED)

    def send(self, line: bytes | dict[str, Any]) -> None:
        pipe = self._pipe(self._process.stdin)
        pipe.write(line if isinstance(line, bytes) else json.dumps(line).encode())
        pipe.write(b'\n')
        pipe.flush()

    def answer(self) -> Any:
        """The next message but progress."""
        while (found := json.loads(self._pipe(self._process.stdout).readline())).get('method'):
            pass
        return found

    def robot(self) -> str:
        """What the robot is asked next; the SDK says more there."""
        while not (said := self._pipe(self._process.stderr).readline()).startswith(ROBOT):
            assert said, 'the server has ended'
        return said.decode().strip()

    def close(self) -> None:
        self._pipe(self._process.stdin).close()
        self._pipe(self._process.stdout).read()
        assert self._process.wait() == 0
        assert b'Traceback' not in self._pipe(self._process.stderr).read()

    def abandon(self, last: dict[str, Any]) -> tuple[int, set[str], bool]:
        """Reads no answer, and ends after a last message.

        Returns the exit code, what the robot was asked, and whether there was a traceback.
        """
        self._pipe(self._process.stdout).close()
        self.send(last)
        self._pipe(self._process.stdin).close()
        said = self._pipe(self._process.stderr).read()
        asked = {line.decode() for line in said.splitlines() if line.startswith(ROBOT)}
        return self._process.wait(), asked, b'Traceback' in said

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe
        return pipe


@pytest.mark.process
def test_a_client_that_ends_while_it_is_answered_has_left(tmp_path: Path) -> None:
    server = Server(own_namespace(tmp_path))
    server.send(call(1, 'move_nudge'))
    assert server.robot() == 'started 1'
    assert server.abandon(request(2)) == (0, {'cancelled 1'}, False)


@pytest.fixture(scope='module')
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(own_namespace(tmp_path_factory.mktemp('stdio')))
    yield made
    made.close()


BAD = [
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\\ud800"}}', 7),
    (b'{"method":"ping","params":{"a":"\\ud800"},"jsonrpc":"2.0","id":"seven"}', 'seven'),
    (f'{{"jsonrpc":"2.0","id":8,"method":"ping","params":{{"a":{DIGITS}}}}}'.encode(), 8),
    (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":' + b'[' * 3000 + b'}', 9),
    (b'{"params":{"a":' + b'[' * 3000 + b']' * 3000 + b'},"id":10,"method":"ping"}', 10),
    (b'{"jsonrpc":"2.0","id":11,"method":"tools/ca', 11),
    (b'{"jsonrpc":"2.0","id":27,"method":"ping","params":{"a":{"s":1,"s":25}}}', 27),
    (b'{"jsonrpc":"2.0","method":"ping","params":{"a":"\xff\xfe"},"id":12}', 12),
    (b'{"jsonrpc":"2.0","id":13,"method":"ping","params":[1]}', 13),
    (b'{"jsonrpc":"2.0","id":14,"method":7}', 14),
    (b'{"jsonrpc":"1.0","id":15,"method":"ping"}', 15),
    (b'{"id":16,"method":"ping","params":{"a":1,}}', 16),
    (b'{"jsonrpc":"2.0","id":17,"method":"x","params":{"a":"' + b'x' * LONGEST + b'"}}', 17),
    (f'{{"jsonrpc":"2.0","id":{DIGITS},"method":"ping"}}'.encode(), None),
    (b'{"jsonrpc":"2.0","id":12', None),  # of 123
    (b'{"jsonrpc":"2.0","id":1,"id":2,"method":7}', None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}', None),  # no request
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None),
    (b'not JSON', None),
    (b'"', None),
    (b'{', None),
    (b'\xff\xff', None),
    (b'null', None),
]


@pytest.mark.process
def test_a_line_that_cannot_be_read_is_answered_and_the_server_goes_on(server: Server) -> None:
    for line, number in BAD:
        server.send(line)
        answer = server.answer()
        assert answer['id'] == number, line[:100]
        assert answer['error']['code'] in (types.PARSE_ERROR, types.INVALID_REQUEST)
        assert 'nothing was done for it' in answer['error']['message']
        server.send(b'')
        server.send(request('after it'))
        assert server.answer() == {'jsonrpc': '2.0', 'id': 'after it', 'result': {}}


@pytest.mark.process
@pytest.mark.parametrize('second', [call(20, 'mast_open'), request('20'), call(20, STOP)])
def test_an_id_that_is_used_twice_ends_the_drive_and_begins_nothing(
    server: Server, second: dict[str, Any]
) -> None:
    server.send(call(20, 'move_nudge'))
    assert server.robot().startswith('started')
    server.send(second)
    assert server.robot().startswith('cancelled')
    for _ in range(2):
        answer = server.answer()
        assert answer['error']['code'] == types.INVALID_REQUEST
        assert 'Use each id once' in answer['error']['message']
    server.send(request('after it'))
    assert server.answer()['id'] == 'after it'


@pytest.mark.process
@pytest.mark.parametrize('cancelled', [21, '21'])
def test_a_cancellation_by_an_id_ends_its_drive_and_no_other(
    server: Server, cancelled: int | str
) -> None:
    server.send(call(21, 'move_nudge'))
    assert server.robot().startswith('started')
    for number in (22, None, [21], 21.5):
        params = {'requestId': number}
        method = 'notifications/cancelled'
        server.send({'jsonrpc': '2.0', 'method': method, 'params': params})
    server.send(request('between'))
    assert server.answer()['id'] == 'between'
    found = {'requestId': cancelled}
    server.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': found})
    assert server.robot().startswith('cancelled')


@pytest.mark.process
def test_a_client_that_leaves_ends_its_drive(tmp_path: Path) -> None:
    server = Server(own_namespace(tmp_path))
    server.send(call(1, 'move_nudge'))
    assert server.robot() == 'started 1'
    server.close()


WHOLE = json.dumps(request(41, 'tools/call', name='goal', arguments={'goal': 'look "around"'}))


@given(st.integers(0, len(WHOLE)), st.sampled_from([*'"{}[]:,\\', '\\ud800', '9' * 5000, '\0']))
@example(len(WHOLE), '')
def test_of_a_damaged_request_the_id_is_read_or_none(at: int, put: str) -> None:
    for line in (WHOLE[:at] + put + WHOLE[at:], WHOLE[:at], WHOLE[at:], WHOLE[:at] + put):
        refusal = refusal_of(line.encode())
        if refusal is None:
            types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        elif line.startswith('{"jsonrpc": "2.0", "id": 41,'):
            assert refusal.id == 41
        else:
            assert refusal.id is None or line.strip()[:1] == '{'


def test_a_byte_order_mark_hides_no_id() -> None:
    refusal = refusal_of(f'\ufeff{WHOLE}'.encode())
    assert refusal is not None
    assert refusal.id == 41


@given(st.binary(max_size=60))
def test_no_line_is_left_without_an_answer_or_a_reader(line: bytes) -> None:
    refusal = refusal_of(line)
    if refusal is None:
        types.jsonrpc_message_adapter.validate_json(line.decode(), by_name=False)
    else:
        refusal.model_dump_json()


@pytest.mark.slow
@pytest.mark.parametrize(
    'text',
    [
        '[' * 10 * MOST_TOKENS,
        '{"a":' * MOST_TOKENS,
        '{"a":"' + '\\"' * MOST_TOKENS * 2,
        '{' + '1,' * MOST_TOKENS,
    ],
)
def test_what_has_too_many_parts_is_not_searched_to_its_end(text: str) -> None:
    assert read_envelope(text + ',"id":4,"method":""}').request_id is None
