"""Questions to memory and path planner: each is answered once, by the server or by the client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bt_executive_interfaces.msg import RememberedPlace
from bt_executive_interfaces.srv import PlanPath, Recall, Remember
from domains import next_domain
from geometry_msgs.msg import Point
import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from spinning import spun_node
from two_nodes import TwoNodes, own_context
from waiting import LIMIT_S, wait_until

from bt_executive.client.front_end_events import ClientEvent, PathPlanned, ServiceReply
from bt_executive.client.front_end_requests import MemoryRequest
from bt_executive.ros.client import memory_and_path_questions
from bt_executive.ros.client.memory_and_path_questions import MemoryQuestions, PathQuestions
from rover_common.config.load import load_config
from rover_common.ros.node_topic_and_enclave_names import relative_name

pytestmark = pytest.mark.ros

BISHOP = RememberedPlace(
    name='Bishop', caption='layered\x1b[31m rock', x=7.0, y=3.5, relations=['8 m from the robot']
)


@pytest.fixture
def node() -> Iterator[Node]:
    with spun_node('console', next_domain()) as made:
        yield made


@pytest.fixture
def ask(node: Node) -> Callable[..., ServiceReply]:
    told: list[Any] = []
    memory = MemoryQuestions(node, load_config(), told.append, LIMIT_S)
    impatient = MemoryQuestions(node, load_config(), told.append, limit_s=0.5)

    def asked(kind: Any, text: str, seen: bool = True, waits: bool = True) -> ServiceReply:
        clients = memory._recall, memory._remember
        wait_until(lambda: not seen or any(each.service_is_ready() for each in clients))
        told.clear()
        by = memory if waits else impatient
        node.executor.create_task(by.ask, MemoryRequest(kind, text))
        wait_until(lambda: any(isinstance(each, ServiceReply) for each in told))
        *before, answer = told
        assert isinstance(answer, ServiceReply)
        found = [('Bishop', 7.0, 3.5)] if kind == 'recall' and answer.ok else []
        assert [place for each in before for place in each.places] == found
        return answer

    return asked


def serve(node: Node, kind: Any, name: str, answer: Callable[[Any, Any], Any]) -> None:
    node.create_service(kind, f'memory/{name}', answer, callback_group=ReentrantCallbackGroup())


def test_a_recall_is_told_with_its_places_and_without_control_characters(
    node: Node, ask: Callable[..., ServiceReply]
) -> None:
    def found(request: Recall.Request, response: Recall.Response) -> Recall.Response:
        response.ok, response.reason = True, f'{request.text}: here it is'
        response.places.append(BISHOP)
        return response

    serve(node, Recall, 'recall', found)
    answer = ask('recall', 'layered rock')
    assert answer.ok
    first, second = answer.text.splitlines()
    assert first == 'layered rock: here it is'
    assert second.startswith('  Bishop  x 7.0 m, y 3.5 m: layered')
    assert '8 m from the robot' in second
    assert '\x1b' not in answer.text


def test_what_is_to_be_remembered_is_the_operators_and_arrives_whole(
    node: Node, ask: Callable[..., ServiceReply]
) -> None:
    heard: list[Remember.Request] = []

    def take(request: Remember.Request, response: Remember.Response) -> Remember.Response:
        heard.append(request)
        response.ok, response.reason = True, f'Remembered: {request.name}'
        return response

    serve(node, Remember, 'remember', take)
    name = 'base\ufffd camp'
    assert ask('remember', 'base\0 camp') == ServiceReply('remember', True, f'Remembered: {name}')
    assert (heard[0].name, heard[0].source, heard[0].elsewhere) == (name, 'operator', False)
    assert heard[0].key


def test_a_memory_that_is_not_there_is_told_at_once(ask: Callable[..., ServiceReply]) -> None:
    answer = ask('recall', 'rock', seen=False)
    assert answer == ServiceReply(
        'recall', False, 'No server answers at /memory/recall: is the memory running?'
    )


def test_a_memory_that_never_answers_is_given_up_once(
    node: Node, ask: Callable[..., ServiceReply]
) -> None:
    async def never(_request: Any, response: Any) -> Any:
        await Future()
        return response

    serve(node, Recall, 'recall', never)
    answer = ask('recall', 'rock', waits=False)
    assert answer == ServiceReply('recall', False, 'No answer from /memory/recall within 0.5 s')


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
