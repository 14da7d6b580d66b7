"""Parses what follows a command: arguments of a tool, or an answer to an approval. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import json
import math
import re
from typing import Any

from bt_executive.client.callable_tools import manual_motions
from bt_executive.client.front_end_requests import TRACE_EVENTS, ApprovalAnswer, ToolRequest
from rover_common.config.settings import Skill
from rover_common.config.settings.injected_faults import FAULT_NODES, REMOVED, nearest_faults
from rover_common.config.settings.skills import Destination
from rover_common.errors import UsageError
from rover_common.json_values import read_arguments

TOPIC = re.compile(r'/?[A-Za-z_][A-Za-z0-9_/]{0,198}')
REQUEST_ID = re.compile('ask-[0-9a-f]{6}-[1-9][0-9]{0,8}')


def read_watch(text: str) -> dict[str, Any]:
    """Parse the arguments of the tool `watch`."""
    match text.lower().split():
        case [] | ['on']:
            return {'on': True, 'tell_when': 'always'}
        case ['off']:
            return {'on': False}
        case ['dark' | 'motion' as when]:
            return {'on': True, 'tell_when': when}
        case ['every', seconds] | ['every', seconds, 's' | 'seconds'] if _is_count(seconds):
            return {'on': True, 'every_s': int(seconds), 'tell_when': 'always'}
    raise UsageError(
        f':watch takes on, off, every S (like :watch every 5), dark or motion, not {text!r:.60}.'
    )


def read_switch(command: str, text: str) -> bool:
    """Parse `on` or `off`; an empty text is `on`."""
    if text.lower() not in ('', 'on', 'off'):
        raise UsageError(f':{command} takes on or off, not {text!r:.60}.')
    return text.lower() != 'off'


def read_position(text: str) -> tuple[float, float]:
    """Parse `X Y`, in m in the world frame.

    Raises:
        UsageError: The text is not two numbers.
    """
    coordinates = _numbers(text.replace(',', ' ').split())
    if coordinates is None or len(coordinates) != 2:
        raise UsageError(f':goto takes x and y in m, like :goto 6 1.5, not {text!r:.60}.')
    return coordinates[0], coordinates[1]


def read_goto(text: str, tool: str, destination: Destination) -> ToolRequest:
    """Parse `X Y` for a tool that drives to a place; raises as `read_position`."""
    x, y = read_position(text)
    return ToolRequest(tool, json.dumps({destination.x: x, destination.y: y}))


def read_teleop(text: str, tools: Mapping[str, Skill]) -> ToolRequest:
    """Parse the keyword of a motion and, if its duration is an argument, optional seconds.

    Raises:
        UsageError: There is no such motion, or what follows it are no seconds.
    """
    motions = manual_motions(tools)
    keyword, *duration = text.split() or ['']
    motion, seconds = motions.get(keyword), _numbers(duration)
    if motion is None or seconds is None or not motion.accepts(seconds):
        timed = next((name for name, motion in motions.items() if motion.duration_arg), '')
        perhaps = f', and perhaps seconds, like :teleop {timed} 3' if timed else ''
        raise UsageError(f':teleop takes {one_of(motions)}{perhaps}, not {text!r:.60}.')
    timing = {motion.duration_arg: seconds[0]} if seconds else {}
    return ToolRequest(motion.tool, json.dumps({**motion.arguments, **timing}))


def read_topic(text: str) -> ToolRequest:
    """Parse the name of a topic; the executive's own tool reads it, under the guards."""
    if not TOPIC.fullmatch(text):
        raise UsageError(f':topic takes the name of a topic, like :topic /scan, not {text!r:.60}.')
    return ToolRequest('read_topic', json.dumps({'topic': text}))


def read_count(text: str) -> int:
    """Parse a number of events; an empty text is `TRACE_EVENTS`."""
    if not text:
        return TRACE_EVENTS
    if not _is_count(text):
        raise UsageError(f':trace takes a number of events, like :trace 50, not {text!r:.60}.')
    return int(text)


def one_of(names: Iterable[str]) -> str:
    """Join names as `a, b or c`."""
    *others, last = names
    return f'{", ".join(others)} or {last}' if others else last


def _numbers(texts: Sequence[str]) -> list[float] | None:
    """Return the texts as finite numbers; None if one is not a number."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return None
    is_plain = all(map(math.isfinite, numbers)) and '_' not in ''.join(texts)  # Python's 1_0
    return numbers if is_plain else None


def _is_count(text: str) -> bool:
    return re.fullmatch('[1-9][0-9]{0,5}', text) is not None


def example(schema: Mapping[str, Any]) -> str:
    """Return a template of a tool's arguments, with their names."""
    names = schema.get('properties', {})
    return '{' + ', '.join(f'"{name}": …' for name in names) + '}'


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


def node_of(fault: str) -> str:
    """Return the node that has a fault.

    Raises:
        UsageError: There is no such fault; the text names the nearest ones.
    """
    if fault.startswith(REMOVED) and fault != REMOVED:
        return 'rover'  # it checks whether its world has what is to be removed
    if fault not in FAULT_NODES:
        raise UsageError(f'Unknown fault {fault!r:.80}; {nearest_faults(fault)}.')
    return FAULT_NODES[fault]
