"""Viewers that stayed while the executive restarted: subscribed, with nobody publishing.

The tools of py_trees_ros ask for a stream once. Opening it again on the topic where they still
listen lets them go on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Iterator

from rclpy.node import Node

ADOPTION_S = 15.0  # after the start: discovery of a network takes a few seconds


def orphaned_topics(node: Node, folder: str, type_name: str) -> Iterator[str]:
    """Topics of a type below `folder` that are subscribed to and have no publisher."""
    prefix = str(node.resolve_topic_name(f'{folder}_'))
    for topic, types in node.get_topic_names_and_types():
        if topic.startswith(prefix) and type_name in types and not node.count_publishers(topic):
            yield topic
