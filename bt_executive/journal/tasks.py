"""A task as a record, and the task of records."""

from __future__ import annotations

from bt_executive.core.journal_records import GoalMoved, GoalReceived
from bt_executive.core.state import Task


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
        sender=task.sender,
        lease_s=task.lease_s,
    )


def task_of(received: GoalReceived, moved: GoalMoved | None) -> Task:
    """The task of the records."""
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
        done_when=received.done_when,
        received_at=received.received_ros_s,
        sender=received.sender,
        lease_s=received.lease_s,
    )
