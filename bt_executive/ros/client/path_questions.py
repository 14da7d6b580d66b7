"""Requests previews of the path to a place from the robot's planner."""

from __future__ import annotations

from collections.abc import Callable
import math
import time

from bt_executive_interfaces.srv import PlanPath
from rclpy.node import Node
from rclpy.timer import Timer

from bt_executive.client.front_end_events import ClientEvent, PathPlanned
from bt_executive.ros.client.service_and_parameter_calls import AnswerTimeout
from rover_common.config.settings import Config
from rover_common.printable import one_line
from rover_common.ros.timers import STEADY
from rover_common.ros.topic_names import relative_name

LIMIT_S = 20.0  # steady; a search through a maze takes its time
FOUND_S, RETRY_S = 3.0, 0.1  # steady; within it a planner is discovered
MOST_POINTS = 2000


class PathQuestions:
    """Used in the client's thread alone. `emit` takes one `PathPlanned` for each question."""

    def __init__(self, node: Node, config: Config, emit: Callable[[ClientEvent], None]) -> None:
        self._node, self._emit, self._limit = node, emit, AnswerTimeout(node, LIMIT_S)
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
