"""Waiting for the server of an action, and what the graph knew of it if it does not come."""

from __future__ import annotations

from rclpy.action import ActionClient
from rclpy.node import Node
from waiting import wait_until

LOOK_S = 0.02
SERVICES = ('send_goal', 'cancel_goal', 'get_result')
TOPICS = ('feedback', 'status')


def wait_for_action(client: ActionClient, node: Node, name: str) -> None:
    """Waits until the client of `node` sees a server of the action `name`."""
    wait_until(
        client.server_is_ready, lambda: f'{name} is there: {_told(node, name)}', look_s=LOOK_S
    )


def _told(node: Node, name: str) -> dict[str, object]:
    """How many servers and clients, or publishers, of each part there are, and all nodes."""
    parts = node.resolve_topic_name(f'{name}/_action')
    services = [f'{parts}/{each}' for each in SERVICES]
    topics = [f'{parts}/{each}' for each in TOPICS]
    return {
        **{each: (node.count_services(each), node.count_clients(each)) for each in services},
        **{each: node.count_publishers(each) for each in topics},
        'nodes': node.get_node_names_and_namespaces(),
    }
