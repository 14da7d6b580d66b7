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
from typing import IO, cast

import anyio
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
import mcp_types as types

from bt_executive.mcp_server.json_rpc_validation import LONGEST, refusal_of

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
