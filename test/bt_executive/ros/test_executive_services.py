"""Replies of services once the disk has what they stand for, and approvals over real nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
import json
from types import SimpleNamespace
from typing import Any, cast

from action_servers import ask_for_result, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import AdapterStatus, ApprovalRequests, Heartbeat
from bt_executive_interfaces.srv import ResolveApproval
from fakes.core import ScriptedPlanner
from known import known
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from spinning import spinning
from status_messages import message_of
from std_srvs.srv import Trigger
from two_nodes import TwoNodes, own_context
from waiting import wait_until

from bt_executive.core.executive_ports import Answer, PlannerOutput, Proposal
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
)
from bt_executive.core.store_port import Durability, StoreCode, StoreFault
from bt_executive.ros.client.received_messages import requests_from_ros
from bt_executive.ros.executive_node import ExecutiveNode
from bt_executive.ros.executive_services import LONGEST, OperatorServices, Replies
from rover_common.config.load import load_config
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT, LATEST
from rover_common.ros.low_latency_executor import (
    LowLatencyExecutor,
    PersistentWaitSet,
    entities_of,
)
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions

PATIENCE_S = 2.0
FULL = StoreFault(StoreCode.DISK_FULL, 'make room on the disk.')
LOST = 'so a restart would not know of it'


class Disk:
    """A store that has come so far."""

    latest = 1

    def __init__(self, durability: Durability, fault: StoreFault | None) -> None:
        self._durability, self._fault = durability, fault

    def durable(self, _ticket: int) -> Durability:
        return self._durability

    def fault(self) -> StoreFault | None:
        return self._fault


@pytest.mark.parametrize('sentence', ['The pause begins.', 'stopping'])
@pytest.mark.parametrize(
    ('durability', 'fault', 'accepted', 'adds'),
    [
        (Durability.ON_DISK, None, True, ''),
        (Durability.ON_DISK, FULL, True, ''),
        (
            Durability.WAITING,
            None,
            False,
            f'is not yet on disk, {LOST}: the disk has not answered',
        ),
        (Durability.WAITING, FULL, False, f'is not yet on disk, {LOST}: make room on the disk.'),
        (Durability.NEVER, FULL, False, f'cannot be kept, {LOST}: make room'),
        (Durability.NOT_KEPT, None, True, ''),
        (Durability.NOT_KEPT, FULL, True, f'is not kept, {LOST}: make room'),
    ],
)
def test_a_yes_says_in_one_sentence_what_is_not_on_disk(
    durability: Durability, fault: StoreFault | None, accepted: bool, adds: str, sentence: str
) -> None:
    inbox, now = Inbox(), [0.0]
    store: Any = Disk(durability, fault)
    node: Any = SimpleNamespace(executor=None)
    replies = Replies(node, inbox, store, PATIENCE_S, lambda: now[0])
    waits = replies.ask(lambda reply: PauseRequested('me', reply))
    waits.send(None)
    (event,) = inbox.drain()
    assert isinstance(event, PauseRequested)
    event.reply(True, sentence)
    replies.answer_due()
    now[0] = PATIENCE_S
    replies.answer_due()
    with pytest.raises(StopIteration) as said:
        waits.send(None)
    is_yes, words = said.value.value
    assert is_yes is accepted
    if adds:
        assert words.startswith(f'{sentence.rstrip(".")}; but this {adds}')
    else:
        assert words == sentence


LIMIT_S = 60.0
GOALS = 'executive/execute_goal'
STOP = 'move_stop'
DRIVE = ('move_forward', STOP)
LONG_S = 24.0  # of a drive: longer than is waited for its end
pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ('release', 'stop', 'kinds'),
    [
        ('resume', 'pause', [ResumeRequested, PauseRequested]),
        ('reset', 'safe_stop', [ResetRequested, SafetyEvent]),
    ],
)
def test_of_requests_that_waited_together_none_releases_what_stops_after_it(
    release: str, stop: str, kinds: list[type]
) -> None:
    inbox, store = Inbox(), cast(Any, Disk(Durability.ON_DISK, None))
    with own_context() as context:
        nodes = TwoNodes(context, 'services')
        replies = Replies(nodes.served, inbox, store, PATIENCE_S)
        OperatorServices(nodes.served, replies, lambda: None, str)
        clients = [
            nodes.console.create_client(Trigger, f'executive/{name}') for name in (stop, release)
        ]
        nodes.until(lambda: all(each.service_is_ready() for each in clients), 'the services')
        waiting = PersistentWaitSet([(nodes.served, entities_of(nodes.served))], (), context)
        for client in reversed(clients):
            client.call_async(Trigger.Request())
        wait_until(
            lambda: [kind for kind, *_ in waiting.wait(0)].count('service') == 2,
            'both wait for a process that is suspended',
        )
        nodes.until(lambda: inbox.depth == 2, 'both are served')
    assert [type(each) for each in inbox.drain()] == kinds


class Client:
    """An operator's programme, and the adapter that the executive calls."""

    def __init__(self, context: rclpy.Context) -> None:
        self.node = Node('operator', context=context)
        self.calls: list[str] = []
        self.waiting: list[dict[str, Any]] | None = None
        for name in DRIVE:
            self.node.create_service(Trigger, f'adapter/{name}', self._serve(name))
        self._heartbeat = Heartbeat()
        self.node.create_subscription(Heartbeat, HEARTBEAT, self._heard, LATEST)
        self._status = self.node.create_publisher(AdapterStatus, 'adapter/status', LATCHED)
        self.node.create_timer(0.2, self._tell)
        self.node.create_subscription(ApprovalRequests, 'executive/approvals', self._seen, LATCHED)
        self._resolve = self.node.create_client(ResolveApproval, 'executive/resolve_approval')
        self._goals = ActionClient(self.node, ExecuteGoal, GOALS)

    def goal(self, words: str) -> Callable[[], Any]:
        """Sends a goal; what is returned gives the result, once there is one."""
        wait_for_action(self._goals, self.node, GOALS)
        handle = send_goal(self._goals, self.node, ExecuteGoal.Goal(goal=words, sender='operator'))
        result = ask_for_result(handle, self.node)
        return lambda: result.result().result if result.done() else None

    def resolve(self, **fields: str) -> tuple[bool, str]:
        """Answers a request and waits for what became of it."""
        assert self._resolve.wait_for_service(LIMIT_S)
        answered = self._resolve.call_async(ResolveApproval.Request(**fields))
        wait_until(answered.done, 'the service answers')
        return answered.result().success, answered.result().message

    def request(self) -> dict[str, Any]:
        """The request that waits, as the topic tells it."""
        wait_until(lambda: self.waiting, 'a request waits')
        return known(self.waiting)[0]

    def driven(self) -> list[str]:
        """The calls so far; a stop that is sent again until it is confirmed counts once."""
        both = pairwise(['', *self.calls])
        return [name for before, name in both if (before, name) != (STOP, STOP)]

    def _serve(self, name: str) -> Callable[..., Any]:
        def serve(_request: Any, response: Any) -> Any:
            self.calls.append(name)
            response.success = True
            return response

        return serve

    def _tell(self) -> None:
        heard = {'sender': self._heartbeat.sender, 'sequence': self._heartbeat.sequence}
        mast = {'mast_is_open': False, 'mast': 'closed'}
        status = {**mast, 'moving': False, 'at_rest': True, 'heartbeat': heard}
        self._status.publish(message_of(status))

    def _heard(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat

    def _seen(self, message: ApprovalRequests) -> None:
        self.waiting = requests_from_ros(message)


@pytest.fixture
def client(tmp_path: Any) -> Iterator[Client]:
    rclpy.init()
    context = rclpy.get_default_context()
    nudge, drive = (
        Proposal('call', 'move_forward', {'duration_s': seconds}, 'それは明るい')
        for seconds in (0.5, LONG_S)
    )
    outputs: list[PlannerOutput] = [nudge, drive, drive, Answer('done')]
    ages = [f'guards.adapter_status_{each}max_age_s=60' for each in ('', 'moving_')]
    patient = ['approval.expiry_s=300', *ages]
    config = load_config(None, ['approval.mode=always', *patient])
    executive = ExecutiveNode(
        NodeOptions(config, tmp_path / 'run'), lambda _config, _wake: ScriptedPlanner(outputs)
    )
    client = Client(context)
    executor = LowLatencyExecutor()
    executor.add_node(executive)
    executor.add_node(client.node)
    with spinning(executor):
        yield client
    executive.shut_down(executor)
    executor.shutdown()
    executive.destroy_node()
    client.node.destroy_node()
    rclpy.try_shutdown()


def test_requests_are_told_and_answered_truthfully(client: Client) -> None:
    result = client.goal('drive on')

    first = client.request()
    assert (first['tool'], first['arguments']) == ('move_forward', {'duration_s': 0.5})
    assert (first['reason'], first['risk']) == ('それは明るい', 'Moves the base')
    assert client.resolve(action='aprove') == (
        False,
        "action is 'aprove'; use one of approve, edit, reject",
    )
    for name, most in LONGEST.items():  # what is kept is published with every state
        fields = {'request_id': first['id'], 'action': 'reject', name: 'x' * (most + 1)}
        said = f'{name} has {most + 1} characters; at most {most} are taken'
        assert client.resolve(**fields) == (False, said)
    for arguments in ('{', '[1]'):
        assert 'not a JSON object' in client.resolve(action='edit', arguments=arguments)[1]
    wrong = client.resolve(request_id=first['id'], action='edit', arguments='{"speed": 1}')
    assert 'cannot be called' in wrong[1]
    assert client.resolve(action='approve') == (
        False,
        'The answer names no request: give its id; waiting: ' + first['id'],
    )
    assert client.calls == []

    success, message = client.resolve(request_id=first['id'], action='approve')
    assert success, message
    wait_until(lambda: client.waiting == [], 'the topic is empty again')
    success, message = client.resolve(request_id=first['id'], action='approve')
    assert not success
    assert 'already' in message
    wait_until(lambda: client.driven() == [*DRIVE], 'the tool ran')

    second = client.request()
    assert second['id'] != first['id']
    success, message = client.resolve(
        request_id=second['id'], action='edit', arguments='{"duration_s": 0.2}'
    )
    assert success, message
    wait_until(lambda: client.driven() == [*DRIVE, *DRIVE], 'the edited tool ran')

    wait_until(lambda: client.waiting and client.waiting[0]['id'] != second['id'], 'the third one')
    success, message = client.resolve(
        request_id=known(client.waiting)[0]['id'], action='reject', word='enough'
    )
    assert success, message
    wait_until(result, 'the goal ends')
    assert json.loads(result().summary)['refusals'] == 1
    assert client.driven() == [*DRIVE, *DRIVE]
    accepted, message = client.resolve(request_id='ask-000000-1', action='approve')
    assert (accepted, message) == (False, "No request 'ask-000000-1'; waiting: none")
