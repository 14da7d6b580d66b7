"""Goals that name a place, from the operator's words to the wheels."""

from __future__ import annotations

import json
from typing import Any

from late_beats import LATE_BEAT
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
LOOK_S = 0.05  # reads files of the run
SILENCE = (LATE_BEAT, 'no transform comes')  # of a process that did not run


def drive(run: Any, goal: str) -> int:
    """Gives a goal until the rover is there; how often it was given.

    On a busy machine a process may not run for so long that the rover is stopped, as it should be.
    """
    ended: list[Any] = []

    def has_ended() -> bool:
        events = run.events(tool_name='navigate_to')
        ended[:] = [each for each in events if each['kind'] in ('RESULT', 'ERROR')]
        return len(ended) == given

    given = 0
    while not ended or not ended[-1]['ok']:
        run.write(goal)
        given += 1
        wait_until(has_ended, lambda: f'it drives:\n{run.output}', look_s=LOOK_S)
        reason = ended[-1].get('error_reason') or ''
        assert ended[-1]['ok'] or any(words in reason for words in SILENCE), ended[-1]
    return given


def test_the_operator_sends_the_rover_to_places(start: Any) -> None:
    run = start('up', '--set', 'rover.world=dunes', navigates=True)
    run.wait_for_rover()
    given = drive(run, 'go to (6, 1)\n')
    run.write('go to (300, 0)\n:quit\n')
    run.finish()
    goals = run.summary['goals']
    stopped = ['gave_up'] * (given - 1)
    expected = [*stopped, 'reached', 'gave_up']
    assert [goal['outcome'] for goal in goals] == expected, json.dumps(goals)
    assert 4.0 < sum(goal['distance_m'] for goal in goals) < 10.0
    assert 'navigation.farthest_m' in goals[-1]['answer']
