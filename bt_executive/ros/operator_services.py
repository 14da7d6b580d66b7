"""The operator's services of the executive: stop, pause, resume, safe_stop, reset, show_tree."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Trigger

from bt_executive.core.inbox import (
    Event,
    Inbox,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.ros.replies import put_and_await

OPERATOR = 'the operator'


class OperatorServices:
    """All std_srvs/srv/Trigger below the node's name.

    stop, pause, resume and safe_stop answer at once: the event is in the inbox and wakes the tick.
    reset answers what the tick decided, because it is refused while the cause stands.
    `stop_now`: called first where something is to stop.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        stop_now: Callable[[], None],
        draw_tree: Callable[[], str],
    ) -> None:
        self._node = node
        self._inbox = inbox
        self._stop_now = stop_now
        self._draw_tree = draw_tree
        self._group = ReentrantCallbackGroup()
        self._offer('stop', StopRequested(OPERATOR), 'stopping')
        self._offer('pause', PauseRequested(OPERATOR), 'pausing')
        self._offer('resume', ResumeRequested(OPERATOR), 'going on')
        safe_stop = SafetyEvent('safe stop by the operator', '~/safe_stop')
        self._offer('safe_stop', safe_stop, 'SAFE until reset')
        node.create_service(Trigger, '~/reset', self._reset, callback_group=self._group)
        node.create_service(Trigger, '~/show_tree', self._show, callback_group=self._group)

    def _offer(self, name: str, event: Event, sentence: str) -> None:
        def answer(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            if not isinstance(event, ResumeRequested):
                self._stop_now()
            self._inbox.put(event)
            response.success, response.message = True, sentence
            return response

        self._node.create_service(Trigger, f'~/{name}', answer, callback_group=self._group)

    async def _reset(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        response.success, response.message = await put_and_await(
            self._node, self._inbox, lambda reply: ResetRequested(OPERATOR, reply)
        )
        return response

    def _show(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = True, self._draw_tree()
        return response
