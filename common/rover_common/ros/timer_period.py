"""A timer of rclpy that comes more often while there is something to do."""

from __future__ import annotations

from rclpy.timer import Timer


def set_period(timer: Timer, period_s: float) -> None:
    """Makes it due every so many s of its clock from now on; if it is already, nothing changes."""
    period_ns = round(period_s * 1e9)
    if timer.timer_period_ns != period_ns:
        timer.timer_period_ns = period_ns
        timer.reset()
