"""What is asked of the robot by hand is answered once: by its node, or by the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bt_executive_interfaces.msg import MotionSetpoint
from domains import next_domain
import pytest
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from spinning import spun_node
from std_srvs.srv import SetBool
from waiting import wait_until

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    FaultsReceived,
    ServiceReply,
)
from bt_executive.ros.client.manual_mode_and_faults import ManualControl
from rover_common.config.load import load_config
from rover_common.ros.setpoint_messages import SETPOINT

pytestmark = pytest.mark.ros


@pytest.fixture
def node() -> Iterator[Node]:
    with spun_node('console', next_domain()) as made:
        yield made


@pytest.fixture
def told() -> list[ClientEvent]:
    return []


@pytest.fixture
def hands(node: Node, told: list[ClientEvent]) -> ManualControl:
    return ManualControl(node, told.append, load_config(), limit_s=0.5)


def serve(node: Node, kind: Any, name: str, answer: Callable[[Any, Any], Any]) -> None:
    node.create_service(kind, name, answer, callback_group=ReentrantCallbackGroup())


async def never(_request: Any, response: Any) -> Any:
    await Future()
    return response


def no_faults(
    _request: GetParameters.Request, response: GetParameters.Response
) -> GetParameters.Response:
    response.values.append(ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY))
    return response


@pytest.mark.parametrize(
    ('gets', 'silent'), [(never, 'get_parameters'), (no_faults, 'set_parameters')]
)
def test_a_fault_of_a_node_that_never_answers_is_given_up_once(
    node: Node, hands: ManualControl, told: list[ClientEvent], gets: Any, silent: str
) -> None:
    serve(node, GetParameters, 'rover/get_parameters', gets)
    serve(node, SetParameters, 'rover/set_parameters', never)
    parameters = hands._parameters['rover']
    for client in (parameters._get, parameters._set):
        wait_until(client.service_is_ready)
    node.executor.create_task(hands.set_fault, 'rover', 'camera_frozen', None)
    wait_until(lambda: told)
    assert told == [ServiceReply('fault', False, f'No answer from /rover/{silent} within 0.5 s')]


def test_the_faults_of_a_node_that_comes_late_are_read_and_that_it_goes_is_reported(
    node: Node, hands: ManualControl, told: list[ClientEvent]
) -> None:
    def is_reported(active: tuple[str, ...] | None) -> bool:
        node.executor.create_task(hands.update)
        return FaultsReceived('rover', active) in told

    assert not is_reported(())
    served = node.create_service(
        GetParameters,
        'rover/get_parameters',
        no_faults,
        callback_group=ReentrantCallbackGroup(),
    )
    wait_until(lambda: is_reported(()))
    node.destroy_service(served)
    wait_until(lambda: is_reported(None))


def test_manual_mode_of_an_adapter_that_never_answers_is_given_up(
    node: Node, hands: ManualControl, told: list[ClientEvent]
) -> None:
    serve(node, SetBool, hands._mode.srv_name, never)
    wait_until(hands._mode.service_is_ready)
    node.executor.create_task(hands.set_manual, True)
    wait_until(lambda: told)
    (answer,) = told
    assert isinstance(answer, ServiceReply)
    assert answer.text.endswith('within 0.5 s')


def test_what_is_held_is_told_in_manual_mode_alone_and_else_nothing_wakes_the_node(
    node: Node, hands: ManualControl
) -> None:
    heard: list[MotionSetpoint] = []
    node.create_subscription(MotionSetpoint, SETPOINT, heard.append, 1)

    def adapter_is(manual: bool) -> None:
        node.executor.create_task(hands.adapter, AdapterStatusReceived('a1', manual))

    def all_rest() -> bool:
        return all(timer.is_canceled() for timer in node.timers)

    def is_heard() -> bool:
        hands.drive('move_forward')
        return any(each.motion == 'move_forward' for each in list(heard))

    assert all_rest()
    adapter_is(manual=True)
    wait_until(is_heard)
    adapter_is(manual=False)
    wait_until(all_rest)
    adapter_is(manual=True)
    wait_until(lambda: not all_rest())
