"""Feeds the executive's inbox from ROS, except for its goals and the answers of servers."""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.node import Node

from bt_executive.core.state import BrainState, Mode
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.ros.execute_goal_action import CancelGoals, GoalServer
from bt_executive.ros.goal_keepalives_topic import GoalKeepalives
from bt_executive.ros.immediate_stop import ImmediateStop
from bt_executive.ros.node_readiness_watch import ReadinessWatch
from bt_executive.ros.operator_services import OperatorServices
from bt_executive.ros.service_replies_after_tick import Replies
from bt_executive.ros.telemetry import Telemetry
from bt_executive.ros.topic_state_subscriptions import TopicState
from bt_executive.tree.context import Context
from rover_common.config.settings import VelocityGateSettings
from rover_common.ros.timers import STEADY

RARE_PERIOD_S = 0.5  # steady; one timer for all that is updated rarely


def is_at_rest(state: BrainState) -> bool:
    """Return whether no goal is queued, and the robot stands or never had a pose."""
    if state.tasks.mode is not Mode.IDLE or state.tasks.queue:
        return False
    return state.robot.stands is True or state.robot.pose_at is None


class ExecutiveInputs:
    """Creates subscriptions and services, which last as long as the node.

    Args:
        node: Owns subscriptions and services.
        context: Has the inbox.
        goals: The action's server.
        replies: Answers service requests.
        low_pct: Returns the charge in percent below which the robot rests.
        show_tree: Draws the tree as text.
        halt: Commands a base that has a gate to stand, bypassing the gate.
    """

    def __init__(
        self,
        node: Node,
        context: Context,
        goals: GoalServer,
        replies: Replies,
        low_pct: Callable[[], float],
        show_tree: Callable[[], str],
        halt: Callable[[], None],
    ) -> None:
        self._context, self._goals, inbox = context, goals, context.inbox
        stops = filter(None, reversed(stop_endpoints(context.config)))
        stop_now = ImmediateStop(node, inbox, stops, time.monotonic, halt)
        needs = [part for tool in context.registry.values() for part in tool.skill.ready_when]
        gates = context.config.robot.gates.values()
        odometry = [each.odom for each in gates if isinstance(each, VelocityGateSettings)]
        self._telemetry = Telemetry(
            node, inbox, context.config.topics, stop_now, low_pct, odometry
        )
        readiness = ReadinessWatch(node, inbox, needs)
        self._rare_updates = (readiness.update, GoalKeepalives(node, inbox, self._leases).update)
        self._kept_alive = (
            TopicState(node, inbox, context.config.robot, stop_now),
            CancelGoals(node, inbox, self._open_goals),
            OperatorServices(node, replies, stop_now, show_tree),
        )
        node.create_timer(RARE_PERIOD_S, self._update_rarely, clock=STEADY)

    def update(self) -> None:
        """Puts what is read once a tick into the inbox; in the tick thread."""
        self._telemetry.update(is_at_rest(self._context.state))

    def _update_rarely(self) -> None:
        for update in self._rare_updates:
            update()

    def _open_goals(self) -> set[str]:
        queue = self._context.state.tasks.queue
        return {*(task.task_id for task in queue), *self._goals.accepted()}

    def _leases(self) -> dict[str, float]:
        return {task.task_id: task.lease_s for task in self._context.state.tasks.queue}
