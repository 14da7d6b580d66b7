"""Validity of an approval: for one call, in the situation that was shown.

Readings that change all the time, such as the age of a status, are compared by the guard's
verdict; texts and flags by the value that the guard read.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.approval.approval_request import ApprovalRequest, hash_of
from rover_common.call_text import format_call

GUARD = 'human_approval'
POSE = 'pose'  # [x in m, y in m, yaw in rad], world frame
MOVED_M = 0.2  # above the odometry noise of a robot at rest
TURNED_RAD = 0.1


def describe_other_call(
    request: ApprovalRequest,
    approved: Mapping[str, Any],
    tool: str,
    arguments: Mapping[str, Any],
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
