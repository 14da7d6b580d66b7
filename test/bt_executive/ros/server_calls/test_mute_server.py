"""What is asked of a server that never answers does not pile up."""

from __future__ import annotations

from collections.abc import Callable
import uuid

import pytest
from rclpy.executors import Executor
from rclpy.node import Node

from bt_executive.core.inbox import Inbox
from bt_executive.ros.robot_action_calls import ActionCalls
from rover_common.config.settings import Endpoint
from rover_common.ros.bounded_calls import MOST_OPEN

pytestmark = pytest.mark.ros


def test_cancel_requests_to_a_mute_server_are_bounded(
    own_executor: Callable[..., Executor],
) -> None:
    executor = own_executor()
    node = Node('subject', context=executor.context)
    executor.add_node(node)
    endpoint = Endpoint(
        name='/mute', type='bt_executive_interfaces/action/NavigateToPose', kind='action'
    )
    calls = ActionCalls(node, Inbox(), endpoint)
    for _ in range(10 * MOST_OPEN):
        calls.cancel_again('call.1', uuid.uuid4().hex)
    for _ in range(20):
        executor.spin_once(timeout_sec=0.01)
    assert len(calls._client._pending_cancel_requests) == MOST_OPEN
