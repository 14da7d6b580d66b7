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
    """The mode.

    Attributes:
        mode: SAFE, CHARGE, EXEC or IDLE.
        preempt_reason: Why an active goal is held back; empty: it is not.
        until: What ends that; empty: this tick does.
    """

    mode: Mode
    preempt_reason: str = ''
    until: str = ''


def arbitrate(state: BrainState) -> Arbitration:
    """The mode for this tick."""
    if state.world.safety_reason:
        reason = f'safety event: {state.world.safety_reason}'
        return Arbitration(Mode.SAFE, reason, 'the operator must reset')
    if state.robot.battery_state == 'LOW':
        told = ', by a stale reading' if state.robot.battery_stale else ''
        reason = f'battery low: {state.robot.battery_pct:.0f} %{told}'
        return Arbitration(Mode.CHARGE, reason, 'it goes on when the battery is charged')
    if state.hci.user_interrupt in STANDS:
        word = state.hci.user_interrupt.value.lower()
        source = state.hci.interrupt_payload.get('source', 'the operator')
        pauses = state.hci.user_interrupt is UserInterruptType.PAUSE
        until = 'the operator must resume' if pauses else ''  # a stop is served in this tick
        return Arbitration(Mode.IDLE, f'{word} by {source}', until)
    return Arbitration(Mode.EXEC if state.tasks.queue else Mode.IDLE)
