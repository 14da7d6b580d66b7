"""Who publishes a topic, and under which type; subscribes under the type that the graph shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy._rclpy_pybind11 import RCLError
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.text_sanitizing import one_line

LONGEST_NAMES = 120  # characters; names are others' text
MOST_NAMES = 4


def several_publishers(node: Node, topic: str) -> str:
    """Return why a topic is not known for having several publishers; empty: it has one, or none.

    A message can only come from a publisher that the graph shows. One whose process was killed
    counts until the middleware's lease is over (docs/decisions/0009).
    """
    name = node.resolve_topic_name(topic)
    if node.count_publishers(name) < 2:
        return ''
    found = sorted(
        f'{each.node_namespace.rstrip("/")}/{each.node_name}'
        for each in node.get_publishers_info_by_topic(name)
    )
    more = f' and {len(found) - MOST_NAMES} more' if len(found) > MOST_NAMES else ''
    names = one_line(', '.join(found[:MOST_NAMES]))[:LONGEST_NAMES]
    return (
        f'{len(found)} publishers on {name} ({names}{more}): let only one publish there; one that '
        'was killed counts for up to 20 s'
    )


def published_types(node: Node, topic: str) -> list[str]:
    """Return the types under which a topic is published; who subscribes may want another."""
    publishers = node.get_publishers_info_by_topic(node.resolve_topic_name(topic))
    return sorted({each.topic_type for each in publishers})


def subscribe_as(
    node: Node,
    type_name: str,
    topic: str,
    receive: Callable[[Any], object],
    qos: QoSProfile,
    group: CallbackGroup | None = None,
) -> Subscription:
    """Subscribe to a topic under a type that the graph shows.

    Raises:
        LookupError: The type is not installed, or this process has the topic under another type;
            the middleware allows one in each process.
    """
    kind, name = interface_class(type_name), node.resolve_topic_name(topic)
    own = sorted(_own_types(node, name) - {type_name})
    if not own:
        try:
            return node.create_subscription(kind, name, receive, qos, callback_group=group)
        except RCLError:  # of an endpoint that has just been destroyed, or of another node
            own = ['another type']
    raise LookupError(
        f'{name} is {type_name}, and this process has it as {", ".join(own)}: let one type be '
        'published there'
    )


def _own_types(node: Node, name: str) -> set[str]:
    """The types of a topic's endpoints in this node."""
    publishers = node.get_publishers_info_by_topic(name)
    return {
        each.topic_type
        for each in (*publishers, *node.get_subscriptions_info_by_topic(name))
        if (each.node_name, each.node_namespace) == (node.get_name(), node.get_namespace())
    }
