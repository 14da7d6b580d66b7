"""The proposer of a goal's tools. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bt_executive.core.queued_goal import Task

Proposer: TypeAlias = Literal['planner', 'operator', 'agent', 'tree']
OPERATOR, AGENT = 'the operator', 'an agent'  # as the sender of a stop, in trace and answers


def proposer_in(task: Task | None) -> Proposer:
    """Return who proposes the tools of a goal: the sender of a tool by hand, else the planner."""
    return task.sender if task is not None and task.tool else 'planner'
