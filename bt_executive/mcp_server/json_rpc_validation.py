"""Refuses what is no message of JSON-RPC, over standard input and HTTP alike. Pure.

The SDK drops such a line, and over HTTP it takes the last of two values with one name.

Half of a message, one with half of a character, or with 3,000 brackets still shows its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
import json
import re
from typing import Any, NamedTuple

import mcp_types as types
from pydantic import ValidationError

from rover_common.json_text import RepeatedNameError, refuse_repeated_names

MOST_TOKENS = 200_000  # looked at, some 0.1 s; a long text is one of them
BYTE_ORDER_MARK = '\ufeff'
LONGEST_ID = 1000  # characters of an id's text
_TOKEN = re.compile(r'[{}\[\]:,"]|[^\s"{}\[\]:,]+')
_ID = re.compile(r'-?\d{1,18}')


@dataclass(frozen=True)
class Envelope:
    """What can be read of a message of JSON-RPC.

    Attributes:
        request_id: Of a request; None if it has none, more than one, or none that is allowed.
        has_id: Whether it has an id of any kind.
    """

    request_id: int | str | None = None
    has_id: bool = False


def read_envelope(text: str) -> Envelope:
    """Read the fields of the outermost object, as far as there are any."""
    fields = _fields(text.lstrip(BYTE_ORDER_MARK))
    given = fields.get('"id"', [])
    if 'method' not in _names(fields) and {'result', 'error'} & _names(fields):
        return Envelope(None, bool(given))  # an answer to us: its id is one of ours
    same = set(given)
    return Envelope(_id_of(same.pop()) if len(same) == 1 else None, bool(given))


def _names(fields: dict[str, list[str]]) -> set[str]:
    return {name.strip('"') for name in fields}


def _fields(text: str) -> dict[str, list[str]]:
    """The texts of the outermost object's plain values by name; of other values, '' instead."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    depth, name, awaits_value = 0, '', False
    for token in islice(_tokens(text), MOST_TOKENS):
        if depth == 1 and awaits_value and token not in '}]:,':
            fields[name].append('' if token in '{[' else token)
            awaits_value = False
        if token in '{[':
            depth += 1
            if depth == 1 and token == '[':
                break  # no object
        elif token in '}]':
            depth -= 1
            if depth <= 0:
                break
        elif depth == 0:
            break  # no object
        elif depth == 1 and token == ':':
            awaits_value = True
        elif depth == 1:
            name = token
    return fields


def _tokens(text: str) -> Iterator[str]:
    """Brackets, marks, texts with their quotes, and other values; up to where the text is cut."""
    text = text.rstrip()
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == '"':
            at = _end_of_text(text, at)
        elif at == len(text) and match[0] not in '}]':
            return  # a number may be cut: 12 of 123
        if not at:
            return
        yield text[match.start() : at]


def _end_of_text(text: str, at: int) -> int:
    """Return where the quoted text ends whose first character is at `at`; 0 if nowhere."""
    for _ in range(MOST_TOKENS):
        quote = text.find('"', at)
        if quote < 0:
            return 0
        piece = text[at:quote]
        at = quote + 1
        if (len(piece) - len(piece.rstrip('\\'))) % 2 == 0:
            return at
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
        text.encode()  # halves of characters cannot be answered
    except ValueError:
        return None
    return str(text)


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
