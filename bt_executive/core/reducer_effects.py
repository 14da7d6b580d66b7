"""The effects of a reducer, as values; `tree/apply_inputs_and_effects.py` carries them out."""

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
    """Answer the sender of an input."""

    to: Answered
    accepted: bool
    sentence: str = ''


@dataclass(frozen=True)
class EndAtOnce:
    """Report the end of a goal that is not queued: its text was an answer or an interrupt."""

    task: Task
    outcome: Outcome
    answer: str


@dataclass(frozen=True)
class CountEnergy:
    """Add used charge, in percent of the battery, to the active goal."""

    used_pct: float


@dataclass(frozen=True)
class LoseCalls:
    """End the calls to the adapter, which has lost them."""

    reason: str


@dataclass(frozen=True)
class Forward:
    """Apply an input to what is not in the observation: calls, approvals, goals, settings."""

    given: Input


Effect: TypeAlias = Emit | Reply | EndAtOnce | CountEnergy | LoseCalls | Forward


def error(sentence: str, message: str = '') -> Emit:
    """Return the trace event of a fault; `message`: the shown text, by default the sentence."""
    return Emit('ERROR', message or sentence, {'ok': False, 'error_reason': sentence})
