"""Notices that another process serves an action while a goal of ours is under way.

A server that was killed stays in the graph until its lease ends, 20 s with Fast DDS. One that was
started in its place meanwhile knows nothing of the goal, and would never be asked.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

POLL_S = 0.5  # steady
TIMES = 3  # that the server is asked: not all of it may have been found at first


class ReplacedServer:
    """Compares who publishes the action's status. Used in the executor's thread alone.

    Args:
        node: Of the client.
        action: Its name.
        group: Of the client.
        is_needed: Whether a goal is under way; without one nothing is compared.
        came: Called, `TIMES` times, when a publisher is there that was not there before.
    """

    def __init__(
        self,
        node: Node,
        action: str,
        group: CallbackGroup,
        is_needed: Callable[[], bool],
        came: Callable[[], None],
    ) -> None:
        self._node, self._group = node, group
        self._topic = f'{action}/_action/status'
        self._is_needed, self._came = is_needed, came
        self._known: frozenset[bytes] = frozenset()
        self._timer: Timer | None = None
        self._left = 0  # times

    def begin(self) -> None:
        """A goal was sent: compares until none is needed any more."""
        if self._timer is None:
            self._known, self._left = self._publishers(), 0
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = self._node.create_timer(
                POLL_S, self._poll, callback_group=self._group, clock=steady
            )

    def _poll(self) -> None:
        if not self._is_needed():
            timer, self._timer = self._timer, None
            self._node.destroy_timer(timer)
            return
        known, self._known = self._known, self._publishers()
        if self._known - known:
            self._left = TIMES
        if self._left:
            self._left -= 1
            self._came()

    def _publishers(self) -> frozenset[bytes]:
        found = self._node.get_publishers_info_by_topic(self._topic)
        return frozenset(bytes(each.endpoint_gid) for each in found)
