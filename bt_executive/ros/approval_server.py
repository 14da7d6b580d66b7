"""Approval over ROS: the service ~/resolve_approval, and open requests on ~/approvals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import json
import time
from typing import Any

from bt_executive_interfaces.msg import ApprovalRequest as RequestMessage
from bt_executive_interfaces.msg import ApprovalRequests
from bt_executive_interfaces.srv import ResolveApproval
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.inputs import ApprovalGiven
from bt_executive.ros.service_replies_after_tick import Replies
from rover_common.incoming_text import incoming_text
from rover_common.json_text import read_arguments
from rover_common.printable import one_line
from rover_common.ros.message_conversions import seconds_to_ros
from rover_common.ros.qos import LATCHED, REQUEST_QUEUE
from rover_common.ros.sendable_message import sendable_message

ACTIONS = ('approve', 'edit', 'reject')
LONGEST = {'request_id': 100, 'word': 1000, 'arguments': 8000}  # characters


class ApprovalServer:
    """Passes answers to the tick, and its replies to the clients."""

    def __init__(self, node: Node, replies: Replies) -> None:
        self._replies = replies
        self._shown: tuple[ApprovalRequest, ...] = ()
        self._publisher = node.create_publisher(ApprovalRequests, '~/approvals', LATCHED)
        node.create_service(
            ResolveApproval,
            '~/resolve_approval',
            self._resolve,
            qos_profile=REQUEST_QUEUE,
            callback_group=ReentrantCallbackGroup(),
        )

    def show(self, waiting: Iterable[ApprovalRequest]) -> None:
        """Publishes the open requests, if they have changed. For the tick thread."""
        requests = tuple(waiting)
        if requests != self._shown:
            self._shown = requests
            ahead = time.time() - time.monotonic()
            self._publisher.publish(
                ApprovalRequests(requests=[request_to_ros(each, ahead) for each in requests])
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


def request_to_ros(request: ApprovalRequest, ahead_s: float) -> RequestMessage:
    """Return the message of a request. `ahead_s`: system time less steady time."""
    message = RequestMessage(
        request_id=request.request_id,
        task=request.task,
        tool=request.tool,
        arguments=_as_json(request.arguments),
        amounts_to=request.amounts_to,
        reason=request.reason,
        risk=request.risk,
        situation=_as_json(request.facts),
        created_at=seconds_to_ros(request.created_at),
        expires_at=seconds_to_ros(request.expires_at + ahead_s),
    )
    return sendable_message(message)


def _as_json(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values))


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
