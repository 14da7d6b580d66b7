"""What the executive publishes: trace, state, approvals, planner words, heartbeat, diagnostics.

The trace goes to the log, too, for operators of `ros2 launch`. ~/planner/words is the model's
output while it is being written; nobody repeats a lost piece.

~/state is published with each heartbeat while it has subscribers; while the executive has no goal
and the robot stands or sends nothing new, twice a second, and at once when more than a measurement
has changed. The tick thread decides this and passes the state on; a separate thread writes the
message, which takes as long as a tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import json
import math
import time
from typing import Any

from bt_executive_interfaces.msg import ApprovalRequest as RequestMessage
from bt_executive_interfaces.msg import ApprovalRequests, ExecutiveState, PlannerWords
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.executive_ports import StreamChunk
from bt_executive.core.reading_ages import score_age_s, with_ages
from bt_executive.core.robot_state import Pose
from bt_executive.core.state import BrainState, Mode, state_to_json
from bt_executive.core.surroundings_state import WorldState
from bt_executive.ros.execute_goal_action import GoalServer
from bt_executive.ros.executive_services import Replies
from bt_executive.tree.context import Context
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings
from rover_common.process.threads import LatestJob, describe_error
from rover_common.ros.diagnostics_publisher import POLL_S, Diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.message_conversions import seconds_to_ros, sendable_message
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED
from rover_common.trace_event import TraceEvent, event_to_json

NUMBERS = {
    Mode.IDLE: ExecutiveState.IDLE,
    Mode.EXEC: ExecutiveState.EXEC,
    Mode.CHARGE: ExecutiveState.CHARGE,
    Mode.SAFE: ExecutiveState.SAFE,
}
REST_PERIOD_S, CLOSE_LIMIT_S, REPORT_EVERY_S = 0.5, 0.1, 10.0  # of ~/state
TRUTH = {None: ExecutiveState.UNKNOWN, False: ExecutiveState.NO, True: ExecutiveState.YES}
HEARTBEAT_EARLY = 0.9  # a tick that comes a little before the period still publishes
WORDS_DEPTH = 500
TRACE_DEPTH = 100
LONGEST = 300  # characters of a line of the log


class StatePublisher:
    """Used in the tick thread alone."""

    def __init__(self, node: Node, settings: ExecutiveSettings) -> None:
        self._logger = node.get_logger()
        self._settings = settings
        self._sending = LatestJob('state', self._not_sent)
        self._publisher = node.create_publisher(ExecutiveState, '~/state', LATCHED)
        self._listeners = 0
        self._published: tuple[Any, ...] = ()
        self._due_at = -math.inf  # steady s
        self._pose: Pose | None = None  # as published last

    def publish(self, state: BrainState, now: Now, driven_m: float, tick_s: float) -> None:
        """Publish the state at `now`, if there are subscribers.

        `driven_m`: for the active goal, or else for the last one. `tick_s`: of the latest tick.
        """
        listeners_before = self._listeners
        self._listeners = self._publisher.get_subscription_count()
        before, self._published = self._published, _settled(state)
        is_new = self._listeners > listeners_before or self._published != before
        is_resting = state.is_at_rest or self._is_alone(state)
        if self._listeners and (is_new or now.steady >= self._due_at or not is_resting):
            self._pose = state.robot.pose
            self._due_at = now.steady + REST_PERIOD_S
            self._sending.do(lambda: self._send(state, now, driven_m, tick_s))

    def close(self) -> None:
        """The node ends: nothing more is published."""
        self._sending.close(CLOSE_LIMIT_S)

    def _send(self, state: BrainState, now: Now, driven_m: float, tick_s: float) -> None:
        """Writes and sends the message; in the thread that sends."""
        message = state_to_ros(with_ages(state, now, self._settings), now)
        message.driven_m, message.tick_s = driven_m, tick_s
        self._publisher.publish(message)

    def _not_sent(self, error: Exception) -> None:
        self._logger.error(
            f'The state is not shown: {describe_error(error)}',
            throttle_duration_sec=REPORT_EVERY_S,
        )

    def _is_alone(self, state: BrainState) -> bool:
        """Whether nothing is wanted of a robot, and nothing comes of it: it may not be there.

        Then no stop is ever confirmed, and one is always under way.
        """
        tasks, robot = state.tasks, state.robot
        idle = tasks.mode is Mode.IDLE and not tasks.queue
        return idle and not robot.moving and robot.pose == self._pose


def _settled(state: BrainState) -> tuple[Any, ...]:
    """Return the parts that change by events, and not with each measurement."""
    robot = state.robot
    events = (robot.parts, robot.parts_unknown, robot.battery_state, robot.moving)
    standstill = (robot.at_rest, robot.standing_unknown, robot.stopping, robot.adapter_life)
    return (state.hci, state.world, state.tasks, state.skills, state.react, *events, *standstill)


def state_to_ros(state: BrainState, now: Now) -> ExecutiveState:
    """Return the message of a state, but for what is not a part of it: `driven_m`, `tick_s`."""
    robot, tasks, world = state.robot, state.tasks, state.world
    active, pose, running = tasks.active, robot.pose, state.skills.running
    x, y, yaw = (pose.x, pose.y, pose.yaw) if robot.pose_at is not None else (math.nan,) * 3
    return sendable_message(
        ExecutiveState(
            stamp=seconds_to_ros(now.ros),
            mode=tasks.mode.value,
            mode_number=NUMBERS[tasks.mode],
            safety_reason=world.safety_reason,
            preempt_reason=tasks.preempt_reason,
            queue_length=len(tasks.queue),
            goal=active.goal if active else '',
            task_id=active.task_id if active else '',
            step=state.react.iter,
            tool=running[-1].skill_name if running else '',
            battery_pct=math.nan if robot.battery_pct is None else robot.battery_pct,
            battery_age_s=_age(robot.battery_at, now),
            score=_score(world, now),
            x=x,
            y=y,
            yaw=yaw,
            pose_age_s=_age(robot.pose_at, now),
            stands=TRUTH[robot.stands],
            status_age_s=_age(robot.status_at, now),
            state_json=state_to_json(state),
        )
    )


def _score(world: WorldState, now: Now) -> float:
    """Return the score of a picture of this moment: a plot has a point for each, and no line."""
    is_old = score_age_s(world, now.ros) is not None
    return math.nan if world.last_score is None or is_old else world.last_score


def _age(at: float | None, now: Now) -> float:
    return math.nan if at is None else now.steady - at


class ApprovalsPublisher:
    """Publishes the requests that wait for approval, on ~/approvals. For the tick thread."""

    def __init__(self, node: Node) -> None:
        self._shown: tuple[ApprovalRequest, ...] = ()
        self._publisher = node.create_publisher(ApprovalRequests, '~/approvals', LATCHED)

    def show(self, waiting: Iterable[ApprovalRequest]) -> None:
        """Publishes the open requests, if they have changed."""
        requests = tuple(waiting)
        if requests != self._shown:
            self._shown = requests
            ahead = time.time() - time.monotonic()
            self._publisher.publish(
                ApprovalRequests(requests=[request_to_ros(each, ahead) for each in requests])
            )


def request_to_ros(request: ApprovalRequest, ahead_s: float) -> RequestMessage:
    """Return the message of a request. `ahead_s`: system time less steady time."""
    message = RequestMessage(
        request_id=request.request_id,
        task=request.task,
        tool=request.tool,
        arguments=json.dumps(dict(request.arguments)),
        amounts_to=request.amounts_to,
        reason=request.reason,
        risk=request.risk,
        situation=json.dumps(dict(request.facts)),
        created_at=seconds_to_ros(request.created_at),
        expires_at=seconds_to_ros(request.expires_at + ahead_s),
    )
    return sendable_message(message)


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
        self._approvals = ApprovalsPublisher(node)
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
            period_s = context.config.executive.tick.heartbeat_s
            self._heartbeat_at = now_s + period_s * HEARTBEAT_EARLY
            self._heartbeat.publish()
            self._state.publish(context.state, context.now, context.progress.distance_m, tick_s)
        if now_s >= self._diagnose_at:
            self._diagnose_at = now_s + POLL_S * HEARTBEAT_EARLY
            self._diagnostics.update()


class PlannerWordsPublisher:
    """A listener of the planner, called in the tick thread.

    `verbose`: whether the model's output is published.
    """

    def __init__(self, node: Node, verbose: Callable[[], bool]) -> None:
        self._verbose = verbose
        self._publisher = node.create_publisher(PlannerWords, '~/planner/words', WORDS_DEPTH)

    def __call__(self, chunk: StreamChunk) -> None:
        """Publishes a piece, if it is wanted and somebody listens."""
        if self._verbose() and self._publisher.get_subscription_count():
            words = PlannerWords(kind=chunk.kind, text=chunk.text)
            self._publisher.publish(sendable_message(words))


class TracePublisher:
    """Publishes each event, reliably; transient-local subscribers get the latest ones, too."""

    def __init__(self, node: Node, topic: str) -> None:
        profile = QoSProfile(
            depth=TRACE_DEPTH,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        self._publisher = node.create_publisher(String, relative_name(topic), profile)

    def emit(self, event: TraceEvent) -> None:
        """Publishes one event."""
        self._publisher.publish(String(data=event_to_json(event)))


class TraceLog:
    """A sink of the tracer: goals, refusals, results and outcomes; what went wrong as warnings.

    `verbose`: whether the model's reasoning and calls are logged as well.
    """

    def __init__(self, logger: RcutilsLogger, verbose: Callable[[], bool]) -> None:
        self._logger = logger
        self._verbose = verbose

    def emit(self, event: TraceEvent) -> None:
        """Logs an event, if it belongs into the log."""
        line = log_line(event, self._verbose())
        if not line:
            return
        if event.kind == 'ERROR':
            self._logger.warning(line)
        else:
            self._logger.info(line)


def log_line(event: TraceEvent, verbose: bool) -> str:
    """Return the log line of an event, as printable text; empty: none."""
    data = event.data or {}
    match event.kind:
        case 'DECIDE' if event.tool_name and event.ok is False:
            text = f'{event.tool_name} was refused: {event.error_reason or event.message}'
        case 'ACT' if 'question' in data or 'spoken' in data:
            text = event.message
        case 'OBSERVE' | 'RESULT' | 'ERROR':
            text = event.message
        case 'HYPOTHESIZE' if verbose:
            text = f'Thinks: {event.message}'
        case 'DECIDE' if verbose and event.tool_name:
            text = f'{event.tool_name}: {event.message}'
        case _:
            text = ''
    line = ' '.join(text[: 4 * LONGEST].split())[:LONGEST]
    return ''.join(sign if sign.isprintable() else '\N{REPLACEMENT CHARACTER}' for sign in line)
