"""`bt-executive console` at a system that somebody else has started: it comes and goes."""

from __future__ import annotations

import os
import signal
from typing import Any

from lean import BLIND
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
# Takes its time. A drive would be stopped, as it should be, where the machine pauses.
LONG = ':tool wait {"seconds": 60}\n'
SPACE = ('--ros-args', '-r', '__ns:=/rover_7')

AGAIN = 5


def _close_mast(start: Any, domain: int) -> tuple[Any, int]:
    piped = start('console', *SPACE, domain=domain)
    piped.write(':mast_close\n')
    piped.process.stdin.close()
    return piped, piped.finish()


def test_a_console_attaches_gives_goals_and_leaves_the_system_as_it_was(start: Any) -> None:
    system = start('up', *BLIND, *SPACE)
    system.wait_for_rover()
    system.wait_for_output('The executive is ready')
    before = {name: process.pid for name, process in system.processes().items()}
    piped, code = _close_mast(start, system.domain)
    for _ in range(AGAIN):
        if (
            code and 'Move in progress' in piped.output
        ):  # the stop of the start is not measured yet
            piped, code = _close_mast(start, system.domain)
    assert code == 0, piped.output
    assert f'Looking for /rover_7/executive in ROS domain {system.domain}' in piped.output
    assert 'mast_close: done' in piped.output
    assert not piped.run_dir.exists()

    system.write(LONG)
    system.wait_for_event(kind='ACT', tool_name='wait')
    visitor = start('console', *SPACE, domain=system.domain)
    visitor.wait_for_output('The executive is ready')
    os.kill(visitor.process.pid, signal.SIGINT)
    assert visitor.finish() == 130
    assert 'The system goes on' in visitor.output
    assert len(system.goal_ends()) == 1, 'the goal of the other console goes on'

    guest = start('console', *SPACE, domain=system.domain)
    guest.wait_for_output('The executive is ready')
    guest.write(':stop\n')
    system.wait_for_output('interrupted')
    wait_until(lambda: len(system.goal_ends()) == 2, 'the goal of the other console has ended')
    guest.write(LONG)
    system.wait_for_event(kind='ACT', tool_name='wait', count=2)
    os.kill(guest.process.pid, signal.SIGINT)
    assert guest.finish() == 130
    assert 'Cancelling what was asked for here' in guest.output
    assert 'interrupted' in guest.output
    wait_until(lambda: len(system.goal_ends()) == 3, 'the goal of the guest has ended')
    assert {name: process.pid for name, process in system.processes().items()} == before
    system.write(':quit\n')
    assert system.finish() == 1, system.output  # its own goal was interrupted
