"""A timeout of service calls: the service of a node that hangs has a server, but no answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer

from rover_common.ros.timers import STEADY

LIMIT_S = 5.0  # steady; later answers do not count


class AnswerTimeout:
    """Used in the client's thread alone."""

    def __init__(self, node: Node, limit_s: float = LIMIT_S) -> None:
        self._node, self._limit_s = node, limit_s

    def ask(
        self,
        client: Any,
        request: Any,
        then: Callable[[Any], None],
        late: Callable[[str], None],
        is_limited: bool = True,
    ) -> Future | None:
        """Sends a request; returns its future, or None if there is no server.

        `then` takes the response, or `late` the reason why there is none. `is_limited`: whether
        the request is dropped when it is not answered in time.
        """
        if not client.service_is_ready():
            late(f'No server answers at {client.srv_name} now.')
            return None
        asked: Future = client.call_async(request)
        asked.add_done_callback(lambda future: then(future.result()))
        if is_limited:
            self._watch(client, asked, late)
        return asked

    def _watch(self, client: Any, asked: Future, late: Callable[[str], None]) -> None:
        limit: Timer = self._node.create_timer(
            self._limit_s, lambda: self._give_up(client, asked, limit, late), clock=STEADY
        )
        asked.add_done_callback(partial(self._answered, limit))

    def _answered(self, limit: Timer, _asked: Future) -> None:
        self._node.destroy_timer(limit)

    def _give_up(
        self, client: Any, asked: Future, limit: Timer, late: Callable[[str], None]
    ) -> None:
        self._node.destroy_timer(limit)
        if not asked.done():
            client.remove_pending_request(asked)
            late(f'No answer from {client.service_name} within {self._limit_s:g} s')
