"""Goals that name a place, from the operator's words to the wheels."""

from __future__ import annotations

import json
import re
from typing import Any

from late_heartbeats import LATE
from lean import BLIND
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
ENDS = re.compile(r's  ends +([a-z ]+)')
LOOK_S = 0.05  # reads files of the run
SILENCE = (*LATE, 'no transform comes')  # of a process that did not run


def drive(run: Any, goal: str) -> int:
    """Gives a goal until the rover is there; how often it was given.

    On a busy machine a process may not run for so long that the rover is stopped, as it should be.
    The executive drives on then; only if that is in vain, too, the goal ends.
    """
    given, ends = 0, list[str]()

    def has_ended() -> bool:
        ends[:] = ENDS.findall(run.output)
        return len(ends) == given

    while not ends or ends[-1] != 'reached':
        run.write(goal)
        given += 1
        wait_until(has_ended, lambda: f'it drives:\n{run.output}', look_s=LOOK_S)
        reasons = [
            each['error_reason'] for each in run.events(kind='ERROR', tool_name='navigate_to')
        ]
        was_stopped = any(words in reason for reason in reasons[-1:] for words in SILENCE)
        assert ends[-1] == 'reached' or was_stopped, run.output
    return given


def test_the_operator_sends_the_rover_to_places(start: Any) -> None:
    run = start('up', *BLIND, '--set', 'rover.world=dunes', navigates=True)
    run.wait_for_rover()
    given = drive(run, 'go to (4, 0.5)\n')
    run.write('go to (300, 0)\n:quit\n')
    run.finish()
    goals = run.summary['goals']
    stopped = ['gave_up'] * (given - 1)
    expected = [*stopped, 'reached', 'gave_up']
    assert [goal['outcome'] for goal in goals] == expected, json.dumps(goals)
    assert 3.0 < sum(goal['distance_m'] for goal in goals) < 8.0
    assert 'navigation.farthest_m' in goals[-1]['answer']
