"""What feeds the inbox of an executive from ROS, besides its goals and the answers of servers."""

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

LOOK_S = 0.5  # steady; for all that is looked at now and then, so that it wakes up once


def is_at_rest(state: BrainState) -> bool:
    """Whether there is nothing to do, and the robot stands or has never been seen anywhere."""
    if state.tasks.mode is not Mode.IDLE or state.tasks.queue:
        return False
    return state.robot.stands is True or state.robot.pose_at is None


class ExecutiveInputs:
    """Subscribes and offers; the objects live as long as the node.

    Args:
        node: Owns subscriptions and services.
        context: Whose inbox is fed.
        goals: The action's server.
        replies: Answers what is asked for by a service.
        low_pct: Gives the charge in percent below which the robot rests.
        show_tree: Draws the tree as text.
        halt: Commands a base that has a gate to stand, past the gate.
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
        self._seldom = (readiness.look, GoalKeepalives(node, inbox, self._leases).look)
        self._wired = (
            TopicState(node, inbox, context.config.robot, stop_now),
            CancelGoals(node, inbox, self._open_goals),
            OperatorServices(node, replies, stop_now, show_tree),
        )
        node.create_timer(LOOK_S, self._look_seldom, clock=STEADY)

    def look(self) -> None:
        """Puts what is looked at once a tick; in the tick thread."""
        self._telemetry.update(is_at_rest(self._context.state))

    def _look_seldom(self) -> None:
        for look in self._seldom:
            look()

    def _open_goals(self) -> set[str]:
        queue = self._context.state.tasks.queue
        return {*(task.task_id for task in queue), *self._goals.accepted()}

    def _leases(self) -> dict[str, float]:
        return {task.task_id: task.lease_s for task in self._context.state.tasks.queue}
