"""Requests of a front end to executive, adapter and memory. Each one is answered."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from bt_executive_interfaces.msg import ApprovalRequests
from bt_executive_interfaces.srv import ResolveApproval
from rclpy.client import Client
from rclpy.subscription import Subscription
from std_srvs.srv import Trigger

from bt_executive.client.front_end_events import (
    ClientEvent,
    PendingApprovals,
    ServiceReply,
    StateReceived,
)
from bt_executive.client.front_end_requests import (
    RELEASES,
    RESOLVE,
    STOP_AGAIN_S,
    STOPS,
    ApprovalAnswer,
)
from bt_executive.client.front_end_rights import FrontEnd
from bt_executive.client.state_and_approval_text import (
    format_requests,
    format_state,
    format_status,
)
from bt_executive.core.state import state_to_json
from bt_executive.ros.client.front_end_subscriptions import ask_for_state
from bt_executive.ros.client.memory_and_path_questions import MemoryQuestions
from bt_executive.ros.client.received_messages import TopicReader, requests_from_ros
from bt_executive.ros.client.service_and_parameter_calls import AnswerTimeout
from rover_common.config.settings import Config
from rover_common.errors import ProtocolError
from rover_common.ros.message_conversions import sendable_message
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED

STATUS = 'get_status'
Reply = Callable[[bool, str], None]  # takes whether it was done, and the text
NO_HUMAN = 'Only a front end at which a human sits may do this.'


class ExecutiveQuestions:
    """Used in the client's thread alone.

    `emit` takes one `ServiceReply` for each question, and `PendingApprovals`. `front_end` decides
    what may be requested. `limit_s`: timeout of each answer, in steady s.
    """

    def __init__(
        self,
        reader: TopicReader,
        emit: Callable[[ClientEvent], None],
        config: Config,
        front_end: FrontEnd,
        limit_s: float,
    ) -> None:
        node = reader.node
        self._reader, self._emit = reader, emit
        self._limit = AnswerTimeout(node, limit_s)
        self._repeats_stops = front_end.repeats_stops
        self._unanswered_stops: dict[str, float] = {}  # service → when it was sent, steady s
        self._services = {
            question: node.create_client(Trigger, f'executive/{name}')
            for question, name in front_end.services.items()
        }
        status = relative_name(config.topics.adapter.get_status.name)
        self._services[STATUS] = node.create_client(Trigger, status)
        skill = config.robot.tools.get(STATUS)
        self._units = skill.result.units if skill else {}
        self._resolving: Client | None = None
        self._memory: MemoryQuestions | None = None
        if front_end.human:
            self._resolving = node.create_client(ResolveApproval, 'executive/resolve_approval')
            self._memory = MemoryQuestions(node, config, emit)
        self._waiting: list[dict[str, Any]] = []  # requests for approval, as on ~/approvals
        self._requests = self._follow_requests()

    @property
    def tree(self) -> Client:
        """The service that shows the tree."""
        return self._services['show_tree']

    def forget(self) -> None:
        """Forgets the requests for approval of an executive that is lost.

        Whoever has some is subscribed to anew: they are published only when they change, and this
        executive may be found again with those that it had.
        """
        self._waiting = []
        self._reader.node.destroy_subscription(self._requests)
        self._requests = self._follow_requests()

    def call_service(self, question: str, number: int = 0) -> None:
        """Calls a service, or answers `pending`, `state` or `state_json` itself."""

        def reply(ok: bool, text: str) -> None:
            self._emit(ServiceReply(question, ok, text, number))

        match question:
            case 'pending':
                reply(True, format_requests(self._waiting, time.time()))
            case 'state':
                self._ask_state(reply, lambda seen: format_state(seen.state, seen.now))
            case 'state_json':
                self._ask_state(reply, lambda seen: state_to_json(seen.state))
            case _:
                self._unanswered_stops.pop(RELEASES.get(question, ''), None)
                if question in STOPS and self._repeats_stops:
                    self._unanswered_stops[question] = time.monotonic()
                self._call(question, self._services[question], Trigger.Request(), reply)

    def repeat_stops(self) -> None:
        """Sends the latest stops without an answer to an executive that has been found."""
        oldest = time.monotonic() - STOP_AGAIN_S
        stops = [each for each, at in self._unanswered_stops.items() if at >= oldest]
        self._unanswered_stops.clear()
        for service in stops:
            self.call_service(service)

    def resolve(self, answer: ApprovalAnswer) -> None:
        """Answers a request for approval."""
        if self._resolving is None:
            self._emit(ServiceReply(RESOLVE, False, 'Only the operator answers requests.'))
            return
        request = ResolveApproval.Request(
            request_id=answer.request_id,
            action=answer.action,
            arguments=answer.arguments,
            word=answer.reason,
        )
        self._call(
            RESOLVE,
            self._resolving,
            sendable_message(request),
            lambda ok, text: self._emit(ServiceReply(RESOLVE, ok, text)),
        )

    @property
    def memory(self) -> MemoryQuestions:
        """The spatial memory.

        Raises:
            ProtocolError: No human sits at this front end.
        """
        if self._memory is None:
            raise ProtocolError(NO_HUMAN)
        return self._memory

    def _follow_requests(self) -> Subscription:
        return self._reader.subscribe(
            ApprovalRequests, 'executive/approvals', self._on_requests, LATCHED
        )

    def _on_requests(self, message: ApprovalRequests) -> None:
        self._waiting = requests_from_ros(message)
        self._emit(PendingApprovals(tuple(self._waiting), time.time()))

    def _call(self, question: str, client: Client, request: Any, reply: Reply) -> None:
        self._limit.ask(
            client,
            request,
            lambda response: self._on_answer(question, response, reply),
            lambda why: reply(False, why),
            # Stops and releases count until the executive is lost.
            is_limited=question not in STOPS | RELEASES.keys(),
        )

    def _on_answer(self, question: str, response: Any, reply: Reply) -> None:
        if response.success:  # one that ends refuses, and its next run resumes the goals
            self._unanswered_stops.pop(question, None)
        text = response.message
        if question == STATUS:
            text = format_status(text, self._units)
        reply(response.success, text)

    def _ask_state(self, reply: Reply, format_state: Callable[[StateReceived], str]) -> None:
        ask_for_state(self._reader, lambda seen: reply(True, format_state(seen)))
