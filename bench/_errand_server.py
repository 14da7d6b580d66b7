"""An action, such as `/bench/errand`, whose server answers when it is told to, or not at all.

It is built of plain services, because a proper ActionServer refuses to misbehave. Once it
`behaves`, it does what every server does: a goal that it has accepted ends, well or cancelled; of
any other goal it knows nothing.
"""

from __future__ import annotations

from collections import Counter
import time
from typing import Any
import warnings

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from bt_executive_interfaces.action import NavigateToPose
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import qos_profile_action_status_default
from rclpy.service import Service
from unique_identifier_msgs.msg import UUID

NAME = '/bench/errand'
WORKS_S = 0.3  # duration of a goal while it behaves
KINDS = {
    'goal': ('send_goal', NavigateToPose.Impl.SendGoalService),
    'cancel': ('cancel_goal', CancelGoal),
    'result': ('get_result', NavigateToPose.Impl.GetResultService),
}
CANCEL_CODES = {
    'accept': CancelGoal.Response.ERROR_NONE,
    'refuse': CancelGoal.Response.ERROR_REJECTED,
    'unknown': CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID,
}


class ErrandServer:
    """Receives requests without answering them.

    Args:
        name: Of the action.
        works_s: Duration of a goal while it behaves.
        fails: Number of goals that fail at first.

    Attributes:
        got: How often each goal was requested, by its UUID.
        behaves: Whether it answers by itself from now on.
    """

    def __init__(self, name: str = NAME, works_s: float = WORKS_S, fails: int = 0) -> None:
        self.got: Counter[str] = Counter()
        self.behaves = False
        self._name, self._works_s, self._fails = name, works_s, fails
        self._node = Node(name.rpartition('/')[2])
        self._latest: dict[str, tuple[Any, Any]] = {}  # kind → request, header
        self._statuses: dict[str, int] = {}  # of the goals that it has accepted
        self._result_at = 0.0
        self._services: dict[str, Service] = {}
        self._open()

    def poll(self) -> None:
        """Receive the waiting requests."""
        for kind, service in self._services.items():
            with service.handle:
                taken = service.handle.service_take_request(service.srv_type.Request)
            if taken[0] is not None:
                self._take(kind, taken)
        if self.behaves:
            self._behave()

    def has(self, kind: str) -> bool:
        """Whether a request of this kind waits for an answer."""
        return kind in self._latest

    @property
    def is_at_work(self) -> bool:
        """Whether a goal is executing whose result was requested."""
        return self.has('result') and GoalStatus.STATUS_EXECUTING in self._statuses.values()

    def accept(self, accepted: bool) -> None:
        """Answers the goal: accepts or rejects it."""
        if accepted:
            self._statuses[self._goal()] = GoalStatus.STATUS_EXECUTING
            self._publish_statuses()
        self._respond('goal', accepted=accepted)

    def feed_back(self) -> None:
        """Publishes feedback on the latest goal."""
        goal_id = self._goal_message.goal_id
        self._feedback.publish(NavigateToPose.Impl.FeedbackMessage(goal_id=goal_id))

    def end(self, status: int) -> None:
        """Answer the request for the result; STATUS_UNKNOWN: the goal is unknown."""
        self._statuses[self._goal()] = status
        if status == GoalStatus.STATUS_UNKNOWN:
            del self._statuses[self._goal()]
        self._publish_statuses()
        self._respond('result', status=status)

    def answer_cancel(self, how: str) -> None:
        """Answers a cancellation: accept, refuse or unknown."""
        goals = [GoalInfo(goal_id=self._goal_message.goal_id)] if how == 'accept' else []
        self._respond('cancel', return_code=CANCEL_CODES[how], goals_canceling=goals)

    def go(self) -> None:
        """Is not there any more."""
        for service in self._services.values():
            self._node.destroy_service(service)
        for publisher in (self._feedback, self._status):
            self._node.destroy_publisher(publisher)
        self._services = {}

    def repair(self) -> None:
        """Behave from now on. A server that has gone is started again, without memory."""
        if not self._services:
            self._statuses.clear()
            self._open()
        self._latest = {}  # the client is dead
        self.behaves = True

    def close(self) -> None:
        """Ends it."""
        self._node.destroy_node()

    def _open(self) -> None:
        self._services = {
            kind: self._node.create_service(
                type_, f'{self._name}/_action/{suffix}', lambda *_: None
            )
            for kind, (suffix, type_) in KINDS.items()
        }
        impl = NavigateToPose.Impl
        self._feedback: Publisher = self._node.create_publisher(
            impl.FeedbackMessage, f'{self._name}/_action/feedback', 10
        )
        self._status: Publisher = self._node.create_publisher(
            impl.GoalStatusMessage,
            f'{self._name}/_action/status',
            qos_profile_action_status_default,
        )

    def _take(self, kind: str, taken: tuple[Any, Any]) -> None:
        self._latest[kind] = taken
        if kind == 'goal':
            self._goal_message = taken[0]
            self.got[self._goal()] += 1
        if kind == 'result':
            self._result_at = time.monotonic() + self._works_s

    def _behave(self) -> None:
        if self.has('goal'):
            self.accept(accepted=True)
        if self.has('cancel'):
            self._cancel()
        if self.has('result'):
            wanted = _hex(self._latest['result'][0].goal_id)
            status = self._statuses.get(wanted, GoalStatus.STATUS_UNKNOWN)
            if status == GoalStatus.STATUS_CANCELING:
                self.end(GoalStatus.STATUS_CANCELED)
            elif status != GoalStatus.STATUS_EXECUTING:
                self._respond('result', status=status)
            elif time.monotonic() >= self._result_at:
                fails = len(self.got) <= self._fails
                self.end(GoalStatus.STATUS_ABORTED if fails else GoalStatus.STATUS_SUCCEEDED)

    def _cancel(self) -> None:
        wanted = _hex(self._latest['cancel'][0].goal_info.goal_id)
        if self._statuses.get(wanted) != GoalStatus.STATUS_EXECUTING:
            self.answer_cancel('unknown')
            return
        self._statuses[wanted] = GoalStatus.STATUS_CANCELING
        self._publish_statuses()
        self.answer_cancel('accept')

    def _goal(self) -> str:
        return _hex(self._goal_message.goal_id)

    def _publish_statuses(self) -> None:
        statuses = []
        for goal_id, status in self._statuses.items():
            info = GoalInfo(goal_id=UUID(uuid=list(bytes.fromhex(goal_id))))
            statuses.append(GoalStatus(goal_info=info, status=status))
        self._status.publish(NavigateToPose.Impl.GoalStatusMessage(status_list=statuses))

    def _respond(self, kind: str, **fields: Any) -> None:
        """Answers the latest request of a kind; at the next poll again if DDS has lost it."""
        service = self._services[kind]
        response = service.srv_type.Response(**fields)
        with warnings.catch_warnings(record=True) as statuses:
            warnings.simplefilter('always', RuntimeWarning)
            service.send_response(response, self._latest[kind][1])
        if not statuses:
            del self._latest[kind]


def _hex(goal_id: UUID) -> str:
    return bytes(goal_id.uuid.tolist()).hex()
