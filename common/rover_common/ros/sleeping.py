"""Waiting in a coroutine of an executor of rclpy, which has no sleep of its own."""

from __future__ import annotations

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

STEADY = Clock(clock_type=ClockType.STEADY_TIME)


async def sleep(node: Node, seconds: float) -> None:
    """Waits so many s of steady time; the node goes on meanwhile."""
    over = Future()
    timer = node.create_timer(seconds, lambda: over.set_result(None), clock=STEADY)
    await over
    node.destroy_timer(timer)
