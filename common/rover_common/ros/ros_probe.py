"""What a short-lived node finds out about ROS on this machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
import time
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter

from rover_common.errors import UsageError
from rover_common.process.node_name_lock import ELSEWHERE
from rover_common.ros.ros_arguments import namespace_of
from rover_common.ros.short_lived_node import short_lived_node

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


def _poll(node: Node, wanted: Collection[str]) -> set[str]:
    ends = [time.monotonic() + DISCOVERY_S]
    while True:
        seen = {
            f'{space.rstrip("/")}/{name}' for name, space in node.get_node_names_and_namespaces()
        }
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
