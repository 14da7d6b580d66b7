"""Which mode the executive is in: a pure, total function of the frozen state.

Priority: a safety event, then the goal, then nothing. SAFE is latched by whoever set the reason
and ends with it.
"""

from __future__ import annotations

from bt_executive.state import BrainState, Mode


def arbitrate(state: BrainState) -> Mode:
    """The mode for this tick."""
    if state.world.safety_reason:
        return Mode.SAFE
    if state.tasks.active is not None:
        return Mode.EXEC
    return Mode.IDLE
