"""Spec 3 property 5: SAFE and CHARGE preempt the task, and an operator's stop ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.core.executive_ports import Proposal
from bt_executive.core.inputs import BatteryReceived, SafetyEvent, StopRequested
from bt_executive.core.state import Mode

CALLS = st.sampled_from(
    [
        ('move_nudge', {}),
        ('turn_left', {'duration_s': 20.0}),
        ('mast_close', {}),
        ('get_status', {}),
        ('wait', {'seconds': 30.0}),
        ('ask_operator', {'question': 'where to?'}),
    ]
)


@pytest.mark.long
@settings(deadline=None)
@given(
    call=CALLS,
    ticks=st.integers(0, 8),
    cause=st.sampled_from(['safety', 'battery', 'stop']),
    answered=st.booleans(),
)
def test_the_task_is_preempted_in_the_tick_of_the_cause(
    rehearsal: Callable[..., Any],
    call: tuple[str, dict[str, Any]],
    ticks: int,
    cause: str,
    answered: bool,
) -> None:
    it = rehearsal()
    it.robot.reply = {'success': True, 'message': '{}'} if answered else None
    it.bench.status(mast_is_open=False, mast='closed', moving=False)
    it.ask('find light')
    it.pass_time(0.1)
    it.planner.say(Proposal('1', *call))
    for _ in range(ticks):
        it.pass_time(0.1)
    it.put(
        {
            'safety': SafetyEvent('cliff', 'a test'),
            'battery': BatteryReceived(it.bench.now, 5.0),
            'stop': StopRequested('a test'),
        }[cause]
    )
    it.pass_time(0.1)
    tasks = it.context.state.tasks
    assert tasks.mode is {'safety': Mode.SAFE, 'battery': Mode.CHARGE, 'stop': Mode.IDLE}[cause]
    assert not it.is_running('Pursue the goal')
    assert it.robot.sent[-1][1] in ('/adapter/move_stop', '/adapter/mast_close')
    assert len(tasks.queue) == (cause == 'battery'), 'a low battery keeps the goal'
    assert it.goals.ended_ids == ([] if cause == 'battery' else ['goal-1'])
