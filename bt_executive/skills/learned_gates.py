"""Finds the gates, the odometry and the stop service of a live graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import re
from typing import Any

from bt_executive.skills.learned_graph import COMMON, GraphAnalysis, snake_case, unique_name
from bt_executive.skills.topic_validation import VELOCITIES
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gated_tools import BASE
from rover_common.config.settings.gates import MOST_GATES
from rover_common.interface_fields import fits

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
    odom = odometry_of(analysis.published)
    odometry: Any = odom if analysis.valid_topic(odom) else None
    velocities = [
        (topic, kind)
        for kind in VELOCITIES
        for topic, types in sorted(analysis.graph.topics.items())
        if types == (kind,) and topic in analysis.graph.subscribed and analysis.valid(topic, types)
    ]
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


def odometry_of(topics: Mapping[str, tuple[str, ...]]) -> str:
    """Return the topic that is most likely a base's odometry; empty: there is none."""
    names = [name for name, types in topics.items() if types == (ODOMETRY,)]
    usual = ('odom', 'odometry')
    return min(names, key=lambda name: (name.rpartition('/')[2] not in usual, name), default='')


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
        return None  # `learned_state` notes it
    for name, field_type in shape.items():
        if field_type == 'geometry_msgs/Pose':
            return {'pose': name}
    yaw = next((name for name in _YAWS if name in shape), '')
    is_pose = all(fits('number', shape.get(name, '')) for name in ('x', 'y', yaw))
    return {'x': 'x', 'y': 'y', 'yaw': yaw} if is_pose else None
