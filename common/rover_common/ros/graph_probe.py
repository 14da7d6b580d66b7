"""A node that is in the graph for a moment: what runs there, and whether another rover does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
import os
import time
from typing import Any

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import NameValidationException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from tf2_msgs.msg import TFMessage

from rover_common.config.settings import Topics
from rover_common.errors import UsageError
from rover_common.geometry.transforms import normalized_frame
from rover_common.process.node_name_lock import ELSEWHERE
from rover_common.ros.entering_ros import choose_transport, node_refused
from rover_common.ros.node_topic_and_enclave_names import CONSOLE, enclave_arguments, relative_name
from rover_common.ros.ros_arguments import namespace_of
from rover_common.ros.tf_listener import TF_QOS


@contextmanager
def short_lived_node(
    name: str, ros_arguments: Sequence[str] = (), **options: Any
) -> Iterator[Node]:
    """A node in a context of its own, in the namespace of the ROS arguments. Thread-safe.

    `options`: of the node.

    Raises:
        UsageError: ROS refuses the node.
    """
    choose_transport(os.environ)
    context = rclpy.Context()
    try:
        rclpy.init(
            args=enclave_arguments(CONSOLE),
            context=context,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        node = Node(name, namespace=namespace_of(ros_arguments), context=context, **options)
        try:
            yield node
        finally:
            node.destroy_node()
    except (RCLError, NameValidationException) as error:
        raise node_refused(error) from None
    finally:
        context.try_shutdown()


DISCOVERY_S = 2.5  # it takes a few tenths of a second, on a busy machine two seconds
SAME_STACK_S = 1.0  # once a wanted node was seen, the others of its stack follow within this time
PERIOD_S = 0.1
OFFERS_NOTHING: Mapping[str, Any] = {  # so that it needs no permission but the console's
    'enable_rosout': False,
    'start_parameter_services': False,
    'parameter_overrides': [Parameter('start_type_description_service', value=False)],
}


@dataclass(frozen=True)
class RosEnvironment:
    """`nodes` are the fully qualified names seen in the graph, without this probe."""

    rmw: str
    folder: str
    nodes: tuple[str, ...]


def probe_ros(wanted: Collection[str] = ()) -> RosEnvironment:
    """Join the ROS graph for a moment and list its nodes.

    `wanted`: full names of nodes; when one is seen, the search is cut short.

    Raises:
        UsageError: ROS refuses the node.
    """
    with short_lived_node('bt_executive_doctor', **OFFERS_NOTHING) as node:
        own = node.get_fully_qualified_name()
        seen = _poll(node, wanted)
    return RosEnvironment(
        rclpy.get_rmw_implementation_identifier(), rclpy.__file__, tuple(sorted(seen - {own}))
    )


MEETING_S = 10.0  # far more than discovery takes


def nodes_meet() -> bool:
    """Return whether two nodes of this machine discover each other, as those of a system must.

    Raises:
        UsageError: ROS refuses the nodes.
    """
    with (
        short_lived_node('bt_executive_doctor', **OFFERS_NOTHING) as node,
        short_lived_node('bt_executive_other', **OFFERS_NOTHING) as other,
    ):
        until = time.monotonic() + MEETING_S
        while other.get_fully_qualified_name() not in _names(node):
            if time.monotonic() >= until:
                return False
            time.sleep(PERIOD_S)
    return True


def _names(node: Node) -> set[str]:
    """Return the full names of all nodes that a node has discovered, and its own."""
    found = node.get_node_names_and_namespaces()
    return {f'{space.rstrip("/")}/{name}' for name, space in found}


def _poll(node: Node, wanted: Collection[str]) -> set[str]:
    ends = [time.monotonic() + DISCOVERY_S]
    while True:
        seen = _names(node)
        now = time.monotonic()
        if not seen.isdisjoint(wanted):
            ends.append(now + SAME_STACK_S)
        if now >= min(ends):
            return seen
        time.sleep(PERIOD_S)


def check_network(
    names: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str]
) -> None:
    """Check that no nodes of these names, with these ROS arguments, run on another machine.

    On this machine their locks show it (`rover_common.process.node_name_lock`), so this takes
    time only where discovery reaches further.

    Raises:
        UsageError: Some do.
    """
    reach = environment.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    if reach in ('LOCALHOST', 'OFF') and not environment.get('ROS_STATIC_PEERS'):
        return
    space = namespace_of(arguments).rstrip('/')
    wanted = {f'{space}/{name}' for name in names}
    running = [name for name in probe_ros(wanted).nodes if name in wanted]
    if running:
        raise UsageError(
            f'{", ".join(running)} run already in this network: end them (a killed one is '
            f'forgotten within 20 s), or {ELSEWHERE}'
        )


ROVER_DISCOVERY_S = 1.5  # it takes some tenths of a second; on a busy machine longer
UNNAMED = 'NODE_NAME_UNKNOWN'  # a publisher may be discovered before its node


def check_no_other_rover(topics: Topics, arguments: Sequence[str]) -> None:
    """Search the graph for a moment, in a context of its own; callable from any thread.

    With two sources of the same transforms, odometry and joints, the rover would seem to jump
    between two places.

    Raises:
        UsageError: Another node publishes the embedded rover's topics, or ROS refuses the node.
    """
    with short_lived_node('bt_executive_look', arguments) as node:
        found = _poll_search(_Search(node, topics), SingleThreadedExecutor(context=node.context))
    if found:
        raise UsageError(
            f'A rover runs here already: {"; ".join(found)}. The embedded one beside it would '
            'make two sources of /tf. Use curiosity.launch.py, demo.launch.py rover:=false or '
            'bt-executive up --no-rover to work with that rover; or end it, set another '
            'ROS_DOMAIN_ID, or choose a namespace.'
        )


class _Search:
    """Publishers of another rover's topics."""

    def __init__(self, node: Node, topics: Topics) -> None:
        self.node = node
        self._topics = [
            relative_name(topics.rover.odometry),
            relative_name(topics.rover.joint_states),
        ]
        self._frames = {normalized_frame(topics.tf.base_frame)}
        self._moved = False
        node.create_subscription(TFMessage, 'tf', self._on_transforms, TF_QOS)

    def found(self) -> list[str]:
        """Publishers and their topics, a phrase each."""
        seen = [self._publishers(topic) for topic in self._topics]
        return [*filter(None, seen), *([self._publishers('tf')] if self._moved else [])]

    def _on_transforms(self, message: Any) -> None:
        children = {normalized_frame(each.child_frame_id) for each in message.transforms}
        self._moved = self._moved or not children.isdisjoint(self._frames)

    def _publishers(self, topic: str) -> str:
        full = self.node.resolve_topic_name(topic)
        publishers = self.node.get_publishers_info_by_topic(full)
        names = sorted(
            {f'{each.node_namespace.rstrip("/")}/{each.node_name}' for each in publishers}
        )
        if not names and topic != 'tf':
            return ''
        return f'{", ".join(names) or "a node that has gone"} publishes {full}'


def _poll_search(search: _Search, executor: SingleThreadedExecutor) -> list[str]:
    executor.add_node(search.node)
    until = time.monotonic() + ROVER_DISCOVERY_S
    while (not (found := search.found()) or UNNAMED in str(found)) and time.monotonic() < until:
        executor.spin_once(timeout_sec=PERIOD_S)
    executor.shutdown()
    return found
