"""What path a drive would take, asked of a planner that is there, is not found yet, or is none."""

from __future__ import annotations

from bt_executive_interfaces.srv import PlanPath
from geometry_msgs.msg import Point
import pytest
from two_nodes import TwoNodes, own_context

from bt_executive.client.front_end_events import ClientEvent, PathPlanned
from bt_executive.ros.client import memory_and_path_questions
from bt_executive.ros.client.memory_and_path_questions import PathQuestions
from rover_common.config.load import load_config
from rover_common.ros.topic_names import relative_name

pytestmark = pytest.mark.ros
CONFIG = load_config()
NAME = relative_name(CONFIG.topics.adapter.plan_path.name)


def _plan(request: PlanPath.Request, answer: PlanPath.Response) -> PlanPath.Response:
    answer.ok, answer.length_m, answer.time_s = True, 3.2, 9.0
    answer.path = [Point(), Point(x=request.x, y=request.y)]
    return answer


def test_a_question_waits_until_the_planner_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_and_path_questions, 'FOUND_S', 60.0)
    seen: list[ClientEvent] = []
    with own_context() as context:
        stage = TwoNodes(context, 'paths')
        PathQuestions(stage.console, CONFIG, seen.append).ask('one', 3.0, 1.0)
        assert seen == []
        stage.served.create_service(PlanPath, NAME, _plan)
        stage.until(lambda: seen, 'a path')
        assert seen == [PathPlanned('one', 3.0, 1.0, '', ((0.0, 0.0), (3.0, 1.0)), 3.2, 9.0)]


def test_a_robot_without_a_planner_is_said_to_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_and_path_questions, 'FOUND_S', 0.0)
    seen: list[ClientEvent] = []
    with own_context() as context:
        stage = TwoNodes(context, 'paths')
        PathQuestions(stage.console, CONFIG, seen.append).ask('one', 3.0, 1.0)
    assert isinstance(seen[0], PathPlanned)
    assert 'no planner that can be asked' in seen[0].reason
