"""`bt-executive up` in a terminal, with a system behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import sys

from domains import next_domain
from lean import BLIND, LEAN
from pseudo_terminal import PseudoTerminal
import psutil
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
LOOK_S = 0.05  # goes through all processes of this machine
LONG_NUDGE = ('--set', 'move.nudge_duration_sec=20.0')


class Console(PseudoTerminal):
    """A terminal with a console in it."""

    run_dir = ''


CLOSED = 'mast closed, stands'


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Console]]:
    """Starts `bt-executive up` in a terminal."""
    terminals: list[Console] = []

    def begin(columns: int, rows: int, *arguments: str) -> Console:
        run_dir = tmp_path / f'run{len(terminals)}'
        command = [
            sys.executable,
            '-m',
            'bt_executive',
            'up',
            *LEAN,
            *BLIND,
            *arguments,
        ]
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(next_domain()),
            'XDG_STATE_HOME': str(tmp_path),
        }
        made = Console([*command, '--run-dir', str(run_dir)], columns, rows, environment)
        made.run_dir = str(run_dir)
        terminals.append(made)
        made.wait_for('IDLE')
        return made

    yield begin
    for each in terminals:
        each.close()


def left_of(console: Console) -> list[list[str]]:
    """Processes of a run that are still there."""
    lines = (each.info['cmdline'] or [] for each in psutil.process_iter(['cmdline']))
    return [words for words in lines if console.run_dir in words]


def test_at_80_columns_a_goal_is_reached_and_a_call_approved(up: Callable[..., Console]) -> None:
    console = up(80, 24, '--set', 'approval.mode=always')
    console.type(':rov<tab><enter>')
    console.wait_for('approve? get_status()')
    console.type(':approve ask<tab>')
    console.wait_for('› :approve ask-')
    console.type('<enter>')
    console.wait_for('answered')
    console.wait_for('▸ Idle  waiting for a goal')
    console.type(':state<enter>')
    console.wait_for('mode     IDLE')
    assert all(len(line) <= 80 for line in console.lines())
    console.type(':quit<enter>')
    assert console.finish() == 0
    assert not console.left_behind()
    wait_until(lambda: not left_of(console), 'every process has ended', look_s=LOOK_S)


def test_at_200_columns_ctrl_c_stops_a_rover_that_drives(up: Callable[..., Console]) -> None:
    console = up(200, 50, *LONG_NUDGE)
    console.wait_for('│ robot')
    console.type(':mast_close<enter>')
    console.wait_for(CLOSED)
    console.type(':nudge<enter>')
    console.wait_for('mast closed, drives')
    console.wait_for('▸ Until the time is over')
    console.type('<ctrl-c>')
    assert console.finish() == 130
    assert 'interrupted' in console.text()
    assert not console.left_behind()
    wait_until(lambda: not left_of(console), 'every process has ended', look_s=LOOK_S)
