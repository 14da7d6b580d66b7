"""The action ~/execute_goal: goals in, feedback and results out."""

from __future__ import annotations

import json
import threading
from typing import Any
import uuid

from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.brain import Progress
from bt_executive.inbox import GoalCancelled, GoalReceived, Inbox
from bt_executive.settings import Prompts
from bt_executive.state import Task


class GoalServer:
    """Implements the port GoalReporter. Its methods are called in the tick thread."""

    def __init__(self, node: Node, inbox: Inbox, prompts: Prompts) -> None:
        self._node = node
        self._inbox = inbox
        self._prompts = prompts
        self._lock = threading.Lock()
        self._goals: dict[str, tuple[ServerGoalHandle, Future]] = {}
        self._server = ActionServer(
            node,
            ExecuteGoal,
            '~/execute_goal',
            execute_callback=self._execute,
            goal_callback=self._goal_wanted,
            cancel_callback=self._cancel_wanted,
            callback_group=ReentrantCallbackGroup(),
        )

    def feedback(self, task: Task, progress: Progress, verdict: str, mode: str) -> None:
        """Publishes a step."""
        with self._lock:
            entry = self._goals.get(task.task_id)
        if entry is not None:
            message = ExecuteGoal.Feedback(
                step=progress.steps, tool=progress.tool, verdict=verdict, mode=mode
            )
            entry[0].publish_feedback(message)

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """Answers the client."""
        with self._lock:
            entry = self._goals.get(task.task_id)
        if entry is not None:
            entry[1].set_result(summary)
            if self._node.executor is not None:
                self._node.executor.wake()

    def _goal_wanted(self, request: ExecuteGoal.Goal) -> GoalResponse:
        fault = '' if request.goal.strip() or request.tool else 'it has neither words nor a tool'
        try:
            fault = fault or _arguments_fault(json.loads(request.arguments or '{}'))
        except ValueError as error:
            fault = f'arguments are not JSON: {error}'
        if fault:
            self._node.get_logger().error(f'Goal rejected: {fault}.')
        return GoalResponse.REJECT if fault else GoalResponse.ACCEPT

    def _cancel_wanted(self, handle: ServerGoalHandle) -> CancelResponse:
        self._inbox.put(GoalCancelled(_task_id(handle), 'the client cancelled the goal'))
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        task_id = _task_id(handle)
        done: Future = Future()
        with self._lock:
            self._goals[task_id] = (handle, done)
        self._inbox.put(GoalReceived(self._task(task_id, handle.request)))
        summary = await done
        with self._lock:
            del self._goals[task_id]
        if summary['outcome'] == 'reached':
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
        words = request.goal.strip()
        templates = self._prompts.templates
        template = templates.get(words) or next(
            (each for each in templates.values() if each.text == words), None
        )
        now = self._node.get_clock().now().nanoseconds * 1e-9
        return Task(
            task_id=task_id,
            goal=template.text if template else words or request.tool,
            priority=request.priority,
            deadline=now + request.deadline_s if request.deadline_s > 0 else None,
            preemptible=not request.not_preemptible,
            tool=request.tool,
            arguments=json.loads(request.arguments or '{}'),
            done_when=template.done_when if template else 'answer',
            received_at=now,
        )


def _task_id(handle: ServerGoalHandle) -> str:
    return str(uuid.UUID(bytes=bytes(handle.goal_id.uuid.tolist())))


def _arguments_fault(arguments: Any) -> str:
    json.dumps(arguments, allow_nan=False)  # ValueError: NaN and infinity are Python's, not JSON's
    return '' if isinstance(arguments, dict) else 'arguments are not a JSON object'
