"""The effects that a reducer asks for, as values: see `tree/apply_inputs_and_effects.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.inputs import Answered, Input
from bt_executive.core.queued_goal import Task
from bt_executive.core.trace_fields import TraceFields
from rover_common.trace_event import Kind


@dataclass(frozen=True)
class Emit:
    """Emit a trace event; `fields`: the optional ones of `TraceEvent`."""

    kind: Kind
    message: str
    fields: TraceFields = field(default_factory=TraceFields)


@dataclass(frozen=True)
class Reply:
    """Answer whoever sent an input."""

    to: Answered
    accepted: bool
    sentence: str = ''


@dataclass(frozen=True)
class EndAtOnce:
    """Report the end of a goal that never waits: its text was an answer or an interrupt."""

    task: Task
    outcome: Outcome
    answer: str


@dataclass(frozen=True)
class CountEnergy:
    """Add used charge, in percent of the battery, to the active goal."""

    used_pct: float


@dataclass(frozen=True)
class LoseCalls:
    """End the calls to the adapter, which has forgotten them."""

    reason: str


@dataclass(frozen=True)
class Forward:
    """Apply an input to what is not in the observation: calls, approvals, goals, settings."""

    given: Input


Effect: TypeAlias = Emit | Reply | EndAtOnce | CountEnergy | LoseCalls | Forward


def error(sentence: str, message: str = '') -> Emit:
    """Return the trace event of a fault; `message`: as it is shown, if not as the sentence."""
    return Emit('ERROR', message or sentence, {'ok': False, 'error_reason': sentence})
