"""Finds gates, odometry, stop service, state fields, battery and frames of a live graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from operator import eq
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
from bt_executive.skills.published_topic_validation import VELOCITIES
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gates import BASE, MOST_GATES
from rover_common.interface_field_checks import fits

# Not `stop_motor` of a scanner, `stop_recording`, `estop_release` or `clear_estop`.
_OBJECT = '(robot|base|motion|movement|arm|drive|move|moving|driving|all|now)'
_STOPS = re.compile(
    rf'({_OBJECT}_|(emergency|protective|safety|safe|soft|quick|e)_?)?(stop|halt)(_{_OBJECT})?'
)
_STOP_TYPES = ('std_srvs/srv/Trigger', 'std_srvs/srv/Empty')
ODOMETRY = 'nav_msgs/msg/Odometry'
_POSES = {
    'geometry_msgs/msg/PoseStamped': {'pose': 'pose'},
    'geometry_msgs/msg/PoseWithCovarianceStamped': {'pose': 'pose.pose'},
    'geometry_msgs/msg/Pose2D': {'x': 'x', 'y': 'y', 'yaw': 'theta'},
}
_YAWS = ('yaw', 'theta', 'heading')


def find_stop(analysis: GraphAnalysis) -> Endpoint | None:
    """Return the service that stops the robot, by its name and type; None: there is none."""
    for name, types in sorted(analysis.graph.services.items()):
        last = name.rpartition('/')[2]
        if types and types[0] in _STOP_TYPES and _STOPS.fullmatch(last):
            return analysis.valid(name, types)
    return None


def find_gates(analysis: GraphAnalysis) -> Iterator[tuple[str, Any]]:
    """Yield a gate for a base that is driven by velocities, and one for each action."""
    velocities = [
        (topic, kind)
        for kind in VELOCITIES
        for topic, types in sorted(analysis.graph.topics.items())
        if types == (kind,) and topic in analysis.graph.subscribed and analysis.valid(topic, types)
    ]
    odom = odometry_of(analysis.published, velocities[0][0] if velocities else '')
    odometry: Any = odom if analysis.valid_topic(odom) else None
    if velocities and odometry is None:
        odometry = _other_odometry(analysis, velocities[0][0])
    if velocities and odometry:
        out, kind = velocities[0]
        topics = {'in': f'{out}_wanted', 'out': out, 'stamped': kind.endswith('Stamped')}
        yield BASE, {'velocity': topics, 'odom': odometry}
    elif velocities:
        analysis.not_learned.append(f'{velocities[0][0]}: no odometry, so no gate of velocities')
    for topic, _ in velocities[1:]:
        analysis.not_learned.append(f'{topic}: a second topic of velocities; a base has one gate')
    used = {BASE}
    for name, types in sorted(analysis.graph.actions.items()):
        if len(used) < MOST_GATES and analysis.valid(name, types):
            yield unique_name(snake_case(name)[:36].rstrip('_'), used), {'action': name}


def odometry_of(topics: Mapping[str, tuple[str, ...]], velocities: str = '') -> str:
    """Return the topic that is most likely a base's odometry; empty: there is none.

    The nearest by namespace to the topic of the base's velocities: there may be other robots.
    """
    usual, base = ('odom', 'odometry'), velocities.split('/')[1:-1]

    def rank(name: str) -> tuple[int, int, bool, str]:
        *namespace, last = name.split('/')[1:]
        shared = len([*takewhile(bool, map(eq, base, namespace))])
        return -shared, len(namespace), last not in usual, name

    names = (name for name, types in topics.items() if types == (ODOMETRY,))
    return min(names, key=rank, default='')


def _other_odometry(analysis: GraphAnalysis, velocities: str) -> dict[str, str] | None:
    """Return a pose in messages of another type, preferably in the velocities' namespace."""
    namespace = velocities.rpartition('/')[0]

    def rank(name: str) -> tuple[bool, str]:
        return name.rpartition('/')[0] != namespace, name

    for topic in sorted(analysis.published, key=rank):
        types = analysis.published[topic]
        fields = _pose_in(analysis, types[0]) if len(types) == 1 else None
        if fields and analysis.valid_topic(topic):
            return {'topic': topic, **fields}
    return None


def _pose_in(analysis: GraphAnalysis, type_name: str) -> dict[str, str] | None:
    if type_name in _POSES:
        return _POSES[type_name]
    if type_name.split('/')[0] in COMMON:
        return None
    try:
        shape = analysis.message(type_name)
    except LookupError:
        return None  # `state_of` notes it
    for name, field_type in shape.items():
        if field_type == 'geometry_msgs/Pose':
            return {'pose': name}
    yaw = next((name for name in _YAWS if name in shape), '')
    is_pose = all(fits('number', shape.get(name, '')) for name in ('x', 'y', yaw))
    return {'x': 'x', 'y': 'y', 'yaw': yaw} if is_pose else None


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
    odom = gates.get(BASE, {}).get('odom')
    measured = odom if isinstance(odom, str) else odometry_of(analysis.published)
    odometry = analysis.graph.odometry.get(measured, ('', ''))  # for a base without a transform
    if all(map(_FRAME.fullmatch, odometry)) and odometry[1] not in frames:
        return {'world': odometry[0], 'base': odometry[1]}
    bases = [name for name in _BASES if name in frames]
    bases += sorted(name for name in frames if name.rpartition('/')[2] in _BASES)
    if not bases and isinstance(odom, str):
        analysis.not_learned.append('frames: no transform to a base was seen; set `frames`')
    return {'world': world, 'base': bases[0] if bases else 'base_link'}
