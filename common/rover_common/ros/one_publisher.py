"""Whether a topic has one publisher: what several say in turn is not known."""

from __future__ import annotations

from rclpy.node import Node

from rover_common.printable import one_line

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
