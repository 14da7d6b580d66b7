"""Asking the server of an action; and what the graph knew of it if it does not come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from waiting import wait_until

Made = TypeVar('Made')

LOOK_S = 0.02
SERVICES = ('send_goal', 'cancel_goal', 'get_result')
TOPICS = ('feedback', 'status')


def in_executor(node: Node, call: Callable[[], Made]) -> Made:
    """Makes a call in the thread that spins the node.

    rclpy's ActionClient notes a request only after it has sent it: an answer that another thread
    takes in between is dropped.
    """
    assert node.executor is not None
    task = node.executor.create_task(call)
    wait_until(task.done, 'the call is made')
    made: Made = task.result()
    return made


def wait_for_action(client: ActionClient, node: Node, name: str) -> None:
    """Waits until the client of `node` sees a server of the action `name`."""
    wait_until(
        client.server_is_ready, lambda: f'{name} is there: {_told(node, name)}', look_s=LOOK_S
    )


def send_goal(client: ActionClient, node: Node, goal: Any) -> ClientGoalHandle:
    """Sends a goal by the client of `node`, which another thread spins; waits for yes or no."""
    sent = in_executor(node, lambda: client.send_goal_async(goal))
    wait_until(sent.done, 'the goal is accepted')
    return sent.result()


def ask_for_result(handle: ClientGoalHandle, node: Node) -> Future:
    """Asks for the result of a goal that `send_goal` sent; it is there when the goal has ended."""
    return in_executor(node, handle.get_result_async)


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
