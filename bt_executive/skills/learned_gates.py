"""What moves the robot of a live graph, and what stops it: gates, odometry, a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import re
from typing import Any

from bt_executive.skills.learned_graph import COMMON, Reading, snake, unused
from bt_executive.skills.topic_validation import VELOCITIES
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gated_tools import BASE
from rover_common.config.settings.gates import MOST_GATES
from rover_common.interface_fields import fits

# Not `stop_motor` of a scanner, `stop_recording`, `estop_release` or `clear_estop`.
_OF_WHAT = '(robot|base|motion|movement|arm|drive|move|moving|driving|all|now)'
_STOPS = re.compile(
    rf'({_OF_WHAT}_|(emergency|protective|safety|safe|soft|quick|e)_?)?(stop|halt)(_{_OF_WHAT})?'
)
_STOP_TYPES = ('std_srvs/srv/Trigger', 'std_srvs/srv/Empty')
ODOMETRY = 'nav_msgs/msg/Odometry'
_POSES = {
    'geometry_msgs/msg/PoseStamped': {'pose': 'pose'},
    'geometry_msgs/msg/PoseWithCovarianceStamped': {'pose': 'pose.pose'},
    'geometry_msgs/msg/Pose2D': {'x': 'x', 'y': 'y', 'yaw': 'theta'},
}
_YAWS = ('yaw', 'theta', 'heading')


def find_stop(reading: Reading) -> Endpoint | None:
    """Return the service that stops the robot, by its name and type; None: there is none."""
    for name, types in sorted(reading.graph.services.items()):
        last = name.rpartition('/')[2]
        if types and types[0] in _STOP_TYPES and _STOPS.fullmatch(last):
            return reading.valid(name, types)
    return None


def find_gates(reading: Reading) -> Iterator[tuple[str, Any]]:
    """A gate for a base that is driven by velocities, and one for each action."""
    odom = odometry_of(reading.published)
    odometry: Any = odom if reading.valid_topic(odom) else None
    wanted = [
        (topic, kind)
        for kind in VELOCITIES
        for topic, types in sorted(reading.graph.topics.items())
        if types == (kind,) and topic in reading.graph.subscribed and reading.valid(topic, types)
    ]
    if wanted and odometry is None:
        odometry = _other_odometry(reading, wanted[0][0])
    if wanted and odometry:
        out, kind = wanted[0]
        topics = {'in': f'{out}_wanted', 'out': out, 'stamped': kind.endswith('Stamped')}
        yield BASE, {'velocity': topics, 'odom': odometry}
    elif wanted:
        reading.not_done.append(f'{wanted[0][0]}: no odometry, so no gate of velocities')
    for topic, _ in wanted[1:]:
        reading.not_done.append(f'{topic}: a second topic of velocities; a base has one gate')
    used = {BASE}
    for name, types in sorted(reading.graph.actions.items()):
        if len(used) < MOST_GATES and reading.valid(name, types):
            yield unused(snake(name)[:36].rstrip('_'), used), {'action': name}


def odometry_of(topics: Mapping[str, tuple[str, ...]]) -> str:
    """The topic that is most likely a base's odometry; empty: there is none."""
    found = [name for name, types in topics.items() if types == (ODOMETRY,)]
    odom = ('odom', 'odometry')
    return min(found, key=lambda name: (name.rpartition('/')[2] not in odom, name), default='')


def _other_odometry(reading: Reading, velocities: str) -> dict[str, str] | None:
    """The pose in messages of another type, the nearest to the velocities by its name."""
    space = velocities.rpartition('/')[0]

    def near(name: str) -> tuple[bool, str]:
        return name.rpartition('/')[0] != space, name

    for topic in sorted(reading.published, key=near):
        types = reading.published[topic]
        fields = _pose_in(reading, types[0]) if len(types) == 1 else None
        if fields and reading.valid_topic(topic):
            return {'topic': topic, **fields}
    return None


def _pose_in(reading: Reading, type_name: str) -> dict[str, str] | None:
    if type_name in _POSES:
        return _POSES[type_name]
    if type_name.split('/')[0] in COMMON:
        return None
    try:
        shape = reading.message(type_name)
    except LookupError:
        return None  # said of its state
    for name, each in shape.items():
        if each == 'geometry_msgs/Pose':
            return {'pose': name}
    yaw = next((each for each in _YAWS if each in shape), '')
    is_pose = all(fits('number', shape.get(each, '')) for each in ('x', 'y', yaw))
    return {'x': 'x', 'y': 'y', 'yaw': yaw} if is_pose else None
