"""Texts for /trace/events that are mostly no trace events, and what must hold nevertheless."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
import math
import random
from typing import Any

from curiosity_viz.markers import FARTHEST_M, Marker
from curiosity_viz.scene import NAMESPACES
from rover_common.trace_event import TraceEvent, event_to_json

# Numbers that JSON can tell, or that Python's parser takes for JSON.
NUMBERS = (
    '0', '-1', '0.5', '1e308', '-1e308', '1e999', 'NaN', 'Infinity', '-Infinity', '-0.0',
    '9' * 400, '1' * 5000, '0x10', '1e-400', str(2**63), '01',
)  # fmt: skip
LETTERS = (
    'a', ' ', '\\u0000', '\\ud800', '\\udfff\\ud800', '\\n', '\\u001b[2J', '\\u202e', '地面', '🚀',
    'é', '\x07', '\x85', '"', '\\', '{', '%s', '\ufeff', '\u0301' * 50,
)  # fmt: skip
KINDS = ('OBSERVE', 'HYPOTHESIZE', 'DECIDE', 'ACT', 'RESULT', 'ERROR', 'SING', '', 'act')
MOST_MARKERS = 400


def good_event(message: str, **changes: Any) -> str:
    """The JSON of an event as the executive sends it."""
    fields: dict[str, Any] = {'event_id': 'e', 'ts': 1.0, 'kind': 'ACT', 'message': message}
    return event_to_json(TraceEvent(**(fields | changes)))


def hostile_texts(seed: int, count: int) -> Iterator[str]:
    """`count` texts, always the same ones for a seed, without lone surrogates of their own."""
    random_ = random.Random(seed)
    makers: tuple[Callable[[random.Random], str], ...] = (
        _noise, _broken, _wrong, _wrong, _almost, _almost, _almost, _deep, _long, _capture,
    )  # fmt: skip
    for _ in range(count):
        yield random_.choice(makers)(random_)


def assert_drawable(markers: tuple[Marker, ...]) -> None:
    """That RViz can draw them all: finite, bounded, ASCII, and each identity once."""
    assert len(markers) <= MOST_MARKERS
    assert len({marker.key for marker in markers}) == len(markers)
    for marker in markers:
        assert marker.name in NAMESPACES
        assert 0 <= marker.number < 2**31
        assert len(marker.points) <= 3 * 1000
        assert len(marker.colours) in (0, len(marker.points))
        numbers = [*marker.colour, *marker.size, *marker.at, *marker.turned]
        numbers += [number for part in (*marker.points, *marker.colours) for number in part]
        assert all(math.isfinite(n) and abs(n) <= FARTHEST_M + 10.0 for n in numbers)
        assert len(marker.text) <= 150
        assert marker.text.isascii()
        assert (marker.shape == 'text') == bool(marker.text.strip())


def _noise(random_: random.Random) -> str:
    return ''.join(
        chr(random_.choice((random_.randrange(32), random_.randrange(0xD800)))) for _ in range(40)
    )


def _broken(random_: random.Random) -> str:
    text = good_event('m', score=0.5)
    cut = random_.randrange(len(text))
    return text[:cut] + random_.choice(('', '\x00', '}', ',,', '"')) + text[cut + 1 :]


def _wrong(random_: random.Random) -> str:
    return random_.choice(('null', '[]', '{}', '""', 'true', '7', '[[{}]]', _number(random_)))


def _almost(random_: random.Random) -> str:
    """An event in which some fields are missing or of any type."""
    fields = {
        'event_id': '"e"',
        'ts': '1.0',
        'kind': json.dumps(random_.choice(KINDS)),
        'message': f'"{_letters(random_)}"',
        'tool_name': f'"{_letters(random_)}"',
        'error_reason': f'"{_letters(random_)}"',
        'score': _number(random_),
    }
    for name in random_.sample(sorted(fields), random_.randrange(3)):
        fields[name] = random_.choice((_number(random_), '{}', '[]', 'null', '"x"', 'true'))
    for name in random_.sample(sorted(fields), random_.choice((0, 0, 0, 1))):
        del fields[name]
    return '{' + ', '.join(f'"{name}": {value}' for name, value in fields.items()) + '}'


def _deep(random_: random.Random) -> str:
    depth = random_.choice((50, 150, 300, 5000))
    opening, closing = random_.choice((('[', ']'), ('{"a":', '}')))
    nested = opening * depth + '1' + closing * depth
    return (
        nested
        if random_.random() < 0.5
        else good_event('m').replace('}', f', "data": {{"result": {nested}}}}}')
    )


def _long(random_: random.Random) -> str:
    size = random_.choice((1000, 20_000, 20_000, 1_100_000 if random_.random() < 0.02 else 5000))
    return good_event(random_.choice(('x', ' ', '語', '\x00', 'a b ')) * size)


def _capture(random_: random.Random) -> str:
    """A scored picture at a place that may be anything."""
    stats = f'{{"rover_x": {_number(random_)}, "rover_y": {_number(random_)}}}'
    result = f'{{"stamp": {_number(random_)}, "stats": {random_.choice((stats, "[]", "3"))}}}'
    text = good_event('m', tool_name='capture_and_score', score=random_.random())
    return f'{text[:-1]}, "data": {{"result": {result}}}}}'


def _number(random_: random.Random) -> str:
    return random_.choice((*NUMBERS, repr(random_.uniform(-50.0, 50.0))))


def _letters(random_: random.Random) -> str:
    return ''.join(random_.choices(LETTERS, k=random_.randrange(6)))
