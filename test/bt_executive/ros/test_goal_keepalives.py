"""The topic ~/goal_keepalives: goals of silent senders are cancelled, and no others."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import os
import time
import uuid

import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from waiting import wait_until

from bt_executive.core import keepalive_leases
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, Input
from bt_executive.ros.client.keepalive_sender import Keepalive
from bt_executive.ros.goal_keepalives import SILENT, GoalKeepalives

pytestmark = pytest.mark.ros
_names = itertools.count(os.getpid())


def test_the_goal_of_a_silent_sender_is_cancelled(
    own_executor: Callable[..., Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepalive_leases, 'FOUND_WITHIN_S', 0.0)
    executor, namespace = own_executor(), f'/keepalives_{next(_names)}'
    node = Node('executive', namespace=namespace, context=executor.context)
    client = Node('agent', namespace=namespace, context=executor.context)
    for each in (node, client):
        executor.add_node(each)
    kept, silent, ordinary = (str(uuid.uuid4()) for _ in range(3))
    leases = {kept: 2.0, silent: 1.5, ordinary: 0.0}
    inbox = Inbox()
    GoalKeepalives(node, inbox, lambda: leases)
    alive = Keepalive(client)
    happened: list[Input] = []

    def turn() -> None:
        alive.update(time.monotonic(), [kept])
        executor.spin_once(timeout_sec=0.02)
        happened.extend(inbox.drain())

    wait_until(lambda: happened, 'a goal is cancelled', meanwhile=turn)
    assert happened == [GoalCancelled(silent, SILENT.format(1.5))]
