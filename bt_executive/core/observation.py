"""The observation, which the inputs change.

A reducer (`reduce.py`, `reduce_begin_and_end_of_tick.py`) changes nothing itself. It returns the
next observation, and the effects (`reducer_effects.py`) that its caller carries out before the
next input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bt_executive.core.inputs import StopRequested
from bt_executive.core.pose_against_adapter import Track
from bt_executive.core.reducer_effects import Effect
from bt_executive.core.state import BrainState
from bt_executive.core.store_port import StoreFault
from rover_common.dataclass_replace import replace


class Observation(NamedTuple):
    """The state, and what is remembered beside it to judge the next inputs.

    Attributes:
        alarmed: A safety event is among the inputs of this tick.
        latest_stop: The latest request to stop, and its arrival in steady s.
        charge_pct: The lowest charge since the battery was charged; None: no reading yet.
        adapter_life: The run of the adapter that sent the latest status.
        adapter_alive: The adapter's latest status is recent.
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


class Reduced(NamedTuple):
    """The next observation, and the effects in their order."""

    observation: Observation
    effects: tuple[Effect, ...] = ()
