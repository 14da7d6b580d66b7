"""The services of the executive: the operator's, a stop for others, and answers to approvals.

A service puts an input and awaits the reply of the tick thread. A positive reply is sent once the
records of its tick are on disk: an executive that is killed right after it has not forgotten what
it accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
import time
from typing import Any, TypeAlias

from bt_executive_interfaces.srv import ResolveApproval
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from bt_executive.core.goal_queue import AGENT, OPERATOR
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    ApprovalGiven,
    Input,
    PauseRequested,
    Reply,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.store_port import Durability, Store
from rover_common.json_values import read_arguments
from rover_common.ros.qos import REQUEST_QUEUE
from rover_common.text_sanitizing import incoming_text, one_line

OperatorInput: TypeAlias = (
    StopRequested | PauseRequested | ResumeRequested | ResetRequested | SafetyEvent
)
ACTIONS = ('approve', 'edit', 'reject')
LONGEST = {'request_id': 100, 'word': 1000, 'arguments': 8000}  # characters


@dataclass
class _Acceptance:
    """A positive reply that is not sent yet.

    `ticket`: of the latest record of its tick; None: that tick is not over. `deadline`: steady s.
    """

    send: Callable[[bool, str], None]
    sentence: str
    deadline: float
    ticket: int | None = None


class Replies:
    """Passes inputs to the tick, and its replies back to the services that await them.

    `patience_s`: how long the disk is waited for; then the reply says that it is late. `clock`:
    steady time in s.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        store: Store,
        patience_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node, self._inbox, self._store = node, inbox, store
        self._patience_s, self._clock = patience_s, clock
        self._pending: list[_Acceptance] = []  # belongs to the tick thread
        self.waiting = 0  # requests without an answer; belongs to the executor's thread

    async def ask(self, make_input: Callable[[Reply], Input]) -> tuple[bool, str]:
        """Returns the reply of the tick to the input that `make_input` makes.

        Must be awaited in a callback of the node's executor, in a reentrant callback group, so
        that other callbacks go on meanwhile.
        """
        answered: Future = Future()

        def send(accepted: bool, sentence: str) -> None:
            if answered.done():
                return
            answered.set_result((accepted, sentence))
            if self._node.executor is not None:
                self._node.executor.wake()

        def reply(accepted: bool, sentence: str) -> None:
            if accepted:
                self._pending.append(_Acceptance(send, sentence, self._clock() + self._patience_s))
            else:
                send(False, sentence)

        refused = self._inbox.put(make_input(reply))
        if refused:
            return False, refused
        self.waiting += 1
        try:
            result: tuple[bool, str] = await answered
        finally:
            self.waiting -= 1
        return result

    def answer_due(self) -> None:
        """Sends the replies that are due; to be called after every tick, in its thread."""
        self._pending = [each for each in self._pending if not self._send_if_durable(each)]

    def _send_if_durable(self, acceptance: _Acceptance) -> bool:
        if acceptance.ticket is None:
            acceptance.ticket = self._store.latest
        durability = self._store.durable(acceptance.ticket)
        late = self._clock() >= acceptance.deadline
        if durability is Durability.WAITING and not late:
            return False
        fault = self._store.fault()
        if durability is Durability.ON_DISK or (durability is Durability.NOT_KEPT and not fault):
            acceptance.send(True, acceptance.sentence)
            return True
        why = fault.sentence if fault else f'the disk has not answered for {self._patience_s:g} s'
        kept = f'{durability.value}, so a restart would not know of it: {why}'
        acceptance.send(
            durability is Durability.NOT_KEPT,
            f'{acceptance.sentence.rstrip(".")}; but this {kept}',
        )
        return True


class OperatorServices:
    """All std_srvs/srv/Trigger below the node's name.

    Each replies with the decision of the tick, once that is on disk. `stop_now`: called first by
    the services that stop; it does not wait. agent_stop is a stop whose sender is an agent.

    Nothing orders the requests of two services. Of those that have waited together, such as while
    this process was suspended, the releases come first: none releases what was sent after it.
    """

    def __init__(
        self,
        node: Node,
        replies: Replies,
        stop_now: Callable[[], None],
        draw_tree: Callable[[], str],
    ) -> None:
        self._node = node
        self._replies = replies
        self._stop_now = stop_now
        self._draw_tree = draw_tree
        self._group = ReentrantCallbackGroup()
        # Requests that wait together are served in the order of these lines.
        self._offer('resume', ResumeRequested(OPERATOR), 'The pause is over.')
        self._offer('reset', ResetRequested(OPERATOR), '')  # the tick says more
        self._offer('stop', StopRequested(OPERATOR), 'stopping')
        self._offer('agent_stop', StopRequested(AGENT), 'stopping')
        self._offer('pause', PauseRequested(OPERATOR), 'The pause begins.')
        safe_stop = SafetyEvent('safe stop by the operator', '~/safe_stop')
        self._offer('safe_stop', safe_stop, 'SAFE: stopped until :reset.')
        node.create_service(Trigger, '~/show_tree', self._show, callback_group=self._group)

    def _offer(self, name: str, event: OperatorInput, sentence: str) -> None:
        def with_reply(reply: Reply) -> OperatorInput:
            return replace(event, reply=lambda accepted, why: reply(accepted, why or sentence))

        async def answer(
            _request: Trigger.Request, response: Trigger.Response
        ) -> Trigger.Response:
            if not isinstance(event, (ResumeRequested, ResetRequested)):
                self._stop_now()
            response.success, response.message = await self._replies.ask(with_reply)
            return response

        self._node.create_service(Trigger, f'~/{name}', answer, callback_group=self._group)

    def _show(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = True, self._draw_tree()
        return response


class ApprovalService:
    """Offers ~/resolve_approval: answers go to the tick, and its replies to the clients."""

    def __init__(self, node: Node, replies: Replies) -> None:
        self._replies = replies
        node.create_service(
            ResolveApproval,
            '~/resolve_approval',
            self._resolve,
            qos_profile=REQUEST_QUEUE,
            callback_group=ReentrantCallbackGroup(),
        )

    async def _resolve(
        self, request: ResolveApproval.Request, response: ResolveApproval.Response
    ) -> ResolveApproval.Response:
        try:
            arguments = _read(request)
        except ValueError as fault:
            response.success, response.message = False, str(fault)
            return response
        response.success, response.message = await self._replies.ask(
            lambda reply: ApprovalGiven(
                incoming_text(request.request_id),
                request.action,
                arguments,
                one_line(incoming_text(request.word)),
                reply=reply,
            ),
        )
        return response


def _read(request: ResolveApproval.Request) -> dict[str, Any] | None:
    """The arguments of a request; None if it has none.

    Raises:
        ValueError: The request cannot be read; the text says why.
    """
    for name, most in LONGEST.items():
        length = len(getattr(request, name))
        if length > most:
            raise ValueError(f'{name} has {length} characters; at most {most} are taken')
    if request.action not in ACTIONS:
        raise ValueError(f'action is {request.action!r:.40}; use one of {", ".join(ACTIONS)}')
    if not incoming_text(request.arguments):
        return None
    try:
        return read_arguments(request.arguments)
    except ValueError as error:
        problem = f'arguments are not a JSON object ({error}): {request.arguments:.80}'
        raise ValueError(problem) from None
