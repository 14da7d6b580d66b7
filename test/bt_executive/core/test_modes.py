"""The rows of the table of modes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import arbitrate
from bt_executive.core.state import BrainState, Mode, UserInterruptType

STOP, PAUSE, NONE, NEW_GOAL = (
    UserInterruptType.STOP,
    UserInterruptType.PAUSE,
    UserInterruptType.NONE,
    UserInterruptType.NEW_GOAL,
)


@pytest.mark.parametrize(
    ('unsafe', 'battery', 'interrupt', 'goal', 'mode', 'reason'),
    [
        ('cliff', 'LOW', STOP, True, Mode.SAFE, 'safety event: cliff'),
        ('', 'LOW', PAUSE, True, Mode.CHARGE, 'battery low: 12 %'),
        ('', 'OK', STOP, True, Mode.IDLE, 'stop by Ada'),
        ('', 'UNKNOWN', PAUSE, True, Mode.IDLE, 'pause by Ada'),
        ('', 'OK', NONE, True, Mode.EXEC, ''),
        ('', 'OK', NEW_GOAL, True, Mode.EXEC, ''),
        ('', 'OK', NONE, False, Mode.IDLE, ''),
    ],
)
def test_the_first_row_that_fits_decides(
    unsafe: str, battery: str, interrupt: UserInterruptType, goal: bool, mode: Mode, reason: str
) -> None:
    state = BrainState()
    payload = {'source': 'Ada'}
    state = replace(
        state,
        world=replace(state.world, safety_reason=unsafe),
        robot=replace(state.robot, battery_state=battery, battery_pct=12.0),
        hci=replace(state.hci, user_interrupt=interrupt, interrupt_payload=payload),
        tasks=replace(state.tasks, queue=(Task('1', 'look'),) if goal else ()),
    )
    arbitration = arbitrate(state)
    assert (arbitration.mode, arbitration.preempt_reason) == (mode, reason)
