"""A request for approval, and what its approval is valid for: one call, in the situation shown.

Readings that change all the time, such as the age of a status, are compared by the guard's
verdict; texts and flags by the value that the guard read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
import hashlib
import json
import math
from typing import Any

from rover_common.call_text import format_call
from rover_common.config.settings import Skill


@dataclass(frozen=True)
class ApprovalRequest:
    """One request to the operator. Its fields are stored in checkpoints.

    Attributes:
        asked_at: Steady time in s; the request expires `expiry_s` later, whatever a simulated
            clock does.
        facts: The situation: the state that matters for the call, at the time of the request.

    All texts are printable lines, without characters that are invisible or that change the
    direction of writing.
    """

    request_id: str  # unique, from `ApprovalRegistry.new_id`
    task_id: str
    task: str  # text of the goal
    tool: str
    arguments: Mapping[str, Any]  # those that are used, with defaults filled in
    reason: str  # the planner's own text: shown to people, never interpreted
    risk: str
    created_at: float  # ROS time in s, as in the trace
    asked_at: float
    expiry_s: float
    facts: Mapping[str, Any] = field(default_factory=dict)
    amounts_to: str = ''  # the effect of the call, such as a distance; may be empty
    call_id: str = ''  # of the round

    @property
    def expires_at(self) -> float:
        """Steady time in s at which the request expires."""
        return self.asked_at + self.expiry_s

    @property
    def arguments_hash(self) -> str:
        """Hash of the arguments that an approval is valid for."""
        return hash_of(self.arguments)

    def as_data(self) -> dict[str, Any]:
        """Return the request as JSON values."""
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
    """Return the SHA-256 of a value's JSON text with sorted keys."""
    if isinstance(value, Mapping):
        value = dict(value)
    text = json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()


NOTHING_MOVES = 'Observes; moves nothing'
UNKNOWN_MOTION = 'What it moves is not known: robot.yaml names no resource that it uses'


def risk_of(made_of: Sequence[Skill], moving: Iterable[str]) -> str:
    """Return the risk of a tool as a sentence: the skill's own text, or one by its resources.

    `made_of`: the tool's skill and those of its steps. `moving`: the resources that move while a
    tool holds them.
    """
    skill = made_of[0]
    if skill.risk:
        return skill.risk
    moved = [resource for resource in moving if resource in skill.resources_required]
    if skill.motion is not None and 'base' not in moved:
        moved.insert(0, 'base')
    if skill.gate and not moved:
        moved.append(skill.gate)
    if moved:
        return f'Moves the {" and the ".join(moved)}'
    return NOTHING_MOVES if all(map(_moves_nothing, made_of)) else UNKNOWN_MOTION


def _moves_nothing(skill: Skill) -> bool:
    """Whether a tool that holds no moving resource is known to move nothing."""
    return bool(not skill.endpoint or skill.reads_only or skill.resources_required)


GUARD = 'human_approval'
POSE = 'pose'  # [x in m, y in m, yaw in rad], world frame
MOVED_M = 0.2  # above the odometry noise of a robot at rest
TURNED_RAD = 0.1


def describe_other_call(
    request: ApprovalRequest, approved: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]
) -> str | None:
    """Return why the approval of a request is not valid for a call; None if it is.

    `approved`: the arguments that the human approved, as shown or as edited.
    """
    if tool == request.tool and hash_of(arguments) == hash_of(approved):
        return None
    approved_call, call = format_call(request.tool, approved), format_call(tool, arguments)
    return f'Request {request.request_id} was approved for {approved_call}, not for {call}'


def describe_invalid_answer(
    request: ApprovalRequest, action: str, arguments: Mapping[str, Any] | None
) -> str | None:
    """Return why the arguments of an answer do not fit its request; None if they do."""
    if action == 'edit':
        return 'edit needs the new arguments as a JSON object' if arguments is None else None
    if arguments is None or hash_of(arguments) == request.arguments_hash:
        return None
    return 'approve is for the arguments that were shown; to change them, use edit'


def describe_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the first difference between two situations as text; None if there is none."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if name == POSE and old and new:
            if _has_moved(old, new):
                return 'the robot has moved'
        elif old != new:
            return f'{name} was {_format(old)}, is {_format(new)}'
    return None


def _has_moved(old: list[float], new: list[float]) -> bool:
    turn = math.remainder(old[2] - new[2], math.tau)
    return math.dist(old[:2], new[:2]) > MOVED_M or abs(turn) > TURNED_RAD


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    return 'not known' if value is None else str(value)
