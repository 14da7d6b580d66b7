"""What an operator types as an answer to a request: :approve, :edit, :reject. Pure."""

from __future__ import annotations

from dataclasses import dataclass
import re

from rover_common.errors import UsageError
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
