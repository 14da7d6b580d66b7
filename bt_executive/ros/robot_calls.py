"""The port Robot over rclpy: calls services, topics and actions; answers go into the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.ros.replaced_server import ReplacedServices
from bt_executive.ros.robot_action_calls import ActionCalls
from rover_common.config.settings import Endpoint
from rover_common.permit import Heartbeat, Permit
from rover_common.ros.bounded_calls import BoundedCalls
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.message_conversions import fields_from_ros, fields_to_ros

DEPTH = 10


class TopicCalls:
    """A publisher. A published message is not known to be received."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._inbox = inbox
        self._name = endpoint.name
        self._type = interface_class(endpoint.type)
        self._publisher = node.create_publisher(self._type, endpoint.ros_name, DEPTH)

    def ready(self) -> bool:
        """Whether somebody subscribes to the topic now."""
        return bool(self._publisher.get_subscription_count())

    def request(self, arguments: Json) -> Any:
        """The message with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._type, arguments)

    def send(self, server_call_id: str, message: Any) -> None:
        """Publishes a message."""
        self._publisher.publish(message)
        answer = {'published_on': self._name}
        self._inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, answer))


class ServiceCalls:
    """A client. A late answer is still passed on; the call table drops it."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._inbox = inbox
        self._client = node.create_client(
            interface_class(endpoint.type),
            endpoint.ros_name,
            callback_group=ReentrantCallbackGroup(),
        )
        self._calls = BoundedCalls(self._client)

    def ready(self) -> bool:
        """Whether the graph knows a server now."""
        return bool(self._client.service_is_ready())

    def request(self, arguments: Json) -> Any:
        """The request with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._client.srv_type.Request, arguments)

    @property
    def name(self) -> str:
        """Of the service in the graph."""
        return str(self._client.service_name)

    def send(self, server_call_id: str, request: Any) -> Future:
        """Sends a request; its answer goes into the inbox."""
        future = self.send_unheard(request)
        future.add_done_callback(lambda done: self._answered(server_call_id, done))
        return future

    def send_unheard(self, request: Any) -> Future:
        """Sends a request and ignores its answer. Any thread may call it."""
        return self._calls.call(request)

    def _answered(self, server_call_id: str, future: Future) -> None:
        error = future.exception()
        if error is not None:
            answer = ServerCallUpdate(server_call_id, CallInput.FAIL, reason=str(error))
        else:
            fields = fields_from_ros(future.result())
            answer = ServerCallUpdate(server_call_id, CallInput.SUCCEED, fields)
        self._inbox.put(answer)


Calls: TypeAlias = ServiceCalls | ActionCalls | TopicCalls
_CALLS: dict[str, Callable[[Node, Inbox, Endpoint], Calls]] = {
    'service': ServiceCalls,
    'action': ActionCalls,
    'topic': TopicCalls,
}
NO_STOP_SERVICE = 'The robot has no service that stops it (guards.stop_endpoint is none).'

REPLACED = (
    'Another process has taken the place of the server; what became of the call is not known'
)


def no_base() -> None:
    """Halts nothing: the robot has no gate of velocities."""


class RosRobot:
    """Implements the port Robot: clients for `endpoints`, `stop` and `fallback_stop`.

    `halt` commands a base that has a gate to stand, bypassing the gate.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        endpoints: Iterable[Endpoint],
        stop: Endpoint | None,
        fallback_stop: Endpoint | None,
        heartbeat: HeartbeatPublisher,
        halt: Callable[[], None] = no_base,
    ) -> None:
        self._heartbeat = heartbeat
        self._inbox = inbox
        self._stop = stop
        self._fallback_stop = fallback_stop
        self._halt = halt
        self._replaced = ReplacedServices(node, self._lose)
        self._calls: dict[Endpoint, Calls] = {
            endpoint: _CALLS[endpoint.kind](node, inbox, endpoint)
            for endpoint in dict.fromkeys(filter(None, [*endpoints, stop, fallback_stop]))
        }

    def ready(self, endpoint: Endpoint) -> bool:
        """Whether the graph knows a server, or a subscriber, now.

        There is none for an endpoint that only a previous run had in its configuration.
        """
        calls = self._calls.get(endpoint)
        return calls is not None and calls.ready()

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """Sends a request or goal; the answer, or why it cannot be sent, goes into the inbox."""
        calls = self._calls[endpoint]
        try:
            request = calls.request(arguments)
        except ValueError as error:
            self._inbox.put(ServerCallUpdate(server_call_id, CallInput.FAIL, reason=str(error)))
            return
        if isinstance(calls, ActionCalls):
            calls.send(server_call_id, request, goal_id)
        elif isinstance(calls, ServiceCalls):
            self._replaced.follow(server_call_id, calls.name, calls.send(server_call_id, request))
        else:
            calls.send(server_call_id, request)

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.adopt`."""
        calls = self._calls.get(endpoint)
        if isinstance(calls, ActionCalls):
            calls.adopt(server_call_id, goal_id)

    def cancel(self, server_call_id: str) -> None:
        """Asks the action's server to end the goal, once it has accepted it."""
        for calls in self._calls.values():
            if isinstance(calls, ActionCalls):
                calls.cancel(server_call_id)

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.cancel_again`."""
        calls = self._calls.get(endpoint)
        if isinstance(calls, ActionCalls):
            calls.cancel_again(server_call_id, goal_id)

    def permit(self, permit: Permit) -> Heartbeat:
        """Publishes a heartbeat with this permit."""
        return self._heartbeat.permit(permit)

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """Sends the stop to the adapter, or to the robot itself."""
        if past_the_adapter:
            self._halt()
        endpoint = self._fallback_stop if past_the_adapter else self._stop
        if endpoint is not None:
            self.send(server_call_id, endpoint, {})
        elif past_the_adapter:  # what was published has no answer; a status confirms a stop
            self._inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED))
        else:
            self._inbox.put(
                ServerCallUpdate(server_call_id, CallInput.FAIL, reason=NO_STOP_SERVICE)
            )

    def _lose(self, server_call_id: str) -> None:
        answer = ServerCallUpdate(server_call_id, CallInput.LOSE, reason=REPLACED)
        self._inbox.put(answer)
