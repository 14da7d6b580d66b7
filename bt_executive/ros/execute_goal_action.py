"""The action ~/execute_goal: accepts goals, and returns their feedback and results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import json
import math
import threading
from typing import Any, get_args
import uuid

from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.done_when import choose_done_when, read_done_when
from bt_executive.core.goal_queue import Sender, Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, GoalReceived
from bt_executive.core.keepalive_leases import lease_fault
from bt_executive.ros.goal_validation_ends_and_keepalives import (
    GoalEnds,
    goal_arguments,
    goal_rejection,
    task_id_of,
)
from bt_executive.ros.run_store import RunStore
from bt_executive.skills.state_and_guard_validation import done_when_faults
from bt_executive.tree.goal_progress import GoalProgress
from rover_common.clocks import Now
from rover_common.config.settings import Config, GoalSettings, Robot
from rover_common.ros.qos import action_qos
from rover_common.text_sanitizing import incoming_text, one_line

MOST_GOALS = 50
NEVER = Now.at(0.0)  # of a goal that did not begin
NO_GOAL = str(uuid.UUID(int=0))
SENDERS: tuple[Sender, ...] = get_args(Sender)


class GoalServer:
    """Implements the port GoalReporter. Its methods are called in the tick thread.

    An end is published once it is on disk: after a kill, the goal would be resumed.
    `on_accepted` is called in the executor's thread.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        config: Config,
        store: RunStore,
        on_accepted: Callable[[], object] = lambda: None,
    ) -> None:
        self._node, self._on_accepted = node, on_accepted
        self._inbox = inbox
        self._store = store
        self._pending_ends: deque[tuple[Callable[[], bool], str, dict[str, Any]]] = deque()
        self._ends = GoalEnds(node, store.earlier_ends)
        self._templates = config.prompts.templates
        self._robot = config.robot
        self._bounds = config.executive.goal
        self._lock = threading.Lock()
        self._goals: dict[str, tuple[ServerGoalHandle, Future]] = {}
        self._server = ActionServer(
            node,
            ExecuteGoal,
            '~/execute_goal',
            execute_callback=self._execute,
            goal_callback=self._on_goal_request,
            handle_accepted_callback=self._enqueue,
            cancel_callback=self._on_cancel_request,
            callback_group=ReentrantCallbackGroup(),
            **action_qos(),
        )

    @property
    def waiting(self) -> int:
        """Number of goals whose clients have no result yet."""
        return len(self._goals)

    def accepted(self) -> list[str]:
        """Return the task ids of the goals that were accepted here and have not been answered."""
        with self._lock:
            return [*self._goals]

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """Publishes a step."""
        with self._lock:
            entry = self._goals.get(task.task_id)
        if entry is not None:
            message = ExecuteGoal.Feedback(
                step=progress.steps, tool=progress.tool, verdict=verdict, mode=mode
            )
            entry[0].publish_feedback(message)

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """Queues the end of a goal, to be published once its tick is on disk."""
        self._pending_ends.append((self._store.settled(), task.task_id, summary))

    def publish_ends(self) -> None:
        """Publishes the ends that are on disk by now; to be called after every tick."""
        while self._pending_ends and self._pending_ends[0][0]():
            _, task_id, summary = self._pending_ends.popleft()
            self._publish_end(task_id, summary)

    def left_open(self, task: Task, summary: dict[str, Any]) -> None:
        """Answers the client of a goal that stays open, since this process ends."""
        self._answer(task.task_id, summary)

    def _publish_end(self, task_id: str, summary: dict[str, Any]) -> None:
        self._ends.publish(task_id, summary)
        self._answer(task_id, summary)

    def _answer(self, task_id: str, summary: dict[str, Any]) -> None:
        with self._lock:
            entry = self._goals.get(task_id)
        if entry is not None:
            entry[1].set_result(summary)
            if self._node.executor is not None:
                self._node.executor.wake()

    def _on_goal_request(self, request: ExecuteGoal.Goal) -> GoalResponse:
        fault = self._inbox.closed or _fault(request, self._bounds, self._robot)
        with self._lock:
            if len(self._goals) >= MOST_GOALS:
                fault = f'{MOST_GOALS} goals wait already'
        if fault:
            self._node.get_logger().error(one_line(f'Goal rejected: {fault}.'))
        return GoalResponse.REJECT if fault else GoalResponse.ACCEPT

    def _on_cancel_request(self, handle: ServerGoalHandle) -> CancelResponse:
        refused = self._inbox.put(GoalCancelled(task_id_of(handle.goal_id), CANCELLED))
        if refused:
            self._node.get_logger().warning(f'Goal not cancelled: {refused}')
        return CancelResponse.REJECT if refused else CancelResponse.ACCEPT

    def _enqueue(self, handle: ServerGoalHandle) -> None:
        """Puts the goal here, since the executor runs `_execute` in no defined order."""
        task_id = task_id_of(handle.goal_id)
        with self._lock:
            self._goals[task_id] = (handle, Future())
        self._on_accepted()
        task = self._task(task_id, handle.request)
        refused = self._inbox.put(GoalReceived(task))
        handle.execute()
        if refused:  # it was closed since `_on_goal_request`
            self._answer(task_id, GoalProgress(NEVER).summary(task, 'interrupted', refused, NEVER))

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        task_id = task_id_of(handle.goal_id)
        with self._lock:
            done = self._goals[task_id][1]
        summary = await done
        with self._lock:
            del self._goals[task_id]
        if summary['succeeded']:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        text = json.dumps(summary, ensure_ascii=False)
        return ExecuteGoal.Result(
            outcome=summary['outcome'], answer=summary['answer'], summary=text
        )

    def _task(self, task_id: str, request: ExecuteGoal.Goal) -> Task:
        goal_text = incoming_text(request.goal)
        templates = self._templates
        template = templates.get(goal_text) or next(
            (each for each in templates.values() if each.text == goal_text), None
        )
        now = self._node.get_clock().now().nanoseconds * 1e-9
        return Task(
            task_id=task_id,
            goal=template.text if template else goal_text or request.tool,
            priority=request.priority,
            deadline=now + request.deadline_s if request.deadline_s > 0 else None,
            preemptible=not request.not_preemptible,
            approve_all=request.approve_all,
            tool=request.tool,
            arguments=goal_arguments(request.arguments),
            done_when=choose_done_when(
                request.done_when,
                template.done_when if template else None,
                self._robot.done_when,
                template.text if template else goal_text,
                request.tool,
            ),
            received_at=now,
            sender=_sender(request) or 'agent',
            lease_s=request.lease_s,
        )


def _fault(request: ExecuteGoal.Goal, bounds: GoalSettings, robot: Robot) -> str | None:
    """Why a goal cannot be accepted; None if it can."""
    fault = goal_rejection(request.goal, request.tool, request.arguments, bounds)
    if fault:
        return fault
    size, most = len(request.done_when), bounds.max_arguments_chars
    if size > most:
        return f'its done_when: {size} characters; at most {most} are taken'
    if not 0.0 <= request.deadline_s < math.inf:
        return f'deadline_s is {request.deadline_s:g}: give seconds from now, or 0 for none'
    if request.sender and _sender(request) is None:
        senders = ' or '.join(map(repr, SENDERS))
        return f'its sender is {request.sender!r:.80}: give {senders}, or nothing for an agent'
    return lease_fault(request.lease_s) or _fault_of_end(request.done_when, robot)


def _fault_of_end(text: str, robot: Robot) -> str | None:
    if not text.strip():
        return None
    try:
        done_when = read_done_when(text)
    except ValueError as error:
        return str(error)
    faults = done_when_faults(done_when, robot, 'done_when')
    return '; '.join(each.removesuffix('.') for each in faults) or None


def _sender(request: ExecuteGoal.Goal) -> Sender | None:
    """Return the sender of the request; None if it is not a known one."""
    return next((each for each in SENDERS if each == request.sender), None)


CANCELLED = 'a client cancelled the goal'  # any may: a cancellation has no sender
