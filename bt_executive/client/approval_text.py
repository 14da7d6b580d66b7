"""The console's side of approval: how answers are written, and what waits in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import re
from typing import Any

from rover_common.call_text import call_in_words
from rover_common.errors import UsageError
from rover_common.finite_number import finite_number
from rover_common.json_text import read_arguments

RESOLVE = 'resolve_approval'  # the question whose `Answered` tells what became of an answer
REQUEST_ID = re.compile('ask-[0-9a-f]{6}-[1-9][0-9]{0,8}')


@dataclass(frozen=True)
class Resolve:
    """Answer a request for approval; an empty id means the one that is shown."""

    action: str  # approve | edit | reject
    request_id: str = ''
    arguments: str = ''  # edit: JSON object
    word: str = ''  # reject: why


def read_answer(action: str, rest: str) -> Resolve:
    """Reads `[ID]` of :approve, `[ID] {json}` of :edit, `[ID] [word…]` of :reject.

    Raises:
        UsageError: The rest cannot be read; the text shows how it is written.
    """
    first, *others = rest.split(maxsplit=1) or ['']
    request_id = first if REQUEST_ID.fullmatch(first) else ''
    rest = ' '.join(others).strip() if request_id else rest.strip()
    if action == 'reject':
        return Resolve(action, request_id, word=rest)
    if action == 'edit':
        return Resolve(action, request_id, arguments=json_object(':edit [ID]', rest))
    if rest:
        raise UsageError(f':approve takes the id of a request or nothing, not {rest!r:.60}.')
    return Resolve(action, request_id)


def in_words(requests: Sequence[Mapping[str, Any]], now: float) -> str:
    """The requests that wait, as on the topic ~/approvals. `now`: system time in s."""
    return '\n'.join(_request_in_words(each, now) for each in requests) or 'No request waits.'


def requested_call(request: Mapping[str, Any]) -> str:
    """The call that a request is about, as it would be written."""
    arguments = request.get('arguments')
    return call_in_words(
        str(request.get('tool')), arguments if isinstance(arguments, dict) else {}
    )


def seconds_left(request: Mapping[str, Any], now: float) -> float | None:
    """How long a request still waits; None if it does not say. `now`: system time in s."""
    expires = finite_number(request.get('expires_at'))
    return None if expires is None else expires - now


def _request_in_words(request: Mapping[str, Any], now: float) -> str:
    left = seconds_left(request, now)
    waits = '?' if left is None else f'{max(0.0, left):.0f} s'
    first = f'{request.get("id")}  {requested_call(request)}  {request.get("risk")}  {waits} left'
    rows = [first]
    if request.get('amounts_to'):
        rows.append(f'that is: {_flat(request["amounts_to"])}')
    rows.append(f'because: {_flat(request.get("reason") or "no reason given")}')
    return f'\n{" " * 12}'.join(rows)


def _flat(value: object) -> str:
    return ' '.join(str(value).split())


def json_object(command: str, text: str, example: str = '{"duration_s": 2}') -> str:
    """The text, if it is one JSON object; NaN and infinity are not JSON.

    Raises:
        UsageError: It is none; the text shows how `command` is written.
    """
    try:
        read_arguments(text)
    except ValueError as error:
        raise UsageError(
            f'{command.split()[0]} takes the arguments as one JSON object, like '
            f'{command} {example}; this is not one: {text!r:.60} ({error}).'
        ) from None
    return text
