"""A goal in the queue (text or tool, sender, proposer, times), and the order of goals. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
import math
from typing import Any, Literal, TypeAlias

from rover_common.call_text import format_call

Sender = Literal['operator', 'agent']  # of goals that come from outside


@dataclass(frozen=True)
class Task:
    """A goal in the queue. With `tool` set it is that one call, whoever its sender is."""

    task_id: str
    goal: str
    priority: int = 0
    deadline: float | None = None
    resources_required: tuple[str, ...] = ()  # by its tool, or by those that it has used so far
    preemptible: bool = True
    status: str = 'PENDING'  # PENDING, ACTIVE, PARKED

    tool: str = ''
    arguments: dict[str, Any] = field(default_factory=dict)
    approve_all: bool = False  # the operator is asked before every tool
    done_when: str = ''  # JSON text of what must be measured; see core/done_when.py
    received_at: float = 0.0
    # a sender that is not named counts as an agent; the tree's goals drive to the charger
    sender: Sender | Literal['tree'] = 'agent'
    lease_s: float = 0.0  # time without a keepalive after which it is cancelled; 0: it needs none
    charges: bool = False  # it is the call of `charge.by`, and continues in CHARGE

    @property
    def title(self) -> str:
        """A short description of the goal."""
        if self.sender == 'tree':
            return f'{self.tool} to charge'
        if not self.tool:
            return self.goal
        call = format_call(self.tool, self.arguments) if self.arguments else self.tool
        who = 'the operator' if self.sender == 'operator' else 'an agent'
        return f'{call}, asked for by {who}'


def order(task: Task) -> tuple[float, float, float]:
    """Return the sort key of a goal: the smallest comes first."""
    deadline = math.inf if task.deadline is None else task.deadline
    return (-task.priority, deadline, task.received_at)


def better_task(queue: Iterable[Task], active: Task | None) -> Task | None:
    """Return the waiting task that preempts the active one by its higher priority."""
    first = min((task for task in queue if task is not active), key=order, default=None)
    if active is None or first is None or not active.preemptible:
        return None
    return first if first.priority > active.priority else None


def overdue(queue: Iterable[Task], now: float) -> tuple[Task, ...]:
    """Return the tasks whose deadline, in s of ROS time, has passed."""
    return tuple(task for task in queue if task.deadline is not None and now >= task.deadline)


Proposer: TypeAlias = Literal['planner', 'operator', 'agent', 'tree']
OPERATOR, AGENT = 'the operator', 'an agent'  # as the sender of a stop, in trace and answers


def proposer_in(task: Task | None) -> Proposer:
    """Return who proposes the tools of a goal: the sender of a tool by hand, else the planner."""
    return task.sender if task is not None and task.tool else 'planner'
