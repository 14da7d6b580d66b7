"""The observation, which the inputs change, and the effects of a reducer, as values.

A reducer (`reduce.py`) changes nothing itself. It returns the next observation, and the effects
that its caller (`tree/behaviours/sense.py`) carries out before the next input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import Answered, Input, StopRequested
from bt_executive.core.motion_shown_by_poses import Track
from bt_executive.core.state import BrainState
from bt_executive.core.store_port import StoreFault
from bt_executive.core.trace import TraceFields
from rover_common.dataclass_replace import replace
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


class Observation(NamedTuple):
    """The state, and what is remembered beside it to judge the next inputs.

    Attributes:
        latest_stop: The latest request to stop, and its arrival in steady s.
        charge_pct: The lowest charge since the battery was charged; None: no reading yet.
    """

    state: BrainState
    alarmed: bool = False  # a safety event is among the inputs of this tick
    latest_stop: tuple[StopRequested, float] | None = None
    charge_pct: float | None = None
    adapter_life: str | None = None  # the run of the adapter that sent the latest status
    adapter_alive: bool = False  # the adapter's latest status is recent
    journal_fault: StoreFault | None = None  # why the journal cannot be kept; None: it can
    dropped: int = 0  # inputs that the inbox has dropped so far
    track: Track = ()  # the latest poses

    def changed(self, **parts: Any) -> Observation:
        """Return the observation with top-level parts of its state replaced."""
        return self._replace(state=replace(self.state, **parts))


class Reduced(NamedTuple):
    """The next observation, and the effects in their order."""

    observation: Observation
    effects: tuple[Effect, ...] = ()
