"""A reason to stop reaches the robot and the adapter although no tick ever comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState
from spinning import turn_of
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    Answered,
    BatteryReceived,
    Input,
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.core.store_port import NoStore
from bt_executive.ros.executive_services import OperatorServices, Replies
from bt_executive.ros.executive_subscriptions import Telemetry
from bt_executive.ros.immediate_stop import PERIOD_S, ImmediateStop
from rover_common.config.load import load_config

pytestmark = pytest.mark.ros

LIMIT_S = 60.0
LOW_PCT = 15.0


class Stage:
    """The parts of the executive that hear of reasons, without a tick, and a stop to be asked."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.now = 100.0
        self.stops = 0  # that the adapter was asked for
        self.direct_stops = 0  # past the adapter
        self.inbox = Inbox()
        self._drained: list[Input] = []
        config = load_config()
        self._adapter = Node('adapter', context=executor.context)
        self._adapter.create_service(Trigger, 'adapter/move_stop', self._stop)
        self._adapter.create_service(Empty, 'move_stop', self._stop_past_the_adapter)
        node = Node('executive', context=executor.context)
        self.stop_now = ImmediateStop(
            node, self.inbox, filter(None, reversed(stop_endpoints(config))), lambda: self.now
        )
        Telemetry(node, self.inbox, config.topics, self.stop_now, lambda: LOW_PCT)
        self._replies = Replies(node, self.inbox, NoStore(), 1.0)
        OperatorServices(node, self._replies, self.stop_now, lambda: '')
        self._events = self._adapter.create_publisher(String, 'safety_events', 10)
        self._battery = self._adapter.create_publisher(BatteryState, 'battery_state', 10)
        for each in (self._adapter, node):
            executor.add_node(each)
        servers = (
            self._adapter.create_client(Trigger, 'adapter/move_stop'),
            self._adapter.create_client(Empty, 'move_stop'),
        )
        self.until(
            lambda: (
                all(server.service_is_ready() for server in servers)
                and self._events.get_subscription_count()
                and self._battery.get_subscription_count()
            )
        )

    def _stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.stops += 1
        return response

    def _stop_past_the_adapter(
        self, _request: Empty.Request, response: Empty.Response
    ) -> Empty.Response:
        self.direct_stops += 1
        return response

    def until(self, done: Callable[[], object]) -> None:
        """Lets everybody go on until something holds."""
        wait_until(done, meanwhile=turn_of(self._executor))

    def ask(self, service: str) -> None:
        """Calls a service of the executive, and waits for its answer."""
        client = self._adapter.create_client(Trigger, f'executive/{service}')
        self.until(client.service_is_ready)
        answer = client.call_async(Trigger.Request())
        self.until(lambda: self._ticked() and answer.done())

    def _ticked(self) -> bool:
        """Does of a tick what answers a service."""
        for event in self.inbox.drain():
            self._drained.append(event)
            if isinstance(event, Answered):
                event.reply(True, '')
        self._replies.answer_due()
        return True

    def charge(self, share: float) -> None:
        """Tells the charge of the battery until it is heard."""
        self._battery.publish(BatteryState(percentage=share))
        self.heard(BatteryReceived)

    def tell_safety_event(self) -> None:
        """As any node may."""
        self._events.publish(String(data='cliff'))
        self.heard(SafetyEvent)

    def heard(self, kind: type[Input]) -> None:
        """Waits until the tick could know."""
        self.until(lambda: self._ticked() and self._has(kind))
        self._drained.clear()

    def sources_of_stops(self) -> list[str]:
        """Who asked for the stops that the tick has read."""
        return [each.source for each in self._drained if isinstance(each, StopRequested)]

    def _has(self, kind: type[Input]) -> bool:
        return any(isinstance(event, kind) for event in self._drained)


@pytest.fixture
def stage(own_executor: Callable[[], Executor]) -> Stage:
    return Stage(own_executor())


@pytest.mark.parametrize(
    ('give_reason', 'event'),
    [
        (Stage.tell_safety_event, None),
        (lambda stage: stage.ask('stop'), StopRequested),
        (lambda stage: stage.ask('agent_stop'), StopRequested),
        (lambda stage: stage.ask('pause'), PauseRequested),
        (lambda stage: stage.ask('safe_stop'), SafetyEvent),
        (lambda stage: stage.charge(0.05), None),
    ],
    ids=['safety event', 'stop', 'stop of an agent', 'pause', 'safe stop', 'low battery'],
)
def test_a_reason_stops_the_base_without_a_tick(
    stage: Stage, give_reason: Callable[[Stage], None], event: type[Input] | None
) -> None:
    give_reason(stage)
    stage.until(lambda: stage.stops and stage.direct_stops)
    assert (stage.stops, stage.direct_stops) == (1, 1)
    if event:  # the tree learns it all the same
        stage.heard(event)


@pytest.mark.parametrize(
    ('service', 'source'), [('stop', 'the operator'), ('agent_stop', 'an agent')]
)
def test_a_stop_has_a_sender(stage: Stage, service: str, source: str) -> None:
    stage.ask(service)
    assert stage.sources_of_stops() == [source]


def test_what_is_no_reason_stops_nothing(stage: Stage) -> None:
    stage.ask('resume')
    stage.heard(ResumeRequested)
    stage.charge(0.5)
    stage.charge(0.05)
    stage.until(lambda: stage.stops and stage.direct_stops)
    stage.now += 1.0
    stage.charge(0.04)  # low as before: that stop was sent
    stage.now += 1.0
    stage.ask('stop')
    stage.until(lambda: stage.stops >= 2 and stage.direct_stops >= 2)
    assert (stage.stops, stage.direct_stops) == (2, 2)


def test_a_flood_of_reasons_is_no_flood_of_stops(stage: Stage) -> None:
    for _ in range(1000):
        stage.stop_now()
    stage.now += 1.01 * PERIOD_S
    stage.stop_now()
    stage.until(lambda: stage.stops >= 2 and stage.direct_stops >= 2)
    stage.ask('resume')  # its answer comes after whatever else was sent
    assert (stage.stops, stage.direct_stops) == (2, 2)
