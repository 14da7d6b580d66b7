"""What feeds the inbox of an executive from ROS, besides its goals and the answers of servers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ReadinessSeen
from bt_executive.core.node_readiness import NOT_HEARD
from bt_executive.core.state import Mode
from bt_executive.ros.goal_server import CancelGoals, GoalServer
from bt_executive.ros.goal_topics import GoalKeepalives
from bt_executive.ros.immediate_stop import ImmediateStop
from bt_executive.ros.operator_services import OperatorServices
from bt_executive.ros.pending_replies import Replies
from bt_executive.ros.telemetry import Telemetry
from bt_executive.ros.topic_state_subscriptions import TopicState
from bt_executive.skills.stop_endpoints import stop_endpoints
from bt_executive.tree.context import Context
from rover_common.config.settings import VelocityGateSettings
from rover_common.part_health import Level
from rover_common.ros.diagnostics import TOPIC
from rover_common.ros.polled_subscription import PolledSubscription
from rover_common.ros.timers import STEADY

LONGEST_REASON = 200  # characters
LOOK_S = 0.5  # steady; for all that is looked at now and then, so that it wakes up once
REPORTS_QOS = QoSProfile(depth=100)
READY = (Level.OK, Level.WARN)


class ReadinessWatch:
    """Follows some parts of the nodes in this node's namespace.

    Each node of each robot reports once a second, which would wake this one up ever again: the
    reports are read by `look`.

    `parts`: names of diagnostics without the namespace, such as `environment_simulator: capture`.
    """

    def __init__(self, node: Node, inbox: Inbox, parts: Iterable[str]) -> None:
        self._inbox = inbox
        self._not_ready = dict.fromkeys(parts, NOT_HEARD)
        space = node.get_namespace().strip('/')
        self._names = {f'{space}/{name}' if space else name: name for name in self._not_ready}
        if self._not_ready:
            self._reports = PolledSubscription(node, DiagnosticArray, TOPIC, REPORTS_QOS)
            inbox.put(ReadinessSeen(dict(self._not_ready)))

    def look(self) -> None:
        """Reads the reports."""
        if not self._names:
            return
        before = dict(self._not_ready)
        for message in self._reports.messages():
            for status in message.status:
                self._note(status)
        if self._not_ready != before:
            self._inbox.put(ReadinessSeen(dict(self._not_ready)))

    def _note(self, status: DiagnosticStatus) -> None:
        name = self._names.get(status.name)
        if name is None:
            return
        if status.level[0] in READY:
            self._not_ready.pop(name, None)
        else:
            self._not_ready[name] = status.message[:LONGEST_REASON] or 'not ready'


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
        keepalives = GoalKeepalives(node, inbox, self._leases)
        self._seldom = (readiness.look, keepalives.look)
        self._wired = (
            TopicState(node, inbox, context.config.robot, stop_now),
            CancelGoals(node, inbox, self._open_goals),
            OperatorServices(node, replies, stop_now, show_tree),
        )
        node.create_timer(LOOK_S, self._look_seldom, clock=STEADY)

    def look(self) -> None:
        """Puts what is looked at once a tick; in the tick thread."""
        state = self._context.state
        idle = state.tasks.mode is Mode.IDLE and not state.tasks.queue
        self._telemetry.update(rests=idle and state.robot.stands is True)

    def _look_seldom(self) -> None:
        for look in self._seldom:
            look()

    def _open_goals(self) -> set[str]:
        queue = self._context.state.tasks.queue
        return {*(task.task_id for task in queue), *self._goals.accepted()}

    def _leases(self) -> dict[str, float]:
        return {task.task_id: task.lease_s for task in self._context.state.tasks.queue}
