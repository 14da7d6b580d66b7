"""`bt-executive up`: lines from a pipe and from a terminal.

Ctrl-C: test_suspensions.py; other requests to end: test_two_rovers.py; kill -9: test_deaths.py.
"""

from __future__ import annotations

import os
from typing import Any

from lean import BLIND
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
LOOK_S = 0.05  # reads a file
LONG_NUDGE = ('--set', 'move.nudge_duration_sec=20.0')


def test_piped_lines_are_done_one_after_the_other_but_a_stop_does_not_wait(start: Any) -> None:
    run = start('up', *LONG_NUDGE)
    run.wait_for_rover()
    run.wait_until_it_stands()
    run.write(':cap\n:capp\n:mast_close\n:nudge\n')
    run.wait_for_event(kind='ACT', tool_name='move_nudge')
    run.write(':mast_open\n:stop\n')
    run.process.stdin.close()
    assert run.finish() == 1, run.output  # the nudge was interrupted
    begun = ['capture_and_score', 'mast_close', 'move_nudge']
    acts = run.events(kind='ACT')
    assert [event['tool_name'] for event in acts if event['tool_name'] != 'move_stop'] == begun
    ends = [run.events(kind='RESULT', tool_name=tool)[0]['ts'] for tool in begun[:-1]]
    starts = [run.events(kind='ACT', tool_name=tool)[0]['ts'] for tool in begun[1:]]
    assert all(end <= next_ for end, next_ in zip(ends, starts, strict=True))
    assert 'Did you mean :cap?' in run.output
    assert run.summary['outcome'] == 'interrupted'
    assert 'Not started, because of the stop: :mast_open' in run.output
    (nudge,) = [goal for goal in run.summary['goals'] if goal['goal'].startswith('move_nudge')]
    assert nudge['robot_s'] < 20.0, 'it did not drive to its end'


def test_at_a_terminal_stop_works_while_a_goal_runs_and_variant_a_has_no_mast(start: Any) -> None:
    keyboard, terminal = os.openpty()
    run = start('up', *BLIND, '--set', 'variant=A', stdin=terminal)
    os.close(terminal)
    run.wait_for_rover()
    os.write(keyboard, b':help\n:mast_open\n:tool get_status\n')
    status = run.wait_for_event(kind='RESULT', tool_name='get_status')
    assert status['data']['result']['mast_is_open'] is None
    assert ':move_nudge' in run.output or ':nudge' in run.output
    assert "Unknown command ':mast_open'" in run.output
    os.write(keyboard, b':tool wait {"seconds": 60}\n')
    run.wait_for_event(kind='ACT', tool_name='wait')
    os.write(keyboard, b':tree\n')
    run.wait_for_output('Pursue the goal')
    asked = 0

    def status_told() -> bool:
        nonlocal asked
        if run.output.count('No server answers at adapter/get_status') == asked:
            os.write(keyboard, b':status\n')  # again, if the console had not found it yet
            asked += 1
        return 'variant A, ' in run.output

    wait_until(status_told, lambda: run.output, look_s=LOOK_S)
    os.write(keyboard, b':stop\n')
    run.wait_for_output('interrupted')
    os.write(keyboard, b'\x04')
    assert run.finish() == 0, run.output
    os.close(keyboard)
