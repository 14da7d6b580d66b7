"""Refuses what is no message of JSON-RPC, over standard input and HTTP alike. Pure.

The SDK drops such a line, and over HTTP it takes the last of two values with one name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mcp_types as types
from pydantic import ValidationError

from bt_executive.mcp_server.envelope import Envelope, read_envelope
from rover_common.json_text import RepeatedNameError, refuse_repeated_names

LONGEST = 32 << 20  # bytes of a message
HEAD = 1 << 16  # bytes of a longer one that are looked at for its id
NOTHING_DONE = 'nothing was done for it'


def refusal_of(received: bytes) -> types.JSONRPCError | None:
    """Return the error for bytes that are no message; None for one that is."""
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
        why = 'it is JSON, but not a message of JSON-RPC 2.0'
        return _refusal(read_envelope(text), types.INVALID_REQUEST, why)
    return _misread(message, text)


class Posted(NamedTuple):
    """What was read of a posted message.

    Attributes:
        refusal: The error for one that the SDK would misread; None: it refuses it itself.
        request_id: Of a request; None: it is none.
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
    return Posted(_misread(message, received.decode()), request_id)


def refusal_with(request_id: types.RequestId, sentence: str) -> types.JSONRPCError:
    """Return the error that refuses a request of this id."""
    error = types.ErrorData(code=types.INVALID_REQUEST, message=sentence)
    return types.JSONRPCError(jsonrpc='2.0', id=request_id, error=error)


def _misread(message: Any, text: str) -> types.JSONRPCError | None:
    if isinstance(message, types.JSONRPCNotification) and read_envelope(text).has_id:
        why = 'its id is neither an integer nor a string'
        return _refusal(Envelope(), types.INVALID_REQUEST, why)
    try:
        refuse_repeated_names(text)
    except RepeatedNameError as error:
        return _refusal(read_envelope(text), types.INVALID_REQUEST, str(error))
    return None


def _refusal(envelope: Envelope, code: int, why: str) -> types.JSONRPCError:
    sentence = f'The message cannot be read, and {NOTHING_DONE}: {why}.'
    error = types.ErrorData(code=code, message=sentence)
    return types.JSONRPCError(jsonrpc='2.0', id=envelope.request_id, error=error)
