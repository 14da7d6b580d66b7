"""Driving by hand lasts while it is held, and each question of manual control is answered once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bt_executive_interfaces.msg import MotionSetpoint
from domains import next_domain
from hypothesis import given
from hypothesis import strategies as st
import pytest
from rcl_interfaces.msg import ParameterType, ParameterValue, SetParametersResult
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
from bt_executive.client.typed_arguments import node_of
from bt_executive.ros.client.manual_mode_and_faults import (
    HOLD_S,
    NODES,
    RELEASED_S,
    ManualControl,
    ManualDriving,
    toggled,
)
from rover_common.config.load import load_config
from rover_common.config.settings.injected_faults import FAULT_NODES
from rover_common.ros.heartbeat_setpoint_and_status import SETPOINT

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


def test_faults_that_are_switched_at_once_are_all_switched(
    node: Node, hands: ManualControl, told: list[ClientEvent]
) -> None:
    kept: list[str] = []

    def read(_: Any, response: GetParameters.Response) -> GetParameters.Response:
        kind = ParameterType.PARAMETER_STRING_ARRAY
        response.values.append(ParameterValue(type=kind, string_array_value=kept))
        return response

    def write(
        request: SetParameters.Request, response: SetParameters.Response
    ) -> SetParameters.Response:
        kept[:] = request.parameters[0].value.string_array_value
        response.results.append(SetParametersResult(successful=True))
        return response

    def switch_both() -> None:  # as two pages may
        for fault in ('tf_off', 'wheel_slip'):
            hands.set_fault('rover', fault, True)

    serve(node, GetParameters, 'rover/get_parameters', read)
    serve(node, SetParameters, 'rover/set_parameters', write)
    parameters = hands._parameters['rover']
    for client in (parameters._get, parameters._set):
        wait_until(client.service_is_ready)
    node.executor.create_task(switch_both)
    wait_until(lambda: sum(isinstance(each, ServiceReply) for each in told) == 2)
    assert kept == ['tf_off', 'wheel_slip']
    assert told[-1] == ServiceReply('fault', True, 'Faults of rover: tf_off, wheel_slip.')


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


MOTIONS = ('move_forward', 'turn_left', 'turn_right')


def test_a_motion_ends_when_it_is_not_held_any_more() -> None:
    it = ManualDriving('me', MOTIONS)
    it.hold('move_forward', 0.0)
    begun = it.setpoint('adapter', 0.1, 1000.0)
    assert begun is not None
    assert (begun.motion, begun.adapter, begun.navigation_goal, begun.number) == (
        'move_forward',
        'adapter',
        1,
        1,
    )
    ended = it.setpoint('adapter', HOLD_S + 0.01, 1000.0)
    assert ended is not None
    assert (ended.motion, ended.navigation_goal) == ('', 0)
    assert it.setpoint('adapter', HOLD_S + RELEASED_S + 0.1, 1001.0) is None


def test_each_press_is_a_motion_of_its_own() -> None:
    it = ManualDriving('me', MOTIONS)
    numbers = []
    for at in (0.0, 10.0):
        it.hold('turn_left', at)
        said = it.setpoint('adapter', at, 1000.0)
        assert said is not None
        numbers.append((said.navigation_goal, said.number))
        it.hold('', at + 0.1)
        it.setpoint('adapter', at + 0.1, 1000.0)
    assert numbers == [(1, 1), (2, 2)]


def test_what_the_adapter_has_ended_begins_again_only_after_a_release() -> None:
    it = ManualDriving('me', MOTIONS)
    it.hold('move_forward', 0.0)
    begun = it.setpoint('adapter', 0.0, 1000.0)
    assert begun is not None
    it.end(begun.navigation_goal)  # somebody has stopped it
    late = 2 * HOLD_S  # of a page that hung for a moment
    assert it.setpoint('adapter', late, 1000.0) == replace(
        begun, sequence=2, navigation_goal=0, motion=''
    )
    it.hold('move_forward', late)
    still_held = it.setpoint('adapter', late, 1000.0)
    assert still_held is not None
    assert (still_held.motion, still_held.navigation_goal) == ('', 0)
    it.hold('', late)
    it.hold('move_forward', late)
    it.end(begun.navigation_goal)  # the adapter's status still names the latest one
    pressed = it.setpoint('adapter', late, 1000.0)
    assert pressed is not None
    assert (pressed.motion, pressed.navigation_goal) == ('move_forward', 2)


def test_what_is_no_motion_drives_nothing() -> None:
    it = ManualDriving('me', MOTIONS)
    it.hold('rm -rf', 0.0)
    assert it.setpoint('adapter', 0.0, 1000.0) is None


@given(st.lists(st.tuples(st.sampled_from(['', 'move_forward', 'turn_left']), st.floats(0, 1))))
def test_sequences_grow_and_numbers_are_never_given_twice(
    presses: list[tuple[str, float]],
) -> None:
    it, now = ManualDriving('me', MOTIONS), 0.0
    said = []
    for motion, wait in presses:
        it.hold(motion, now)
        each = it.setpoint('adapter', now, now)
        if each is not None:
            said.append(each)
        now += wait
    assert [each.sequence for each in said] == list(range(1, len(said) + 1))
    numbers = [each.number for each in said if each.motion]
    assert numbers == sorted(numbers)


def test_every_fault_has_a_node_and_can_be_switched() -> None:
    assert {node_of(fault) for fault in FAULT_NODES} == {*NODES}
    assert toggled(('tf_off',), 'tf_off', None) == ()
    assert toggled(('tf_off',), 'camera_off', True) == ('tf_off', 'camera_off')
    assert toggled(('tf_off',), 'tf_off', True) == ('tf_off',)
