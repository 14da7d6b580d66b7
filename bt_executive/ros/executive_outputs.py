"""What an executive sends after its ticks: answers, approvals, heartbeat, state, diagnostics."""

from __future__ import annotations

from rclpy.node import Node

from bt_executive.ros.approval_server import ApprovalServer
from bt_executive.ros.execute_goal_action import GoalServer
from bt_executive.ros.service_replies_after_tick import Replies
from bt_executive.ros.state_topic import StatePublisher
from bt_executive.tree.context import Context
from rover_common.ros.diagnostics_publisher import POLL_S, Diagnostics
from rover_common.ros.heartbeat import HeartbeatPublisher

HEARTBEAT_EARLY = 0.9  # a tick that comes a little before the period still publishes


class ExecutiveOutputs:
    """Used by the tick thread alone, but for `owes`."""

    def __init__(
        self,
        node: Node,
        context: Context,
        goals: GoalServer,
        replies: Replies,
        heartbeat: HeartbeatPublisher,
        diagnostics: Diagnostics,
    ) -> None:
        self._context, self._goals, self._replies = context, goals, replies
        self._heartbeat, self._diagnostics = heartbeat, diagnostics
        self._approvals = ApprovalServer(node, replies)
        self._state = StatePublisher(node, context.config.executive)
        self._heartbeat_at = self._diagnose_at = 0.0  # steady s

    def owes(self) -> int:
        """Return the number of answers of ticks that are not sent yet."""
        return self._goals.waiting + self._replies.waiting

    def answer(self) -> None:
        """Sends the ends of goals and the replies of services."""
        self._goals.publish_ends()
        self._replies.answer_due()

    def show_approvals(self) -> None:
        """Publishes the open requests for approval."""
        self._approvals.show(self._context.approvals.waiting())

    def close(self) -> None:
        """Stops publishing."""
        self._state.close()

    def publish_between_ticks(self, now_s: float, tick_s: float) -> None:
        """Publishes heartbeat, state and diagnostics, if they are due.

        `now_s`: steady; `tick_s`: how long the latest tick took.
        """
        context = self._context
        if now_s >= self._heartbeat_at:
            self._heartbeat_at = (
                now_s + context.config.executive.tick.heartbeat_s * HEARTBEAT_EARLY
            )
            self._heartbeat.publish()
            self._state.publish(context.state, context.now, context.progress.distance_m, tick_s)
        if now_s >= self._diagnose_at:
            self._diagnose_at = now_s + POLL_S * HEARTBEAT_EARLY
            self._diagnostics.update()
