"""What follows a command, as the arguments of its tool. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import json
import math
import re
from typing import Any

from bt_executive.client.front_end_requests import TRACE_EVENTS, ToolRequest
from bt_executive.client.manual_driving import motions_by_hand
from rover_common.config.settings import Skill
from rover_common.config.settings.skills import Destination
from rover_common.errors import UsageError

TOPIC = re.compile(r'/?[A-Za-z_][A-Za-z0-9_/]{0,198}')


def read_watch(rest: str) -> dict[str, Any]:
    """The arguments of the tool `watch` for what follows `:watch`."""
    words = rest.lower().split()
    match words:
        case [] | ['on']:
            return {'on': True, 'tell_when': 'always'}
        case ['off']:
            return {'on': False}
        case ['dark' | 'motion' as when]:
            return {'on': True, 'tell_when': when}
        case ['every', seconds] | ['every', seconds, 's' | 'seconds'] if _is_count(seconds):
            return {'on': True, 'every_s': int(seconds), 'tell_when': 'always'}
    raise UsageError(
        f':watch takes on, off, every S (like :watch every 5), dark or motion, not {rest!r:.60}.'
    )


def read_switch(command: str, rest: str) -> bool:
    """Reads `on` or `off`; nothing means on."""
    if rest.lower() not in ('', 'on', 'off'):
        raise UsageError(f':{command} takes on or off, not {rest!r:.60}.')
    return rest.lower() != 'off'


def read_place(rest: str) -> tuple[float, float]:
    """Reads `X Y`, in m in the world frame.

    Raises:
        UsageError: These are no two numbers.
    """
    places = _numbers(rest.replace(',', ' ').split())
    if places is None or len(places) != 2:
        raise UsageError(f':goto takes x and y in m, like :goto 6 1.5, not {rest!r:.60}.')
    return places[0], places[1]


def read_goto(rest: str, tool: str, place: Destination) -> ToolRequest:
    """Reads `X Y` for a tool that drives to a place; raises as `read_place`."""
    x, y = read_place(rest)
    return ToolRequest(tool, json.dumps({place.x: x, place.y: y}))


def read_teleop(rest: str, tools: Mapping[str, Skill]) -> ToolRequest:
    """Reads the word of a motion and, where its time is an argument, perhaps seconds.

    Raises:
        UsageError: There is no such motion, or the rest are no seconds.
    """
    by_hand = motions_by_hand(tools)
    word, *rest_of_it = rest.split() or ['']
    motion, seconds = by_hand.get(word), _numbers(rest_of_it)
    if motion is None or seconds is None or not motion.takes(seconds):
        timed = next((each for each, motion in by_hand.items() if motion.seconds), '')
        perhaps = f', and perhaps seconds, like :teleop {timed} 3' if timed else ''
        raise UsageError(f':teleop takes {one_of(by_hand)}{perhaps}, not {rest!r:.60}.')
    given = {motion.seconds: seconds[0]} if seconds else {}
    return ToolRequest(motion.tool, json.dumps({**motion.arguments, **given}))


def read_topic(rest: str) -> ToolRequest:
    """Reads the name of a topic; the executive's own tool reads it, under the guards."""
    if not TOPIC.fullmatch(rest):
        raise UsageError(f':topic takes the name of a topic, like :topic /scan, not {rest!r:.60}.')
    return ToolRequest('read_topic', json.dumps({'topic': rest}))


def read_count(text: str) -> int:
    """Reads a number of events; `TRACE_EVENTS` if none is given."""
    if not text:
        return TRACE_EVENTS
    if not _is_count(text):
        raise UsageError(f':trace takes a number of events, like :trace 50, not {text!r:.60}.')
    return int(text)


def one_of(words: Iterable[str]) -> str:
    """Return the words as people list them."""
    *others, last = words
    return f'{", ".join(others)} or {last}' if others else last


def _numbers(words: Sequence[str]) -> list[float] | None:
    """The words as numbers; None if one is none."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return None
    is_plain = all(map(math.isfinite, numbers)) and '_' not in ''.join(words)  # Python's 1_0
    return numbers if is_plain else None


def _is_count(text: str) -> bool:
    return re.fullmatch('[1-9][0-9]{0,5}', text) is not None


def example(schema: Mapping[str, Any]) -> str:
    """How a tool's arguments are written."""
    names = schema.get('properties', {})
    return '{' + ', '.join(f'"{name}": …' for name in names) + '}'
