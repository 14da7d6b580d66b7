"""What can be learned about ROS on this machine by using it for a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import os
import time

import rclpy
from rclpy.node import Node

from bt_executive.claims import namespace_of
from bt_executive.errors import UsageError
from bt_executive.ros.transport import choose_transport

LOOK_S = 2.5  # discovery takes a few tenths of a second, on a busy machine two seconds


@dataclass(frozen=True)
class RosFacts:
    """`nodes` are the fully qualified names seen in the graph, without this probe."""

    rmw: str
    folder: str
    nodes: tuple[str, ...]


def probe_ros() -> RosFacts:
    """Joins the ROS graph for a moment and looks around."""
    choose_transport(os.environ)
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


def check_network(
    names: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str]
) -> None:
    """Looks whether nodes of these names, with these ROS arguments, run on another machine.

    On this machine their claims tell (bt_executive/claims.py), so that this takes time only where
    discovery reaches further.

    Raises:
        UsageError: Some do.
    """
    reach = environment.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    if reach in ('LOCALHOST', 'OFF') and not environment.get('ROS_STATIC_PEERS'):
        return
    space = namespace_of(arguments).rstrip('/')
    running = [name for name in probe_ros().nodes if name in {f'{space}/{n}' for n in names}]
    if running:
        raise UsageError(
            f'{", ".join(running)} run already in this network: end them (a killed one is '
            'forgotten within 20 s), or set another ROS_DOMAIN_ID, or choose a namespace '
            '(--ros-args -r __ns:=/rover_2).'
        )
