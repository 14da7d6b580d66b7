"""Who has sent a goal, and whose proposals its tools are. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bt_executive.core.keepalive import is_kept_alive
from bt_executive.core.state import Task

Sender: TypeAlias = Literal['operator', 'agent']
Proposer: TypeAlias = Literal['planner', 'operator', 'agent', 'tree']
OPERATOR, AGENT = 'the operator', 'an agent'  # as the sender of a stop, in trace and answers


def sender_of(task: Task) -> Sender:
    """Who has sent a goal."""
    return 'agent' if is_kept_alive(task.task_id) else 'operator'


def proposer_in(task: Task | None) -> Literal['planner', Sender]:
    """Who proposes the tools of a goal: its sender, if it is a tool itself, else the planner."""
    return sender_of(task) if task is not None and task.tool else 'planner'
