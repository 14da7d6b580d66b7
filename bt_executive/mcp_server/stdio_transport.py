"""The stdio transport of the MCP server, which answers every invalid line with an error.

The SDK drops a line that it cannot read, and the host waits for its time-out. Here the response
has the id of the request if it can be read, else `null`, as in JSON-RPC 2.0.
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
    """Serves the one client that started this process, until it closes the input."""
    with _private_input() as stdin:
        lines = ValidLines(stdin)
        # `stdio_server` only iterates over it.
        async with stdio_server(stdin=cast('anyio.AsyncFile[str]', lines)) as (incoming, outgoing):
            lines.set_output(cast('ObjectSendStream[SessionMessage]', outgoing))
            await server.run(incoming, outgoing, server.create_initialization_options())


class ValidLines:
    """Iterates over the valid messages of JSON-RPC; answers the invalid lines itself.

    Args:
        stdin: Bytes; read in a worker thread.
    """

    def __init__(self, stdin: IO[bytes]) -> None:
        self._stdin = stdin
        self._outgoing: asyncio.Future[ObjectSendStream[SessionMessage]] = (
            asyncio.get_running_loop().create_future()
        )

    def set_output(self, outgoing: ObjectSendStream[SessionMessage]) -> None:
        """Sets where error responses are sent; until then an invalid line waits."""
        self._outgoing.set_result(outgoing)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yields each valid line."""
        while line := await self._next():
            if not line.strip():
                continue
            refusal = await anyio.to_thread.run_sync(refusal_of, line)
            if refusal is None:
                yield line.decode()
            else:
                await self._answer(refusal)

    async def _next(self) -> bytes:
        """Return the next line, cut after `LONGEST` + 1 bytes; empty at the end of input."""
        line = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST + 1)
        chunk = line
        while len(line) > LONGEST and chunk and not chunk.endswith(b'\n'):
            chunk = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST)
        return line

    async def _answer(self, refusal: types.JSONRPCError) -> None:
        outgoing = await self._outgoing
        try:
            await outgoing.send(SessionMessage(refusal))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the server ends


@contextmanager
def _private_input() -> Iterator[IO[bytes]]:
    """Reserves standard input for the protocol: other readers find its end meanwhile."""
    private = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _BEYOND_STANDARD)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        # Not closed: a thread may still read it at the end.
        yield os.fdopen(private, 'rb', closefd=False)
    finally:
        os.dup2(private, 0)
