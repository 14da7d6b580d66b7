"""Spec 3's table of error codes, and which of them a refusal has (docs/decisions/0017)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

NAV_BLOCKED = 'NAV_BLOCKED'  # something was in the way of a drive
SAFETY_VIOLATION = 'SAFETY_VIOLATION'
BATTERY_CRITICAL = 'BATTERY_CRITICAL'

# How a round goes on after an error code that the skill's own error_map does not name.
ERROR_MAP: Mapping[str, str] = {
    'NAV_GOAL_REJECTED': 'REPLAN',
    'NAV_TIMEOUT': 'RETRY',
    NAV_BLOCKED: 'REPLAN',
    'SKILL_NOT_FOUND': 'ASK_HUMAN',
    'RESOURCE_CONFLICT': 'RETRY',
    'PARAM_INVALID': 'ASK_HUMAN',
    SAFETY_VIOLATION: 'ABORT',
    BATTERY_CRITICAL: 'ABORT',
}


class CallError(Enum):
    """How a tool failed where its server names no code; the values are the codes."""

    FAILED = 'FAILED'
    REJECTED = 'REJECTED'
    TIMED_OUT = 'TIMED_OUT'
    LOST = 'LOST'
    CANCELLED = 'CANCELLED'
    UNAVAILABLE = 'UNAVAILABLE'  # its server did not appear
    STOPPED = 'STOPPED'  # the adapter ended its motion


_OF_GUARDS: Mapping[str, str] = {
    'catalogue': 'SKILL_NOT_FOUND',
    'arguments': 'PARAM_INVALID',
    'resources': 'RESOURCE_CONFLICT',
}


def code_of_refusal(guard: str) -> str:
    """The error code of a refusal by a guard: the table's, else the guard's name in capitals."""
    return _OF_GUARDS.get(guard, guard.upper())


def what_follows(code: str, error_map: Mapping[str, str]) -> str:
    """How a round goes on after an error code; empty if neither skill nor table says it."""
    return error_map.get(code, ERROR_MAP.get(code, ''))
