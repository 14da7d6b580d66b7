"""`bt-executive learn DIR`: reads the live graph and writes a robot.yaml."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
import time
from typing import Any

from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.action import get_action_names_and_types
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, qos_profile_sensor_data
from tf2_msgs.msg import TFMessage

from bt_executive.skills.learned_gates_and_state import ODOMETRY
from bt_executive.skills.learned_graph import Graph
from bt_executive.skills.learned_robot_yaml import LearnedRobot
from bt_executive.skills.learned_tools import MOST_ARGUMENTS, TRAJECTORY
from bt_executive.store.atomic_file_replacement import write_whole
from rover_common.config.robot_file import ROBOT_FILE
from rover_common.errors import UsageError
from rover_common.geometry.transforms import normalized_frame
from rover_common.interface_field_checks import Shape
from rover_common.ros.graph_probe import short_lived_node
from rover_common.ros.interface_classes_and_fields import (
    constants_beside,
    interface_class,
    resolve,
)
from rover_common.ros.node_topic_and_enclave_names import (
    EXECUTIVE,
    GATES,
    MEMORY,
    RECORDER,
    VISION,
)
from rover_common.ros.tf_listener import TF_QOS, TF_STATIC_QOS

SEARCH_S = 4.0  # discovery takes some tenths of a second; a busy machine may take longer
PARAMETERS_S = 2.0
MOST_FRAMES = 1000
MOST_ODOMETRIES = 16
JOINTS = 'joints'  # the parameter of a controller
# Nodes of this project beside any robot; a robot may have one of this name, too.
OWN = (EXECUTIVE, GATES, MEMORY, RECORDER, VISION)
FRONT_ENDS = 'bt_executive_'  # begin of the names of its other nodes
INTERFACES = 'bt_executive_interfaces/'  # of what passes between nodes of this project


def learn(folder: Path, ros_arguments: Sequence[str]) -> str:
    """Write a robot.yaml into a folder and return in words what is in it.

    Raises:
        UsageError: There is such a file already, or it cannot be written, or nothing is in the
            graph, or ROS refuses.
    """
    file = folder / ROBOT_FILE
    _check_is_new(file)
    with short_lived_node('bt_executive_learn', ros_arguments) as node:
        graph = _graph(node)
    found = LearnedRobot(graph, resolve, _message, constants_beside)
    if not found.tools and not found.state:
        raise UsageError(
            'Nothing was found in the graph that a tool could call: start the robot, and see that '
            'ROS_DOMAIN_ID is the same.'
        )
    _check_is_new(file)
    try:
        write_whole(file, found.text().encode())  # a part of it may lack `approve`
    except OSError as error:
        raise UsageError(
            f'{file} cannot be written ({error.strerror}): name another folder.'
        ) from None
    stop = found.stop.name if found.stop else 'none found'
    gates = ', '.join(found.gates) or 'none'
    lines = [
        f'{file}: {len(found.tools)} tools, {len(found.state)} fields of state, '
        f'gates: {gates}, service that stops the robot: {stop}'
    ]
    if found.not_learned:
        lines.append(f'{len(found.not_learned)} things could not be learned: the end of the file')
    lines += _to_install(found.not_installed, folder)
    lines.append(
        f'Next: read the file, then `bt-executive check {folder} --live`, then '
        f'`bt-executive up --config {folder}`'
    )
    return '\n'.join(lines)


def _check_is_new(file: Path) -> None:
    if file.exists():
        raise UsageError(f'{file} exists: name another folder, or remove it first.')


def _to_install(types: Collection[str], folder: Path) -> Iterator[str]:
    """What adds the interfaces that are not installed."""
    for package, named in groupby(sorted(types), lambda each: each.partition('/')[0]):
        yield (
            f'Not installed: `bt-executive interfaces add FOLDER_OF_{package.upper()} '
            f'--only {" ".join(named)}`'
        )
    if types:
        yield f'After that remove {folder / ROBOT_FILE} and learn again'


def _message(type_name: str) -> Shape:
    return dict(interface_class(type_name).get_fields_and_field_types())


def _graph(node: Node) -> Graph:
    frames: dict[str, str] = {}

    def receive(message: TFMessage) -> None:
        for each in message.transforms:
            if len(frames) < MOST_FRAMES:
                frames[normalized_frame(each.child_frame_id)] = normalized_frame(
                    each.header.frame_id
                )

    odometry: dict[str, tuple[str, str]] = {}

    def follow(topic: str) -> None:
        def moved(message: Odometry) -> None:
            odometry[topic] = (
                normalized_frame(message.header.frame_id),
                normalized_frame(message.child_frame_id),
            )

        node.create_subscription(Odometry, topic, moved, qos_profile_sensor_data)

    node.create_subscription(TFMessage, '/tf', receive, TF_QOS)
    node.create_subscription(TFMessage, '/tf_static', receive, TF_STATIC_QOS)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    until = time.monotonic() + SEARCH_S
    followed = set[str]()
    while time.monotonic() < until:
        executor.spin_once(timeout_sec=0.1)
        for name, types in _typed(node.get_topic_names_and_types()).items():
            if types == (ODOMETRY,) and name not in followed and len(followed) < MOST_ODOMETRIES:
                followed.add(name)
                follow(name)
    joints = dict(_joints(node, executor))
    executor.shutdown()
    own = _own_nodes(node)
    topics = {
        name: types
        for name, types in _typed(node.get_topic_names_and_types()).items()
        if '/_' not in name
        and any((each.node_name, each.node_namespace) not in own for each in _ends(node, name))
    }
    own_services = {
        name
        for each, space in own
        for name, _ in node.get_service_names_and_types_by_node(each, space)
    }
    services = _typed(node.get_service_names_and_types())
    return Graph(
        {name: types for name, types in services.items() if name not in own_services},
        _typed(get_action_names_and_types(node)),
        topics,
        frames=frames,
        subscribed=frozenset(name for name in topics if node.count_subscribers(name)),
        only_subscribed=frozenset(name for name in topics if not node.count_publishers(name)),
        latched=frozenset(name for name in topics if _is_latched(node, name)),
        joints=joints,
        odometry=odometry,
    )


def _joints(node: Node, executor: SingleThreadedExecutor) -> Iterator[tuple[str, list[str]]]:
    """The joints of each controller that follows trajectories, by its parameter."""
    for action, types in get_action_names_and_types(node):
        controller = action.rpartition('/')[0]
        if types != [TRAJECTORY] or not controller:
            continue
        client = node.create_client(GetParameters, f'{controller}/get_parameters')
        if client.service_is_ready():
            answer = client.call_async(GetParameters.Request(names=[JOINTS]))
            executor.spin_until_future_complete(answer, PARAMETERS_S)
            values = answer.result().values if answer.done() and answer.result() else ()
            if values and values[0].string_array_value:
                yield action, list(values[0].string_array_value)[: MOST_ARGUMENTS - 1]
        node.destroy_client(client)


def _is_latched(node: Node, topic: str) -> bool:
    offered = [each.qos_profile for each in node.get_publishers_info_by_topic(topic)]
    durable = DurabilityPolicy.TRANSIENT_LOCAL
    return bool(offered) and all(each.durability == durable for each in offered)


def _ends(node: Node, topic: str) -> list[Any]:
    """Who publishes a topic, and who subscribes to it, as a base does to velocities."""
    publishers = node.get_publishers_info_by_topic(topic)
    return [*publishers, *node.get_subscriptions_info_by_topic(topic)]


def _own_nodes(node: Node) -> set[tuple[str, str]]:
    """Return name and namespace of each node of this project; `vision_lights` is of the robot."""
    return {
        (name, space)
        for name, space in node.get_node_names_and_namespaces()
        if name.startswith(FRONT_ENDS) or (name in OWN and _has_own_types(node, name, space))
    }


def _has_own_types(node: Node, name: str, space: str) -> bool:
    """Return whether an endpoint of a node has a type that only nodes of this project have."""
    found = (
        *node.get_publisher_names_and_types_by_node(name, space),
        *node.get_subscriber_names_and_types_by_node(name, space),
        *node.get_service_names_and_types_by_node(name, space),
    )
    return any(each.startswith(INTERFACES) for _, types in found for each in types)


def _typed(found: Sequence[tuple[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """Return the types by name, but for what is between nodes of this project, whoever listens."""
    return {
        name: tuple(types)
        for name, types in found
        if not any(each.startswith(INTERFACES) for each in types)
    }
