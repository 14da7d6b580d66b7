"""Goals that name a place, from the operator's words to the wheels."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.system]
FAST = ('--set', 'use_sim_time=true', '--set', 'rover.speed_factor=4')


def test_the_operator_sends_the_rover_to_places(start: Any) -> None:
    run = start('up', *FAST, '--set', 'rover.world=dunes')
    run.wait_for_rover()
    run.write('go to (6, 1)\n')
    run.wait_for_event(tool_name='navigate_to', kind='RESULT', ok=True)
    run.write('go to (300, 0)\n:quit\n')
    run.finish()
    goals = run.summary['goals']
    assert [goal['outcome'] for goal in goals] == ['reached', 'gave_up'], json.dumps(goals)
    assert 4.0 < goals[0]['distance_m'] < 10.0
    assert 'navigation.farthest_m' in goals[1]['answer']
