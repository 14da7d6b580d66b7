"""What an approval is good for: one call, in the situation that was shown.

An approval given for one situation must not be used in another. Readings that change all the time
(the age of a status) count by what the guard said; words and flags by what it saw.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.approval.approval_request import ApprovalRequest, hash_of
from rover_common.call_text import call_in_words

GUARD = 'human_approval'
POSE = 'pose'  # [x in m, y in m, yaw in rad], world frame
MOVED_M = 0.2  # a robot at rest stays well within this; odometry noise too
TURNED_RAD = 0.1


def another_call(
    request: ApprovalRequest, agreed: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]
) -> str | None:
    """Why an approval of a request is not one of this call; None: it is.

    `agreed`: the arguments that the human agreed to, as shown or as edited.
    """
    if tool == request.tool and hash_of(arguments) == hash_of(agreed):
        return None
    approved, asked = call_in_words(request.tool, agreed), call_in_words(tool, arguments)
    return f'Request {request.request_id} was approved for {approved}, not for {asked}'


def not_fitting(
    request: ApprovalRequest, action: str, arguments: Mapping[str, Any] | None
) -> str | None:
    """Why an answer does not fit its request; None if it does."""
    if action == 'edit':
        return 'edit needs the new arguments as a JSON object' if arguments is None else None
    if arguments is None or hash_of(arguments) == request.arguments_hash:
        return None
    return 'approve is for the arguments that were shown; to change them, use edit'


def what_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first fact that is not what it was, in words; None if all are."""
    for name in sorted(before.keys() | now.keys()):
        was, is_now = before.get(name), now.get(name)
        if name == POSE and was and is_now:
            if _moved(was, is_now):
                return 'the robot has moved'
        elif was != is_now:
            return f'{name} was {_word(was)}, is {_word(is_now)}'
    return None


def _moved(was: list[float], is_now: list[float]) -> bool:
    turned = math.remainder(was[2] - is_now[2], math.tau)
    return math.dist(was[:2], is_now[:2]) > MOVED_M or abs(turned) > TURNED_RAD


def _word(fact: Any) -> str:
    if isinstance(fact, bool):
        return 'yes' if fact else 'no'
    return 'not known' if fact is None else str(fact)
