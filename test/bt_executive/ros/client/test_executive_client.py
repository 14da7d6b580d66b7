"""The console's client before there is anybody to talk with."""

from __future__ import annotations

from queue import SimpleQueue
import time
from types import SimpleNamespace
from typing import Any

from bt_executive_interfaces.srv import ResolveApproval
from known import known
from py_trees_ros_interfaces.srv import OpenSnapshotStream
import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from spinning import spun_node
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveQuiet,
    GoalEnded,
    Problem,
    ServiceReply,
)
from bt_executive.client.front_end_requests import ApprovalAnswer, GoalRequest
from bt_executive.client.front_end_rights import PAGE
from bt_executive.ros.client import executive_client, goal_client
from bt_executive.ros.client.executive_client import ExecutiveClient
from bt_executive.ros.client.executive_presence import ASLEEP_S
from bt_executive.ros.client.goal_client import ACCEPT_LIMIT_S
from rover_common.clocks import Clocks
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.ros.nodes_with_other_definitions import DefinitionsWatch

pytestmark = pytest.mark.ros


def test_unusable_ros_arguments_are_one_sentence() -> None:
    words = "The ROS argument '-r __ns:=/a-b' cannot be used: a namespace begins with /"
    with pytest.raises(UsageError, match=words):
        ExecutiveClient(load_config(), lambda _: None, ['--ros-args', '-r', '__ns:=/a-b'])


def test_a_fault_in_the_clients_thread_is_told() -> None:
    happened: SimpleQueue[ClientEvent] = SimpleQueue()
    client = ExecutiveClient(load_config(), happened.put)
    try:
        client.start(1, GoalRequest('go', goal_id='no UUID'))
        told = happened.get(timeout=60.0)
    finally:
        client.close()
    assert isinstance(told, ClientFailed)
    assert isinstance(told.fault, ValueError)


def test_a_node_of_another_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DefinitionsWatch, 'update', lambda _watch, _now: 'Run one version.')
    happened: SimpleQueue[ClientEvent] = SimpleQueue()
    client = ExecutiveClient(load_config(), happened.put)
    try:
        assert happened.get(timeout=60.0) == Problem('Run one version.')
    finally:
        client.close()


def test_an_answer_to_a_request_arrives_whole() -> None:
    heard: list[ResolveApproval.Request] = []

    def take(
        request: ResolveApproval.Request, response: ResolveApproval.Response
    ) -> ResolveApproval.Response:
        heard.append(request)
        return response

    happened: list[ClientEvent] = []
    client = ExecutiveClient(load_config(), happened.append)
    with spun_node('executive') as node:
        node.create_service(ResolveApproval, '/executive/resolve_approval', take)
        try:
            wait_until(known(client._questions._resolving).service_is_ready)
            client.resolve(
                ApprovalAnswer('reject', 'a1', reason='Turn\0, but do not drive\udcff.')
            )
            wait_until(lambda: happened)
        finally:
            client.close()
    assert [each.word for each in heard] == ['Turn\ufffd, but do not drive\ufffd.']


@pytest.mark.parametrize('service', ['/executive/show_tree', '/adapter/get_status'])
def test_a_question_that_nobody_answers_is_given_up(service: str) -> None:
    async def never(_request: Any, response: Any) -> Any:
        await Future()
        return response

    question = service.rpartition('/')[2]
    happened: list[ClientEvent] = []
    client = ExecutiveClient(load_config(), happened.append, limit_s=0.5)
    with spun_node('hanging') as node:
        node.create_service(Trigger, service, never, callback_group=ReentrantCallbackGroup())
        try:
            wait_until(client._questions._services[question].service_is_ready)
            client.call_service(question)
            wait_until(lambda: happened)
        finally:
            client.close()
    assert happened == [ServiceReply(question, False, f'No answer from {service} within 0.5 s')]


def test_the_tree_is_requested_again_when_a_silence_has_ended() -> None:
    asked: list[OpenSnapshotStream.Request] = []

    def take(
        request: OpenSnapshotStream.Request, response: OpenSnapshotStream.Response
    ) -> OpenSnapshotStream.Response:
        asked.append(request)
        return response

    happened: list[ClientEvent] = []
    client = ExecutiveClient(load_config(), happened.append)
    with spun_node('executive') as node:
        node.create_service(OpenSnapshotStream, '/executive/snapshot_streams/open', take)
        try:
            client.watch()
            wait_until(lambda: client._watch)
            client._spawn(client._presence._on_quiet, False)
            wait_until(lambda: asked)
        finally:
            client.close()
    assert happened == [ExecutiveQuiet(False)]


def test_an_executive_that_is_found_gets_the_stop_that_nobody_had_answered() -> None:
    asked: list[str] = []

    def take(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        asked.append('stop')
        return response

    happened: list[ClientEvent] = []
    client = ExecutiveClient(load_config(), happened.append, front_end=PAGE)
    try:
        client.call_service('stop')
        wait_until(lambda: happened, 'nobody answers')
        with spun_node('executive') as node:
            node.create_service(Trigger, '/executive/stop', take)
            wait_until(client._questions._services['stop'].service_is_ready)
            client._spawn(client._presence._on_ready)
            wait_until(lambda: asked, 'the stop is sent again')
    finally:
        client.close()


def test_a_goal_is_not_given_up_for_an_answer_that_could_not_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(monotonic=time.monotonic)
    for module in (executive_client, goal_client):
        monkeypatch.setattr(module, 'time', clock)
    happened: list[ClientEvent] = []
    ends: list[int] = []  # after each part of the test
    client = ExecutiveClient(load_config(), happened.append)

    def suspended_and_resumed() -> None:
        now = time.monotonic()
        client._timer.cancel()
        clock.monotonic = lambda: now
        client._clocks = Clocks(clock.monotonic, clock.monotonic, ASLEEP_S)
        client._goals.add(1, GoalRequest('go'))
        client._goals.send_next()
        now += 3 * ACCEPT_LIMIT_S
        client._update()
        ends.append(len(happened))
        while not happened:
            now += ASLEEP_S / 2
            client._update()
        ends.append(len(happened))

    try:
        client._spawn(suspended_and_resumed)
        wait_until(lambda: len(ends) == 2)
    finally:
        client.close()
    assert ends == [0, 1]
    assert isinstance(happened[0], GoalEnded)
