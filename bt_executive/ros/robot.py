"""The port Robot over rclpy: a client per service, answers into the inbox."""

from __future__ import annotations

from collections.abc import Iterable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.inbox import Inbox, SessionAnswer
from bt_executive.kernel.sessions import SessionInput
from bt_executive.ports import Json
from bt_executive.ros.conversions import fields_from_ros, fields_to_ros, interface_class
from bt_executive.ros.names import relative
from bt_executive.settings import Endpoint


class RosRobot:
    """Clients for `endpoints`; `stop` and `fallback_stop` are among those the robot has."""

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        endpoints: Iterable[Endpoint],
        stop: Endpoint,
        fallback_stop: Endpoint,
    ) -> None:
        self._inbox = inbox
        self._stop = stop
        self._fallback_stop = fallback_stop
        group = ReentrantCallbackGroup()
        self._clients = {
            endpoint.name: node.create_client(
                interface_class(endpoint.type), relative(endpoint.name), callback_group=group
            )
            for endpoint in {*endpoints, stop, fallback_stop}
        }

    def ready(self, endpoint: Endpoint) -> bool:
        """Whether the graph knows a server now."""
        return bool(self._clients[endpoint.name].service_is_ready())

    def send(self, session_id: str, endpoint: Endpoint, arguments: Json) -> None:
        """Sends a request; the answer, or why it cannot be sent, goes into the inbox."""
        client = self._clients[endpoint.name]
        try:
            request = fields_to_ros(client.srv_type.Request(), arguments)
        except ValueError as error:
            answer = SessionAnswer(session_id, SessionInput.FAIL, reason=str(error))
            self._inbox.put(answer)
            return
        future = client.call_async(request)
        future.add_done_callback(lambda done: self._answered(session_id, done))

    def stop(self, session_id: str, past_the_adapter: bool) -> None:
        """Sends the stop to the adapter, or to the rover itself."""
        self.send(session_id, self._fallback_stop if past_the_adapter else self._stop, {})

    def _answered(self, session_id: str, future: Future) -> None:
        error = future.exception()
        if error is not None:
            answer = SessionAnswer(session_id, SessionInput.FAIL, reason=str(error))
        else:
            answer = SessionAnswer(
                session_id, SessionInput.SUCCEED, fields_from_ros(future.result())
            )
        self._inbox.put(answer)
