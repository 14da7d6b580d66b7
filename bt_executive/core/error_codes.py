"""Spec 3's table of error codes, and the codes of refusals (docs/decisions/0017)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from bt_executive.core.call_states import CallState
from bt_executive.core.robot_state import MotionEnding
from bt_executive.core.state import DecisionType
from rover_common.permit import EndingCode

NAV_BLOCKED = 'NAV_BLOCKED'  # something was in the way of a drive
SAFETY_VIOLATION = 'SAFETY_VIOLATION'
BATTERY_CRITICAL = 'BATTERY_CRITICAL'

# The decision after an error code that the skill's own error_map does not name.
ERROR_MAP: Mapping[str, DecisionType] = {
    'NAV_GOAL_REJECTED': DecisionType.REPLAN,
    'NAV_TIMEOUT': DecisionType.RETRY,
    NAV_BLOCKED: DecisionType.REPLAN,
    'SKILL_NOT_FOUND': DecisionType.ASK_HUMAN,
    'RESOURCE_CONFLICT': DecisionType.RETRY,
    'PARAM_INVALID': DecisionType.ASK_HUMAN,
    SAFETY_VIOLATION: DecisionType.ABORT,
    BATTERY_CRITICAL: DecisionType.ABORT,
}


class CallError(Enum):
    """The error codes of a tool whose server names none."""

    FAILED = 'FAILED'
    REJECTED = 'REJECTED'
    TIMED_OUT = 'TIMED_OUT'
    LOST = 'LOST'
    CANCELLED = 'CANCELLED'
    UNAVAILABLE = 'UNAVAILABLE'  # there is no server, or it does not respond
    RESTARTED = 'RESTARTED'  # with the executive, while the tool was running
    STOPPED = 'STOPPED'  # the adapter ended its motion
    GAP = 'GAP'  # the adapter ended its motion: a message or permit was missing for a moment
    OFF_COURSE = 'OFF_COURSE'  # a timed motion did not move the robot as its entry says


# Codes of a tool that was ended early and has not failed.
EARLY_ENDS = frozenset(
    {
        *(CallError.CANCELLED.value, CallError.STOPPED.value, CallError.GAP.value),
        *(CallError.RESTARTED.value, SAFETY_VIOLATION, BATTERY_CRITICAL),
        *('NAV_CANCELLED', 'NAV_STOPPED'),
    }
)


def ended_by(ending: MotionEnding) -> CallError:
    """Return the code of a tool whose motion the adapter has ended."""
    return CallError.GAP if ending.code == EndingCode.GAP.value else CallError.STOPPED


_OF_GUARDS: Mapping[str, str] = {
    'catalogue': 'SKILL_NOT_FOUND',
    'arguments': 'PARAM_INVALID',
    'resources': 'RESOURCE_CONFLICT',
}


def code_of_refusal(guard: str) -> str:
    """Return the error code of a guard's refusal: by the table, else its name in capitals."""
    return _OF_GUARDS.get(guard, guard.upper())


def decision_after(code: str | None, error_map: Mapping[str, str]) -> DecisionType | None:
    """Return the decision after an error code; None: neither skill nor table has one."""
    if code is None:
        return None
    return DecisionType(error_map[code]) if code in error_map else ERROR_MAP.get(code)


# The code of a tool by the state of its server call, where the server names none.
CODE_OF_CALL: Mapping[CallState, CallError] = {
    CallState.FAILED: CallError.FAILED,
    CallState.REJECTED: CallError.REJECTED,
    CallState.TIMED_OUT: CallError.TIMED_OUT,
    CallState.LOST: CallError.LOST,
    CallState.CANCELLED: CallError.CANCELLED,
}
