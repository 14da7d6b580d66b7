"""What can be learned about ROS on this machine by using it for a moment."""

from __future__ import annotations

from dataclasses import dataclass
import time

import rclpy
from rclpy.node import Node

LOOK_S = 2.5  # discovery takes a few tenths of a second, on a busy machine two seconds


@dataclass(frozen=True)
class RosFacts:
    """`nodes` are the fully qualified names seen in the graph, without this probe."""

    rmw: str
    folder: str
    nodes: tuple[str, ...]


def probe_ros() -> RosFacts:
    """Joins the ROS graph for a moment and looks around."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    try:
        node = Node('bt_executive_doctor', context=context)
        time.sleep(LOOK_S)
        own = node.get_fully_qualified_name()
        seen = {
            f'{space.rstrip("/")}/{name}' for name, space in node.get_node_names_and_namespaces()
        }
        node.destroy_node()
    finally:
        context.try_shutdown()
    return RosFacts(
        rclpy.get_rmw_implementation_identifier(), rclpy.__file__, tuple(sorted(seen - {own}))
    )
