"""The observation: what the inputs have come to; and the effects that a reducer asks for.

A reducer (`reduce.py`, `staleness.py`) changes nothing itself. It returns the next observation,
and the effects that its caller has to carry out before the next input, in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from bt_executive.core.inputs import Answered, Input, StopRequested
from bt_executive.core.outcome import Outcome
from bt_executive.core.pose_against_adapter import Track
from bt_executive.core.state import BrainState, Task
from bt_executive.core.store_port import StoreFault
from bt_executive.core.trace_fields import TraceFields
from rover_common.replace import replace
from rover_common.trace_event import Kind


class Observation(NamedTuple):
    """The state, and what is remembered beside it to judge the next inputs.

    Attributes:
        alarmed: A safety event is among the inputs of this tick.
        latest_stop: The latest request to stop, and when it came, in steady s.
        charge_pct: The lowest charge since the battery was charged; None: no reading yet.
        adapter_life: The run of the adapter that sent the latest status.
        adapter_alive: The adapter has reported its status lately.
        journal_fault: Why the journal cannot be kept; None: it can.
        dropped: Inputs that the inbox has dropped so far.
        track: The latest poses.
    """

    state: BrainState
    alarmed: bool = False
    latest_stop: tuple[StopRequested, float] | None = None
    charge_pct: float | None = None
    adapter_life: str | None = None
    adapter_alive: bool = False
    journal_fault: StoreFault | None = None
    dropped: int = 0
    track: Track = ()

    def changed(self, **parts: Any) -> Observation:
        """Return the observation with top-level parts of its state replaced."""
        return self._replace(state=replace(self.state, **parts))


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


class Reduced(NamedTuple):
    """The next observation, and the effects in their order."""

    observation: Observation
    effects: tuple[Effect, ...] = ()


def error(sentence: str, message: str = '') -> Emit:
    """Return the trace event of a fault; `message`: as it is shown, if not as the sentence."""
    return Emit('ERROR', message or sentence, {'ok': False, 'error_reason': sentence})


def make_safe(before: Observation, reason: str) -> Reduced:
    """Latch SAFE; a reason that is new stands behind those that are known."""
    known = before.state.world.safety_reason
    effects = (error(reason, f'Not safe: {reason}'),)
    if reason in known:
        return Reduced(before, effects)
    latched = f'{known}; {reason}' if known else reason
    world = replace(before.state.world, safety_reason=latched)
    return Reduced(before.changed(world=world), effects)
