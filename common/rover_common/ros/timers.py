"""Timers of rclpy: another period, and waiting in a coroutine."""

from __future__ import annotations

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer


def set_period(timer: Timer, period_s: float) -> None:
    """Make it due every so many s of its clock from now on; no change if it is already."""
    period_ns = round(period_s * 1e9)
    if timer.timer_period_ns != period_ns:
        timer.timer_period_ns = period_ns
        timer.reset()


STEADY = Clock(clock_type=ClockType.STEADY_TIME)  # continues while a simulation is paused


async def sleep(node: Node, seconds: float) -> None:
    """Wait so many s of steady time; the node continues meanwhile."""
    over = Future()
    timer = node.create_timer(seconds, lambda: over.set_result(None), clock=STEADY)
    await over
    node.destroy_timer(timer)
