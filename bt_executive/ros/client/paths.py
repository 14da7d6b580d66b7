"""The path that a drive to a place would take, as the navigator plans it. Nothing moves."""

from __future__ import annotations

from collections.abc import Callable
import math

from bt_executive_interfaces.srv import PlanPath
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.client.front_end_events import ClientEvent, PathPlanned
from bt_executive.ros.client.answer_limit import AnswerLimit
from rover_common.config.settings import Config
from rover_common.printable import one_line
from rover_common.ros.names import relative

LIMIT_S = 20.0  # steady; a search through a maze takes its time
MOST_POINTS = 2000


class PathQuestions:
    """Used in the client's thread alone. `put` takes one `PathPlanned` for each question."""

    def __init__(self, node: Node, config: Config, put: Callable[[ClientEvent], None]) -> None:
        self._put, self._limit = put, AnswerLimit(node, LIMIT_S)
        name = relative(config.topics.adapter.plan_path.name)
        self._client = node.create_client(PlanPath, name)

    def ask(self, key: str, x: float, y: float) -> None:
        """Asks for the path to a place, m in the world frame."""

        def late(why: str) -> None:
            self._put(PathPlanned(key, x, y, why))

        if not self._client.service_is_ready():
            late('No path is known beforehand: this robot has no planner that can be asked.')
            return
        asked = self._client.call_async(PlanPath.Request(x=x, y=y))
        asked.add_done_callback(lambda future: self._put(_planned(key, x, y, future)))
        self._limit.watch(self._client, asked, late)


def _planned(key: str, x: float, y: float, future: Future) -> PathPlanned:
    answer = future.result()
    points = tuple((each.x, each.y) for each in answer.path[:MOST_POINTS])
    numbers = (answer.length_m, answer.time_s, *(each for point in points for each in point))
    if not answer.ok or not all(map(math.isfinite, numbers)):
        reason = one_line(answer.reason) or 'The planner gave no path and no reason.'
        return PathPlanned(key, x, y, reason)
    return PathPlanned(key, x, y, '', points, answer.length_m, answer.time_s)
