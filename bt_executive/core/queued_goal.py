"""A goal in the queue, a part of the state: its text or its tool, its sender and its times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

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
