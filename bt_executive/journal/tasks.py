"""A task as a record, and the task of records."""

from __future__ import annotations

from bt_executive.core.journal_records import GoalMoved, GoalReceived
from bt_executive.core.state import DoneWhen, Task


def goal_received(task: Task) -> GoalReceived:
    """The record of a task that was accepted."""
    return GoalReceived(
        goal_id=task.task_id,
        goal=task.goal,
        priority=task.priority,
        deadline_ros_s=task.deadline,
        preemptible=task.preemptible,
        tool=task.tool,
        arguments=task.arguments,
        approve_all=task.approve_all,
        done_when=task.done_when,
        received_ros_s=task.received_at,
    )


def task_of(received: GoalReceived, moved: GoalMoved | None) -> Task:
    """The task of the records."""
    done_when: DoneWhen = 'good_picture' if received.done_when == 'good_picture' else 'answer'
    return Task(
        task_id=received.goal_id,
        goal=received.goal,
        priority=received.priority,
        deadline=received.deadline_ros_s,
        resources_required=moved.resources if moved else (),
        preemptible=received.preemptible,
        status=moved.status if moved else 'PENDING',
        tool=received.tool,
        arguments=dict(received.arguments),
        approve_all=received.approve_all,
        done_when=done_when,
        received_at=received.received_ros_s,
    )
