"""Which mode the executive is in: a pure, total function of the frozen state.

| SAFE latched | battery LOW | interrupt        | a goal is active or waits | mode   | preempts |
|--------------|-------------|------------------|---------------------------|--------|----------|
| yes          | any         | any              | any                       | SAFE   | yes      |
| no           | yes         | any              | any                       | CHARGE | yes      |
| no           | no          | STOP or PAUSE    | any                       | IDLE   | yes      |
| no           | no          | NONE or NEW_GOAL | yes                       | EXEC   | no       |
| no           | no          | NONE or NEW_GOAL | no                        | IDLE   | no       |

`preempts` says that a goal which is active must not go on in this tick. The branches of the tree
stand in the same order; a stop that comes in SAFE or CHARGE ends the goals there, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.state import BrainState, Mode, UserInterruptType

STANDS = frozenset({UserInterruptType.STOP, UserInterruptType.PAUSE})


@dataclass(frozen=True)
class Arbitration:
    """The mode, and why an active goal is held back (empty: it is not)."""

    mode: Mode
    preempt_reason: str = ''


def arbitrate(state: BrainState) -> Arbitration:
    """The mode for this tick."""
    if state.world.safety_reason:
        return Arbitration(Mode.SAFE, f'safety event: {state.world.safety_reason}')
    if state.robot.battery_state == 'LOW':
        told = ', by a stale reading' if state.robot.battery_stale else ''
        return Arbitration(Mode.CHARGE, f'battery low: {state.robot.battery_pct:.0f} %{told}')
    if state.hci.user_interrupt in STANDS:
        word = state.hci.user_interrupt.value.lower()
        source = state.hci.interrupt_payload.get('source', 'the operator')
        return Arbitration(Mode.IDLE, f'{word} by {source}')
    return Arbitration(Mode.EXEC if state.tasks.queue else Mode.IDLE)
