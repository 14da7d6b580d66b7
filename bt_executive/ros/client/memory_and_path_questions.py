"""Requests of a front end to the spatial memory and to the path planner, with their answers.

The texts of the memory are untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
import math
import time
from typing import Any, Protocol
from uuid import uuid4

from bt_executive_interfaces.srv import PlanPath, Recall, Remember
from rclpy.node import Node
from rclpy.timer import Timer

from bt_executive.client.front_end_events import (
    ClientEvent,
    PathPlanned,
    PlacesRecalled,
    ServiceReply,
)
from bt_executive.client.front_end_requests import MemoryRequest
from bt_executive.ros.client.service_and_parameter_calls import AnswerTimeout
from rover_common.config.settings import Config
from rover_common.ros.message_conversions import sendable_message
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.timers import STEADY
from rover_common.text_sanitizing import one_line

LONGEST_CAPTION = 200  # characters
MOST_RELATIONS = 3
MOST_PLACES = 20
LIMIT_S = 15.0  # as the tool has it: the first question loads the sentence encoder
PATH_LIMIT_S = 20.0  # steady; a search through a maze takes its time
FOUND_S, RETRY_S = 3.0, 0.1  # steady; within it a planner is discovered
MOST_POINTS = 2000


class RecallResponse(Protocol):
    """The response of the service `recall`."""

    ok: bool
    reason: str
    places: Sequence[Any]


def format_recall(response: RecallResponse) -> str:
    """Return the memory's sentence, then a line for each place."""
    lines = [one_line(response.reason), *map(_format_place, response.places)]
    return '\n'.join(filter(None, lines))


def _format_place(place: Any) -> str:
    caption = one_line(place.caption)[:LONGEST_CAPTION]
    relations = map(one_line, (*place.relations[:MOST_RELATIONS], *place.part_of[:1]))
    description = '; '.join(filter(None, (caption, *relations)))
    return f'  {one_line(place.name)}  x {place.x:.1f} m, y {place.y:.1f} m: {description}'


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


class PathQuestions:
    """Used in the client's thread alone. `emit` takes one `PathPlanned` for each question."""

    def __init__(self, node: Node, config: Config, emit: Callable[[ClientEvent], None]) -> None:
        self._node, self._emit, self._limit = node, emit, AnswerTimeout(node, PATH_LIMIT_S)
        self._found_by = time.monotonic() + FOUND_S
        self._client = node.create_client(
            PlanPath, relative_name(config.topics.adapter.plan_path.name)
        )

    def ask(self, key: str, x: float, y: float) -> None:
        """Requests the path to a place, m in the world frame."""

        def late(why: str) -> None:
            self._emit(PathPlanned(key, x, y, why))

        if not self._client.service_is_ready():
            if time.monotonic() < self._found_by:
                self._ask_later(key, x, y)
                return
            late('No path is known beforehand: this robot has no planner that can be asked.')
            return
        self._limit.ask(
            self._client,
            PlanPath.Request(x=x, y=y),
            lambda answer: self._emit(_planned(key, x, y, answer)),
            late,
        )

    def _ask_later(self, key: str, x: float, y: float) -> None:
        def again() -> None:
            self._node.destroy_timer(timer)
            self.ask(key, x, y)

        timer: Timer = self._node.create_timer(RETRY_S, again, clock=STEADY)


def _planned(key: str, x: float, y: float, answer: PlanPath.Response) -> PathPlanned:
    points = tuple((each.x, each.y) for each in answer.path[:MOST_POINTS])
    numbers = (answer.length_m, answer.time_s, *(each for point in points for each in point))
    if not answer.ok or not all(map(math.isfinite, numbers)):
        reason = one_line(answer.reason) or 'The planner gave no path and no reason.'
        return PathPlanned(key, x, y, reason, is_impossible=True)
    return PathPlanned(key, x, y, '', points, answer.length_m, answer.time_s)
