"""Parses an operator's answer to a request for approval: :approve, :edit, :reject. Pure."""

from __future__ import annotations

from dataclasses import dataclass
import re

from rover_common.errors import UsageError
from rover_common.json_text import read_arguments

RESOLVE = 'resolve_approval'  # the service whose `ServiceReply` is the result of an answer
REQUEST_ID = re.compile('ask-[0-9a-f]{6}-[1-9][0-9]{0,8}')


@dataclass(frozen=True)
class ApprovalAnswer:
    """Answer a request for approval; an empty id is that of the one request that is shown."""

    action: str  # approve | edit | reject
    request_id: str = ''
    arguments: str = ''  # edit: JSON object
    reason: str = ''  # reject only


def read_answer(action: str, text: str) -> ApprovalAnswer:
    """Parse `[ID]` of :approve, `[ID] {json}` of :edit, `[ID] [why]` of :reject.

    Raises:
        UsageError: The text cannot be parsed; the message shows the syntax.
    """
    first, *others = text.split(maxsplit=1) or ['']
    request_id = first if REQUEST_ID.fullmatch(first) else ''
    content = ' '.join(others).strip() if request_id else text.strip()
    if action == 'reject':
        return ApprovalAnswer(action, request_id, reason=content)
    if action == 'edit':
        return ApprovalAnswer(action, request_id, arguments=json_object(':edit [ID]', content))
    if content:
        raise UsageError(f':approve takes the id of a request or nothing, not {content!r:.60}.')
    return ApprovalAnswer(action, request_id)


def json_object(command: str, text: str, example: str = '{"duration_s": 2}') -> str:
    """Return the text if it is one JSON object; NaN and infinity are not JSON.

    Raises:
        UsageError: It is none; the message shows the syntax of `command`.
    """
    try:
        read_arguments(text)
    except ValueError as error:
        raise UsageError(
            f'{command.split()[0]} takes the arguments as one JSON object, like '
            f'{command} {example}; this is not one: {text!r:.60} ({error}).'
        ) from None
    return text
