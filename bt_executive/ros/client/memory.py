"""What the console asks of the spatial memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

from bt_executive_interfaces.srv import Recall, Remember
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer

from bt_executive.client.events import Answered, ClientEvent
from bt_executive.client.memory_text import recall_in_words
from bt_executive.client.requests import MemoryRequest
from rover_common.config.settings.topics import MemoryTopics
from rover_common.printable import one_line
from rover_common.ros.names import relative

LIMIT_S = 5.0  # steady; an answer that has not come until then does not count


class ConsoleMemory:
    """Used in the client's thread alone. `put` takes one `Answered` for each request."""

    def __init__(
        self,
        node: Node,
        topics: MemoryTopics,
        put: Callable[[ClientEvent], None],
        limit_s: float = LIMIT_S,
    ) -> None:
        self._node, self._put, self._limit_s = node, put, limit_s
        self._recall = node.create_client(Recall, relative(topics.recall.name))
        self._remember = node.create_client(Remember, relative(topics.remember.name))
        self._names = {'recall': topics.recall.name, 'remember': topics.remember.name}
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)

    def ask(self, request: MemoryRequest) -> None:
        """Sends a request; the answer, or that none came, follows within `LIMIT_S`."""
        client, message = self._call_of(request)
        if not client.service_is_ready():
            words = f'Nobody answers at {self._names[request.kind]}: does the memory run?'
            self._put(Answered(request.kind, False, words))
            return
        future = client.call_async(message)
        limit = self._node.create_timer(
            self._limit_s, partial(self._give_up, request, client, future), clock=self._steady
        )
        future.add_done_callback(partial(self._tell, request, limit))

    def _call_of(self, request: MemoryRequest) -> tuple[Any, Any]:
        if request.kind == 'recall':
            return self._recall, Recall.Request(text=request.text)
        key = request.key or uuid4().hex
        wish = Remember.Request(name=request.text, source='operator', key=key)
        return self._remember, wish

    def _tell(self, request: MemoryRequest, limit: Timer, future: Future) -> None:
        self._node.destroy_timer(limit)
        if future.cancelled():
            return
        answer = future.result()
        recalled = request.kind == 'recall'
        words = recall_in_words(answer) if recalled else one_line(answer.reason)
        self._put(Answered(request.kind, answer.ok, words))

    def _give_up(self, request: MemoryRequest, client: Any, future: Future) -> None:
        client.remove_pending_request(future)
        future.cancel()
        words = f'No answer from {self._names[request.kind]} within {self._limit_s:g} s'
        self._put(Answered(request.kind, False, words))
