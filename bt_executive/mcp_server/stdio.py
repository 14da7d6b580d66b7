"""Standard input and output, on which every line that asks for something is answered.

The SDK drops a line that it cannot read, and the host waits for its time-out. Here such a line is
answered with an error: with the id of the request where one can be read, else with `null`, as
JSON-RPC 2.0 has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
import fcntl
import os
from typing import IO, Any, cast

import anyio
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
import mcp_types as types
from pydantic import ValidationError

from bt_executive.mcp_server.envelope import Envelope, read_envelope
from rover_common.json_text import refuse_repeated_names

LONGEST = 32 << 20  # bytes of a line
HEAD = 1 << 16  # bytes of a longer one that are looked at for its id
NOTHING_DONE = 'nothing was done for it'
_BEYOND_STANDARD = 3


async def serve_stdio(server: Server[object]) -> None:
    """Serves the one client that started this process, until it closes our input."""
    with _own_input() as stdin:
        lines = AnsweredLines(stdin)
        # It uses the input as an async iterator alone.
        given = cast('anyio.AsyncFile[str]', lines)
        async with stdio_server(stdin=given) as (incoming, outgoing):
            lines.answer_by(cast('ObjectSendStream[SessionMessage]', outgoing))
            await server.run(incoming, outgoing, server.create_initialization_options())


class AnsweredLines:
    """Iterates over the lines that are messages of JSON-RPC; answers the others itself.

    Args:
        stdin: Bytes; read in a worker thread.
    """

    def __init__(self, stdin: IO[bytes]) -> None:
        self._stdin = stdin
        self._outgoing: asyncio.Future[ObjectSendStream[SessionMessage]] = (
            asyncio.get_running_loop().create_future()
        )

    def answer_by(self, outgoing: ObjectSendStream[SessionMessage]) -> None:
        """Sets where answers go; until then a line that needs one waits."""
        self._outgoing.set_result(outgoing)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yields each line that the SDK can read."""
        while line := await self._next():
            if not line.strip():
                continue
            refusal = await anyio.to_thread.run_sync(refusal_of, line)
            if refusal is None:
                yield line.decode()
            else:
                await self._answer(refusal)

    async def _next(self) -> bytes:
        """Return the next line, of a longer one than `LONGEST` only so much; empty at the end."""
        line = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST + 1)
        rest = line
        while len(line) > LONGEST and rest and not rest.endswith(b'\n'):
            rest = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST)
        return line

    async def _answer(self, refusal: types.JSONRPCError) -> None:
        outgoing = await self._outgoing
        try:
            await outgoing.send(SessionMessage(refusal))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the server ends, and with it whoever waits


def refusal_of(line: bytes) -> types.JSONRPCError | None:
    """Return the answer to a line that is no message; None for one that is."""
    if len(line) > LONGEST:
        head = read_envelope(line[:HEAD].decode('utf-8', 'replace'))
        return _refusal(head, types.INVALID_REQUEST, f'it has more than {LONGEST} bytes')
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        envelope = read_envelope(line.decode('utf-8', 'replace'))
        return _refusal(envelope, types.PARSE_ERROR, f'it is not UTF-8 at byte {error.start}')
    try:
        message: Any = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first['type'] == 'json_invalid':
            return _refusal(read_envelope(text), types.PARSE_ERROR, first['msg'])
        why = 'it is JSON, and no message of JSON-RPC 2.0'
        return _refusal(read_envelope(text), types.INVALID_REQUEST, why)
    if isinstance(message, types.JSONRPCNotification) and read_envelope(text).has_id:
        why = 'its id is neither an integer nor a string'
        return _refusal(Envelope(), types.INVALID_REQUEST, why)
    try:
        refuse_repeated_names(text)
    except ValueError as error:
        return _refusal(read_envelope(text), types.INVALID_REQUEST, str(error))
    return None


def _refusal(envelope: Envelope, code: int, why: str) -> types.JSONRPCError:
    sentence = f'The line cannot be read, and {NOTHING_DONE}: {why}.'
    error = types.ErrorData(code=code, message=sentence)
    return types.JSONRPCError(jsonrpc='2.0', id=envelope.request_id, error=error)


@contextmanager
def _own_input() -> Iterator[IO[bytes]]:
    """Keeps the input for the protocol: whatever else reads from it meanwhile finds its end."""
    private = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _BEYOND_STANDARD)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        # Not closed: at the end a thread may still wait for it.
        yield os.fdopen(private, 'rb', closefd=False)
    finally:
        os.dup2(private, 0)
