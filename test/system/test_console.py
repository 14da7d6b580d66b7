"""`bt-executive up`: lines from a pipe and from a terminal, Ctrl-C, and no orphans."""

from __future__ import annotations

import os
import signal
from typing import Any

from lean import BLIND
import pytest
from waiting import wait_until

from bt_executive.launching.nodes import RECORDER, nodes_without

pytestmark = [pytest.mark.ros, pytest.mark.system]
LOOK_S = 0.05  # reads a file
LONG_NUDGE = ('--set', 'move.nudge_duration_sec=20.0')


def start_driving(start: Any, whole: bool = False) -> Any:
    """A rover that drives for long, by hand."""
    run = start('up', *LONG_NUDGE, *(() if whole else BLIND), whole=whole)
    run.wait_for_rover()
    run.wait_until_it_stands()
    run.write(':mast_close\n:nudge\n')
    run.wait_for_event(kind='ACT', tool_name='move_nudge')
    return run


def test_piped_lines_are_done_one_after_the_other_but_a_stop_does_not_wait(start: Any) -> None:
    run = start('up', *LONG_NUDGE)
    run.wait_for_rover()
    run.wait_until_it_stands()
    run.write(':mast_rotate\n:capp\n:cap\n:mast_close\n:nudge\n')
    run.wait_for_event(kind='ACT', tool_name='move_nudge')
    run.write(':mast_open\n:stop\n')
    run.process.stdin.close()
    assert run.finish() == 1, run.output  # the nudge was interrupted
    begun = ['mast_rotate', 'capture_and_score', 'mast_close', 'move_nudge']
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


def test_variant_a_does_not_offer_the_mast_and_quit_ends_what_comes_after(start: Any) -> None:
    run = start('up', *BLIND, '--set', 'variant=A')
    run.write(':help\n:mast_open\n:tool get_status\n:quit\n:cap\n')
    assert run.finish() == 0, run.output
    assert not run.events(tool_name='capture_and_score')
    assert ':move_nudge' in run.output or ':nudge' in run.output
    assert "Unknown command ':mast_open'" in run.output
    (status,) = run.events(kind='RESULT', tool_name='get_status')
    assert status['data']['result']['mast_is_open'] is None


def test_ctrl_c_stops_the_rover_before_the_end(start: Any) -> None:
    run = start_driving(start)
    os.kill(run.process.pid, signal.SIGINT)
    assert run.finish() == 130
    assert run.summary['outcome'] == 'interrupted'
    assert run.events(kind='ACT', tool_name='move_stop') or 'stop' in str(run.events()[-4:])


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP])
def test_other_requests_to_end_leave_no_orphan(start: Any, number: Any) -> None:
    run = start('up', *BLIND, '--without', 'rover')
    run.wait_for_output('The executive is ready')
    os.kill(run.process.pid, number)
    assert run.finish() == 130


def test_kill_9_of_the_console_leaves_no_orphan(start: Any) -> None:
    run = start_driving(start, whole=True)
    assert len(run.processes()) == len(nodes_without([RECORDER]))
    run.process.kill()
    assert run.finish() == -signal.SIGKILL


def test_at_a_terminal_stop_works_while_a_goal_runs(start: Any) -> None:
    keyboard, terminal = os.openpty()
    run = start('up', *BLIND, stdin=terminal)
    os.close(terminal)
    run.wait_for_rover()
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
        return 'variant B, mast ' in run.output

    wait_until(status_told, lambda: run.output, look_s=LOOK_S)
    os.write(keyboard, b':stop\n')
    run.wait_for_output('interrupted')
    os.write(keyboard, b'\x04')
    assert run.finish() == 0, run.output
    os.close(keyboard)
