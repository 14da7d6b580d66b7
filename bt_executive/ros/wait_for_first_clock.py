"""Waits at the start for the first message on /clock, where use_sim_time is set."""

from __future__ import annotations

import time

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

LIMIT_S = 2.0  # steady; a simulation that has not begun must not keep a node from serving


def wait_for_clock(node: Node, limit_s: float = LIMIT_S) -> None:
    """Spins a node, which is in no executor yet, until its clock has a time or `limit_s` is over.

    Returns at once where time is not simulated. A clock that stays silent is reported in the log;
    the tree reports it on the trace.
    """
    clock = node.get_clock()
    if not clock.ros_time_is_active:
        return
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    deadline = time.monotonic() + limit_s
    while not clock.now().nanoseconds and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    executor.remove_node(node)
    executor.shutdown()
    if clock.now().nanoseconds:
        return
    topic = node.resolve_topic_name('/clock')
    node.get_logger().warning(
        f'use_sim_time is true and nothing has come on {topic} yet: '
        'time stands still until it does. Start the simulation, or set use_sim_time to false'
    )
