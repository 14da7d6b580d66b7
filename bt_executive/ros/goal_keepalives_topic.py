"""The topic ~/goal_keepalives: goals are cancelled when their sender has fallen silent.

A program that sends goals may be killed, suspended or cut off, and can then cancel nothing. Each
message names one goal by its UUID. Goals whose `lease_s` is not 0 need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
import uuid

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled
from bt_executive.core.keepalive_leases import KeepaliveWatch
from rover_common.clocks import Clocks

STANDSTILL_S = 1.0  # if updates are further apart, this process was suspended
DEPTH = 50  # one for each goal that may wait
SILENT = 'No keepalive from the sender of this goal for {:g} s'


class GoalKeepalives:
    """Cancels the goals whose senders have fallen silent.

    Args:
        node: The executive's.
        inbox: Receives the cancellations.
        leases: Returns the lease in s by task id, for goals that have not ended; called in the
            executor's thread.
    """

    def __init__(
        self, node: Node, inbox: Inbox, leases: Callable[[], Mapping[str, float]]
    ) -> None:
        self._inbox = inbox
        self._leases = leases
        self._clocks = Clocks(time.monotonic, time.monotonic, STANDSTILL_S)
        self._watch = KeepaliveWatch(self._clocks())
        group = MutuallyExclusiveCallbackGroup()
        node.create_subscription(
            UUID, '~/goal_keepalives', self._on_keepalive, DEPTH, callback_group=group
        )

    def _on_keepalive(self, message: UUID) -> None:
        self._watch.received(str(uuid.UUID(bytes=bytes(message.uuid.tolist()))), self._clocks())

    def update(self) -> None:
        """Cancels the goals whose lease has expired; to be called twice a second."""
        leases = self._leases()
        for task_id in self._watch.expired(leases, self._clocks()):
            self._inbox.put(GoalCancelled(task_id, SILENT.format(leases[task_id])))
