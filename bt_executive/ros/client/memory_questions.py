"""Requests to the spatial memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import math
from typing import Any
from uuid import uuid4

from bt_executive_interfaces.srv import Recall, Remember
from rclpy.node import Node

from bt_executive.client.front_end_events import ClientEvent, PlacesRecalled, ServiceReply
from bt_executive.client.front_end_requests import MemoryRequest
from bt_executive.client.memory_answer_text import format_recall
from bt_executive.ros.client.service_and_parameter_calls import AnswerTimeout
from rover_common.config.settings import Config
from rover_common.printable import one_line
from rover_common.ros.sendable_message import sendable_message
from rover_common.ros.topic_names import relative_name

MOST_PLACES = 20
LIMIT_S = 15.0  # as the tool has it: the first question loads the sentence encoder


class MemoryQuestions:
    """Used in the client's thread alone. `emit` takes one `ServiceReply` for each request.

    A recall emits the places before it: `PlacesRecalled`.
    """

    def __init__(
        self,
        node: Node,
        config: Config,
        emit: Callable[[ClientEvent], None],
        limit_s: float = LIMIT_S,
    ) -> None:
        self._emit, self._limit = emit, AnswerTimeout(node, limit_s)
        topics = config.topics.memory
        self._left_out = config.why_left_out(topics.recall)
        self._recall = node.create_client(Recall, relative_name(topics.recall.name))
        self._remember = node.create_client(Remember, relative_name(topics.remember.name))
        self._names = {'recall': topics.recall.name, 'remember': topics.remember.name}

    def ask(self, request: MemoryRequest) -> None:
        """Sends a request; the answer, or its failure, follows within `LIMIT_S`."""
        client, message = self._call_of(request)

        def late(text: str) -> None:
            self._emit(ServiceReply(request.kind, False, text))

        if not client.service_is_ready():
            why = self._left_out or 'is the memory running?'
            late(f'No server answers at {self._names[request.kind]}: {why}')
            return
        self._limit.ask(client, sendable_message(message), partial(self._report, request), late)

    def _call_of(self, request: MemoryRequest) -> tuple[Any, Any]:
        if request.kind == 'recall':
            return self._recall, Recall.Request(text=request.text)
        key = request.key or uuid4().hex
        return self._remember, Remember.Request(name=request.text, source='operator', key=key)

    def _report(self, request: MemoryRequest, answer: Any) -> None:
        recalled = request.kind == 'recall'
        if recalled:
            found = ((one_line(each.name), each.x, each.y) for each in answer.places[:MOST_PLACES])
            places = tuple(each for each in found if math.isfinite(each[1] + each[2]))
            self._emit(PlacesRecalled(places))
        text = format_recall(answer) if recalled else one_line(answer.reason)
        self._emit(ServiceReply(request.kind, answer.ok, text))
