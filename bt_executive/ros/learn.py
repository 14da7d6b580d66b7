"""`bt-executive learn DIR`: reads the live graph and writes a robot.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
import time
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.action import get_action_names_and_types
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from tf2_msgs.msg import TFMessage

from bt_executive.ros.short_lived_node import visiting
from bt_executive.skills.learned import Graph, Learned
from rover_common.config.robot_file import ROBOT_FILE
from rover_common.errors import UsageError
from rover_common.geometry.transforms import bare
from rover_common.message_shape import Shape
from rover_common.ros.interfaces import constants_beside, interface_class, resolve
from rover_common.ros.tf import TF_QOS, TF_STATIC_QOS

SEARCH_S = 4.0  # discovery takes some tenths of a second; a busy machine may take longer
MOST_FRAMES = 1000
OWN = ('executive', 'memory', 'vision', 'bt_executive')  # nodes of this project


def learn(folder: Path, ros_arguments: Sequence[str]) -> str:
    """Write a robot.yaml into a folder and return in words what is in it.

    Raises:
        UsageError: There is such a file already, or nothing is in the graph, or ROS refuses.
    """
    file = folder / ROBOT_FILE
    if file.exists():
        raise UsageError(f'{file} exists: name another folder, or remove it first.')
    found = Learned(_read(ros_arguments), resolve, _message, constants_beside)
    if not found.tools and not found.state:
        raise UsageError(
            'Nothing was found in the graph that a tool could call: start the robot, and see that '
            'ROS_DOMAIN_ID is the same.'
        )
    folder.mkdir(parents=True, exist_ok=True)
    with file.open('x', encoding='utf-8') as written:
        written.write(found.text())
    stop = found.stop.name if found.stop else 'none found'
    gates = ', '.join(found.gates) or 'none'
    lines = [
        f'{file}: {len(found.tools)} tools, {len(found.state)} fields of state, '
        f'gates: {gates}, service that stops the robot: {stop}'
    ]
    if found.not_done:
        lines.append(f'{len(found.not_done)} things could not be learned: the end of the file')
    return '\n'.join(lines)


def _message(type_name: str) -> Shape:
    return dict(interface_class(type_name).get_fields_and_field_types())


def _read(ros_arguments: Sequence[str]) -> Graph:
    with visiting('bt_executive_learn', ros_arguments) as node:
        return _graph(node)


def _graph(node: Node) -> Graph:
    frames: dict[str, str] = {}

    def came(message: TFMessage) -> None:
        for each in message.transforms:
            if len(frames) < MOST_FRAMES:
                frames[bare(each.child_frame_id)] = bare(each.header.frame_id)

    odometry: list[tuple[str, str]] = []

    def moved(message: Odometry) -> None:
        odometry[:] = [(bare(message.header.frame_id), bare(message.child_frame_id))]

    node.create_subscription(TFMessage, '/tf', came, TF_QOS)
    node.create_subscription(TFMessage, '/tf_static', came, TF_STATIC_QOS)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    until = time.monotonic() + SEARCH_S
    asked = False
    while time.monotonic() < until:
        executor.spin_once(timeout_sec=0.1)
        if not asked and (odometers := _topics_of(node, 'nav_msgs/msg/Odometry')):
            asked = True
            node.create_subscription(Odometry, odometers[0], moved, qos_profile_sensor_data)
    executor.shutdown()
    topics = {
        name: types
        for name, types in _typed(node.get_topic_names_and_types()).items()
        if '/_' not in name and any(_is_foreign(each) for each in _ends(node, name))
    }
    own_services = {
        name
        for each, space in node.get_node_names_and_namespaces()
        if each.startswith(OWN)
        for name, _ in node.get_service_names_and_types_by_node(each, space)
    }
    services = _typed(node.get_service_names_and_types())
    return Graph(
        {name: types for name, types in services.items() if name not in own_services},
        _typed(get_action_names_and_types(node)),
        topics,
        frames=frames,
        subscribed=frozenset(name for name in topics if node.count_subscribers(name)),
        odometry=odometry[0] if odometry else ('', ''),
    )


def _topics_of(node: Node, kind: str) -> list[str]:
    return sorted(name for name, types in node.get_topic_names_and_types() if types == [kind])


def _ends(node: Node, topic: str) -> list[Any]:
    """Who publishes a topic, and who subscribes to it, as a base does to velocities."""
    publishers = node.get_publishers_info_by_topic(topic)
    return [*publishers, *node.get_subscriptions_info_by_topic(topic)]


def _is_foreign(end: Any) -> bool:
    return not str(end.node_name).startswith(OWN)


def _typed(found: Sequence[tuple[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(types) for name, types in found}
