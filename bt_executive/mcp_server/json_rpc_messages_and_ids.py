"""Messages of JSON-RPC: their validation, and refusals of an id that is used twice.

The SDK drops an invalid line, and over HTTP it accepts repeated names and uses the last value. The
id is also read from a message that is cut, not UTF-8, or deeply nested.

The SDK forgets the first of two requests with one id: a cancellation ended the second, which was
waiting, and the drive of the first could no longer be cancelled. Over HTTP the response to the
first stayed open for ever, so there the second is refused before the SDK receives it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
import json
import re
from typing import Any, NamedTuple

import anyio
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.exceptions import MCPError
import mcp_types as types
from pydantic import ValidationError

from rover_common.json_values import RepeatedNameError, refuse_repeated_names

MOST_TOKENS = 200_000  # that are scanned, some 0.1 s; a long text is one of them
BYTE_ORDER_MARK = '\ufeff'
LONGEST_ID = 1000  # characters of an id's text
_TOKEN = re.compile(r'[{}\[\]:,"]|[^\s"{}\[\]:,]+')
_ID = re.compile(r'-?\d{1,18}')
LONGEST = 32 << 20  # bytes of a message
HEAD = 1 << 16  # bytes of a longer one that are searched for its id
NOTHING_DONE = 'nothing was done for it'
CANCELLED = 'notifications/cancelled'
SESSION = 'mcp-session-id'  # header over HTTP
Key = tuple[int | str, types.RequestId]  # the channel: a pipe, or the id of a session


@dataclass(frozen=True)
class Envelope:
    """The fields that can be read of a message of JSON-RPC.

    Attributes:
        request_id: Of a request; None if it has no id, more than one, or an invalid one.
        has_id: Whether it has an id of any kind.
    """

    request_id: int | str | None = None
    has_id: bool = False


def read_envelope(text: str) -> Envelope:
    """Read the fields of the outermost object."""
    fields = _fields(text.lstrip(BYTE_ORDER_MARK))
    ids = fields.get('"id"', [])
    if 'method' not in _names(fields) and {'result', 'error'} & _names(fields):
        return Envelope(None, bool(ids))  # a response, with the id of a request of ours
    distinct = set(ids)
    return Envelope(_id_of(distinct.pop()) if len(distinct) == 1 else None, bool(ids))


def _names(fields: dict[str, list[str]]) -> set[str]:
    return {name.strip('"') for name in fields}


def _fields(text: str) -> dict[str, list[str]]:
    """Return the texts of the outermost object's plain values by name; '' for other values."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    depth, name, awaits_value = 0, '', False
    for token in islice(_tokens(text), MOST_TOKENS):
        if depth == 1 and awaits_value and token not in '}]:,':
            fields[name].append('' if token in '{[' else token)
            awaits_value = False
        if token in '{[':
            depth += 1
            if depth == 1 and token == '[':
                break  # not an object
        elif token in '}]':
            depth -= 1
            if depth <= 0:
                break
        elif depth == 0:
            break  # not an object
        elif depth == 1 and token == ':':
            awaits_value = True
        elif depth == 1:
            name = token
    return fields


def _tokens(text: str) -> Iterator[str]:
    """Yield brackets, commas, colons, quoted texts and other values, until the text is cut."""
    text = text.rstrip()
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match[0] == '"':
            position = _end_of_text(text, position)
        elif position == len(text) and match[0] not in '}]':
            return  # a number may be cut: 12 of 123
        if not position:
            return
        yield text[match.start() : position]


def _end_of_text(text: str, start: int) -> int:
    """Return the end of the quoted text whose first character is at `start`; 0 if it is cut."""
    for _ in range(MOST_TOKENS):
        quote = text.find('"', start)
        if quote < 0:
            return 0
        piece = text[start:quote]
        start = quote + 1
        if (len(piece) - len(piece.rstrip('\\'))) % 2 == 0:
            return start
    return 0


def _id_of(token: str) -> int | str | None:
    if len(token) > LONGEST_ID:
        return None
    if _ID.fullmatch(token):
        return int(token)
    if not token.startswith('"'):
        return None
    try:
        text = json.loads(token)
        text.encode()  # lone surrogates cannot be sent back
    except ValueError:
        return None
    return str(text)


def refusal_of(received: bytes) -> types.JSONRPCError | None:
    """Return the error response to an invalid message; None for a valid one."""
    if len(received) > LONGEST:
        head = read_envelope(received[:HEAD].decode('utf-8', 'replace'))
        return _refusal(head, types.INVALID_REQUEST, f'it has more than {LONGEST} bytes')
    try:
        text = received.decode()
    except UnicodeDecodeError as error:
        envelope = read_envelope(received.decode('utf-8', 'replace'))
        return _refusal(envelope, types.PARSE_ERROR, f'it is not UTF-8 at byte {error.start}')
    try:
        message: Any = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first['type'] == 'json_invalid':
            return _refusal(read_envelope(text), types.PARSE_ERROR, first['msg'])
        reason = 'it is JSON, but not a message of JSON-RPC 2.0'
        return _refusal(read_envelope(text), types.INVALID_REQUEST, reason)
    return _misreading_refusal(message, text)


class Posted(NamedTuple):
    """A message that was posted over HTTP.

    Attributes:
        refusal: The error response if the SDK would misread it; None: the SDK may handle it.
        request_id: Of a request; None: it is no request.
    """

    refusal: types.JSONRPCError | None = None
    request_id: types.RequestId | None = None


def read_posted(received: bytes) -> Posted:
    """Read a message that came over HTTP."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(received, by_name=False)
    except ValidationError:
        return Posted()
    request_id = message.id if isinstance(message, types.JSONRPCRequest) else None
    return Posted(_misreading_refusal(message, received.decode()), request_id)


def refusal_with(request_id: types.RequestId, sentence: str) -> types.JSONRPCError:
    """Return the error response to the request of this id."""
    error = types.ErrorData(code=types.INVALID_REQUEST, message=sentence)
    return types.JSONRPCError(jsonrpc='2.0', id=request_id, error=error)


def _misreading_refusal(message: Any, text: str) -> types.JSONRPCError | None:
    """Return the error response to a message that the SDK would misread; None: it would not."""
    if isinstance(message, types.JSONRPCNotification) and read_envelope(text).has_id:
        reason = 'its id is neither an integer nor a string'
        return _refusal(Envelope(), types.INVALID_REQUEST, reason)
    try:
        refuse_repeated_names(text)
    except RepeatedNameError as error:
        return _refusal(read_envelope(text), types.INVALID_REQUEST, str(error))
    return None


def _refusal(envelope: Envelope, code: int, reason: str) -> types.JSONRPCError:
    sentence = f'The message cannot be read, and {NOTHING_DONE}: {reason}.'
    error = types.ErrorData(code=code, message=sentence)
    return types.JSONRPCError(jsonrpc='2.0', id=envelope.request_id, error=error)


class RequestIds:
    """Middleware of the SDK's server.

    A second request with the id of an open one is refused, and the first is cancelled, because a
    response or a cancellation could belong to either. A cancellation ends the request with its
    id, whatever the SDK has forgotten.
    """

    def __init__(self) -> None:
        self._open: dict[Key, anyio.CancelScope] = {}
        self._posted: set[Key] = set()
        self._repeated: set[Key] = set()  # posted twice before the first was open

    @contextmanager
    def posted(self, session: str, request_id: types.RequestId) -> Iterator[str]:
        """Reserves the id of a request over HTTP; yields why it is refused, or empty."""
        key = session, coerce_request_id(request_id)
        if key in self._posted:
            if key in self._open:
                self._open[key].cancel()
            else:
                self._repeated.add(key)
            yield _used_twice(request_id).error.message
            return
        self._posted.add(key)
        try:
            yield ''
        finally:
            self._posted.discard(key)
            self._repeated.discard(key)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handles a request or a notification.

        Raises:
            MCPError: Its id was used by two open requests.
        """
        channel = _channel_of(ctx)
        if ctx.request_id is None:
            if ctx.method == CANCELLED:
                self._cancel(channel, (ctx.params or {}).get('requestId'))
            return await call_next(ctx)
        key = channel, coerce_request_id(ctx.request_id)
        if key in self._open:
            self._open[key].cancel()
            raise _used_twice(ctx.request_id)
        if key in self._repeated:
            raise _used_twice(ctx.request_id)
        with anyio.CancelScope() as scope:
            self._open[key] = scope
            try:
                return await call_next(ctx)
            finally:
                del self._open[key]
        raise _used_twice(ctx.request_id)

    def _cancel(self, channel: int | str, request_id: Any) -> None:
        if isinstance(request_id, (int, str)):
            scope = self._open.get((channel, coerce_request_id(request_id)))
            if scope is not None:
                scope.cancel()


def request_ids_of(server: Server[object]) -> RequestIds:
    """Return this middleware of a server."""
    return next(item for item in server.middleware if isinstance(item, RequestIds))


def connection_of(context: ServerRequestContext[Any]) -> Connection:
    """Return the connection of a request, for its session and its `exit_stack`.

    The SDK has no public access to it from a handler.
    """
    return context.session._connection


def _channel_of(context: ServerRequestContext[Any]) -> int | str:
    """Return the channel within which ids must be unique: a pipe, or a session.

    Since 2026-07-28 each request over HTTP is a connection of its own, without such a channel.
    """
    connection = connection_of(context)
    if connection.session_id is not None:
        return connection.session_id
    return id(connection.outbound if connection.has_standalone_channel else connection)


def _used_twice(request_id: types.RequestId) -> MCPError:
    return MCPError(
        types.INVALID_REQUEST,
        f'The id {request_id!r:.80} was used for a second request while the first was under way: '
        'the first is cancelled, and the second was not started. Use each id once.',
    )
