"""A request for approval: one call of one tool, in one situation, for a while."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import hashlib
import json
from typing import Any

from rover_common.config.settings import Skill


@dataclass(frozen=True)
class ApprovalRequest:
    """What the operator is asked.

    `created_at` is ROS time in s, as in the trace. People take their time whatever a simulation
    does, so a request expires `expiry_s` after `asked_at`, which is steady time in s.
    `request_id` is the registry's (`ApprovalRegistry.new_id`): no two requests have the same.
    `arguments` are those that are used, defaults filled in; `amounts_to` says what they come to.
    `reason` is the planner's own text: shown to people, never interpreted. All texts are printable
    lines, without characters that are invisible or turn the direction of writing. `facts` is the
    state that mattered when the request was made (see `bt_executive.approval.approval_validity`).
    """

    request_id: str
    task_id: str
    task: str  # the goal in words
    tool: str
    arguments: Mapping[str, Any]
    reason: str
    risk: str
    created_at: float
    asked_at: float
    expiry_s: float
    facts: Mapping[str, Any] = field(default_factory=dict)
    amounts_to: str = ''
    call_id: str = ''  # of the round

    @property
    def expires_at(self) -> float:
        """Steady time in s."""
        return self.asked_at + self.expiry_s

    @property
    def arguments_hash(self) -> str:
        """What an approval is bound to."""
        return hash_of(self.arguments)

    def as_data(self) -> dict[str, Any]:
        """The request in JSON values."""
        return {
            'id': self.request_id,
            'task': self.task,
            'tool': self.tool,
            'arguments': dict(self.arguments),
            'arguments_hash': self.arguments_hash,
            'amounts_to': self.amounts_to,
            'reason': self.reason,
            'risk': self.risk,
            'created_at': self.created_at,
            'expiry_s': self.expiry_s,
            'facts': dict(self.facts),
        }


def hash_of(value: Any) -> str:
    """SHA-256 of a value's JSON text with sorted keys."""
    if isinstance(value, Mapping):
        value = dict(value)
    text = json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()


def risk_of(skill: Skill, moving: Iterable[str]) -> str:
    """What is at stake, in a sentence: the skill's own words, or what its resources say.

    `moving`: the resources that move when a tool holds them.
    """
    if skill.risk:
        return skill.risk
    moved = [resource for resource in moving if resource in skill.resources_required]
    if skill.motion is not None and 'base' not in moved:
        moved.insert(0, 'base')
    return f'Moves the {" and the ".join(moved)}' if moved else 'Observes; moves nothing'
