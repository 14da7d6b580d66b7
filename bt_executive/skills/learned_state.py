"""Finds the state fields of a live graph's topics, its battery, and the frames of its pose."""

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
    GraphAnalysis,
    snake_case,
    unique_name,
)
from rover_common.config.settings.gated_tools import BASE
from rover_common.interface_fields import fits

MOST_FIELDS = 40
_FRAME = re.compile(r'[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}')
_WORLDS = ('map', 'odom', 'world')
_BASES = ('base_link', 'base_footprint', 'base')
NEAR = 'near_m'
BATTERY, DEFAULT_BATTERY = 'sensor_msgs/msg/BatteryState', '/battery_state'
LATCHED_S = 86400.0  # a latched value counts while it is published, and for a day at most
_LONG_TEXTS = ('robot_description', 'robot_description_semantic')


def state_of(analysis: GraphAnalysis) -> Iterator[tuple[str, Any]]:
    """Yield the name of each field of the state, and its entry in the file."""
    fields = [
        (topic, name, entry)
        for topic, types in sorted(analysis.published.items())
        for name, entry in _fields(analysis, topic, types)
    ]
    counts = Counter(name for _, name, _ in fields)
    used: set[str] = {*ROBOT_KEYS}
    for topic, name, entry in fields[:MOST_FIELDS]:
        latched = {'max_age_s': LATCHED_S} if topic in analysis.graph.latched else {}
        label = name if counts[name] == 1 else snake_case(f'{topic.rpartition("/")[2]}_{name}')
        yield unique_name(label, used), {'topic': topic, **entry, **latched}
    for topic, _, entry in fields[MOST_FIELDS:]:
        analysis.not_learned.append(
            f'topic {topic}: field {entry["field"]}: more than {MOST_FIELDS} fields of state'
        )


def _fields(
    analysis: GraphAnalysis, topic: str, types: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    if topic.rpartition('/')[2] in _LONG_TEXTS or analysis.valid(topic, types) is None:
        return
    last = snake_case(topic)
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
                shape = analysis.message(other)
            except LookupError as error:
                analysis.note_missing_type(f'topic {topic}', other, error)
                return
            for name, ros_type in shape.items():
                if any(fits(json_type, ros_type) for json_type in JSON_TYPES):
                    yield snake_case(name), {'field': name}


def battery_of(analysis: GraphAnalysis) -> str:
    """Return the one topic of the robot's charge; empty: none, several, or the default one."""
    names = [
        name
        for name, types in analysis.published.items()
        if types == (BATTERY,) and analysis.valid_topic(name)
    ]
    return names[0] if len(names) == 1 and names[0] != DEFAULT_BATTERY else ''


def frames_of(analysis: GraphAnalysis, gates: Mapping[str, Any]) -> dict[str, str]:
    """Return the frames of the world and of the robot's base."""
    frames = {
        child: parent
        for child, parent in analysis.graph.frames.items()
        if _FRAME.fullmatch(child) and _FRAME.fullmatch(parent)
    }
    roots = sorted({*frames.values()} - {*frames})
    world = next((name for name in _WORLDS if name in roots), roots[0] if roots else 'map')
    odometry = analysis.graph.odometry  # its frames, for a base without a transform
    if all(map(_FRAME.fullmatch, odometry)) and odometry[1] not in frames:
        return {'world': odometry[0], 'base': odometry[1]}
    bases = [name for name in _BASES if name in frames]
    bases += sorted(name for name in frames if name.rpartition('/')[2] in _BASES)
    if not bases and isinstance(gates.get(BASE, {}).get('odom'), str):
        analysis.not_learned.append('frames: no transform to a base was seen; set `frames`')
    return {'world': world, 'base': bases[0] if bases else 'base_link'}
