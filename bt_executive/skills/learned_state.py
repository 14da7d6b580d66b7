"""What a live graph knows of its robot: fields of topics, and the frames of its pose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
import re
from typing import Any

from bt_executive.core.robot_state import ROBOT_KEYS
from bt_executive.skills.learned_graph import (
    COMMON,
    JSON_TYPES,
    SINGLE,
    Reading,
    snake,
    unused,
)
from rover_common.config.settings.gated_tools import BASE
from rover_common.interface_fields import fits

MOST_FIELDS = 40
_FRAME = re.compile(r'[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}')
_WORLDS = ('map', 'odom', 'world')
_BASES = ('base_link', 'base_footprint', 'base')
NEAR = 'near_m'
BATTERY, USUAL_BATTERY = 'sensor_msgs/msg/BatteryState', '/battery_state'
LATCHED_S = 86400.0  # what is sent once counts while it is published, and for a day at most
_LONG_TEXTS = ('robot_description', 'robot_description_semantic')


def state_of(reading: Reading) -> Iterator[tuple[str, Any]]:
    """Yield the name of each field of state, and what a file says of it."""
    found = [
        (topic, name, entry)
        for topic, types in sorted(reading.published.items())
        for name, entry in _fields(reading, topic, types)
    ]
    times = Counter(name for _, name, _ in found)
    used: set[str] = {*ROBOT_KEYS}
    for topic, name, entry in found[:MOST_FIELDS]:
        latched = {'max_age_s': LATCHED_S} if topic in reading.graph.latched else {}
        whose = name if times[name] == 1 else snake(f'{topic.rpartition("/")[2]}_{name}')
        yield unused(whose, used), {'topic': topic, **entry, **latched}
    for topic, _, entry in found[MOST_FIELDS:]:
        reading.not_done.append(
            f'topic {topic}: field {entry["field"]}: more than {MOST_FIELDS} fields of state'
        )


def _fields(reading: Reading, topic: str, types: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if topic.rpartition('/')[2] in _LONG_TEXTS or reading.valid(topic, types) is None:
        return
    last = snake(topic)
    match types[0]:
        case _ if types[0] == BATTERY:
            yield 'charge', {'field': 'percentage', 'scale': 100, 'max_age_s': 10.0}
        case 'sensor_msgs/msg/LaserScan':
            near = {'field': 'ranges', 'reduce': 'min', 'if_infinite': 100.0}
            yield NEAR, {**near, 'max_age_s': 0.5}
        case 'sensor_msgs/msg/Range':
            yield last, {'field': 'range', 'max_age_s': 0.5}
        case other if SINGLE.fullmatch(other):
            yield last, {'field': 'data'}
        case other if other.split('/')[0] not in COMMON:
            try:
                shape = reading.message(other)
            except LookupError as error:
                reading.lacks(f'topic {topic}', other, error)
                return
            for name, ros_type in shape.items():
                if any(fits(each, ros_type) for each in JSON_TYPES):
                    yield snake(name), {'field': name}


def battery_of(reading: Reading) -> str:
    """Return the one topic of the robot's charge; empty: none, several, or the usual one."""
    found = [
        name
        for name, types in reading.published.items()
        if types == (BATTERY,) and reading.valid_topic(name)
    ]
    return found[0] if len(found) == 1 and found[0] != USUAL_BATTERY else ''


def frames_of(reading: Reading, gates: Mapping[str, Any]) -> dict[str, str]:
    """Return the frames of the world and of the robot's base."""
    frames = {
        each: parent
        for each, parent in reading.graph.frames.items()
        if _FRAME.fullmatch(each) and _FRAME.fullmatch(parent)
    }
    roots = sorted({*frames.values()} - {*frames})
    world = next((each for each in _WORLDS if each in roots), roots[0] if roots else 'map')
    moved = reading.graph.odometry  # of a base without a transform
    if all(map(_FRAME.fullmatch, moved)) and moved[1] not in frames:
        return {'world': moved[0], 'base': moved[1]}
    known = [each for each in _BASES if each in frames]
    known += sorted(each for each in frames if each.rpartition('/')[2] in _BASES)
    if not known and isinstance(gates.get(BASE, {}).get('odom'), str):
        reading.not_done.append('frames: no transform to a base was seen; set `frames`')
    return {'world': world, 'base': known[0] if known else 'base_link'}
