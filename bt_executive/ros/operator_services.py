"""The operator's services of the executive, and a stop for those who are not the operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Trigger

from bt_executive.core.goal_queue import AGENT, OPERATOR
from bt_executive.core.inputs import (
    PauseRequested,
    Reply,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.ros.service_replies_after_tick import Replies


class OperatorServices:
    """All std_srvs/srv/Trigger below the node's name.

    Each replies with the decision of the tick, once that is on disk. `stop_now`: called first by
    the services that stop; it does not wait. agent_stop is a stop whose sender is an agent.
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
        self._offer('stop', StopRequested(OPERATOR), 'stopping')
        self._offer('agent_stop', StopRequested(AGENT), 'stopping')
        self._offer('pause', PauseRequested(OPERATOR), 'The pause begins.')
        self._offer('resume', ResumeRequested(OPERATOR), 'The pause is over.')
        safe_stop = SafetyEvent('safe stop by the operator', '~/safe_stop')
        self._offer('safe_stop', safe_stop, 'SAFE: stopped until :reset.')
        node.create_service(Trigger, '~/reset', self._reset, callback_group=self._group)
        node.create_service(Trigger, '~/show_tree', self._show, callback_group=self._group)

    def _offer(
        self,
        name: str,
        event: StopRequested | PauseRequested | ResumeRequested | SafetyEvent,
        sentence: str,
    ) -> None:
        def with_reply(
            reply: Reply,
        ) -> StopRequested | PauseRequested | ResumeRequested | SafetyEvent:
            return replace(event, reply=lambda accepted, why: reply(accepted, why or sentence))

        async def answer(
            _request: Trigger.Request, response: Trigger.Response
        ) -> Trigger.Response:
            if not isinstance(event, ResumeRequested):
                self._stop_now()
            response.success, response.message = await self._replies.ask(with_reply)
            return response

        self._node.create_service(Trigger, f'~/{name}', answer, callback_group=self._group)

    async def _reset(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        response.success, response.message = await self._replies.ask(
            lambda reply: ResetRequested(OPERATOR, reply)
        )
        return response

    def _show(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = True, self._draw_tree()
        return response
