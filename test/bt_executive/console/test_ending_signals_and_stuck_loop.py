"""Signals end the console, also while it cannot write."""

from __future__ import annotations

from collections.abc import Iterator
import fcntl
import os
import signal
import subprocess
import sys
import termios
from typing import IO

import pytest
from waiting import wait_until
from warm import WarmPopen

from bt_executive.client.front_end_events import (
    Interrupt,
)
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox
from bt_executive.console.ending_signals_and_stuck_loop import Interrupts
from rover_common.process.process_end import ENDING_SIGNALS

# An attached console that is told of more than a pipe holds; its client notes what it is asked.
CONSOLE = """
import sys
from bt_executive import cli
from bt_executive.commands import console_web_foxglove_and_mcp_commands as commands
from bt_executive.client.front_end_events import ExecutiveReady
from bt_executive.console import ending_signals_and_stuck_loop
from fakes.console import FakeConsolePort
from rover_common.trace_event import TraceEvent

class Client(FakeConsolePort):
    def __init__(self, config, put, arguments):
        super().__init__()
        put(ExecutiveReady())
        put(TraceEvent('1', 0.0, 'OBSERVE', 'words ' * 100_000))
    def cancel(self):
        print('cancelled', file=sys.stderr)
    def close(self):
        print('closed', file=sys.stderr, flush=True)

ending_signals_and_stuck_loop.STUCK_S = float(sys.argv[1])
ending_signals_and_stuck_loop.AGAIN_S = 0.0
commands.client_factory = lambda: Client
cli.main(['console', '--plain'])
"""


@pytest.fixture
def consoles() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for each in started:
        each.kill()
        each.communicate()


def unread(pipe: IO[str]) -> int:
    """Bytes that wait in it."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4), sys.byteorder)


@pytest.mark.process
@pytest.mark.parametrize(
    ('stuck_s', 'numbers'),
    [('600', [signal.SIGTERM, signal.SIGINT]), ('0.1', [signal.SIGTERM])],
    ids=['by the next signal', 'by the alarm'],
)
def test_a_console_that_cannot_write_cancels_its_goals_and_ends(
    consoles: list[subprocess.Popen[str]], stuck_s: str, numbers: list[signal.Signals]
) -> None:
    console = WarmPopen(
        [sys.executable, '-c', CONSOLE, stuck_s],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    consoles.append(console)
    output, notes = console.stdout, console.stderr
    assert output is not None
    assert notes is not None
    nearly_full = fcntl.fcntl(output, fcntl.F_GETPIPE_SZ) // 2
    seen = [0]

    def is_stuck() -> bool:
        seen.append(unread(output))
        return seen[-1] == seen[-2] > nearly_full

    # Python looks at its signals when a write that waits is interrupted, not just before one.
    wait_until(is_stuck, 'the console writes more than fits', look_s=0.1)
    for number in numbers:
        os.kill(console.pid, number)
    assert console.wait(timeout=60) == 130
    assert notes.read().splitlines() == ['cancelled', 'closed']


def test_two_signals_at_once_abort_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, 'setitimer', lambda *_: None)
    inbox = ConsoleInbox()
    interrupts = Interrupts(inbox)
    with interrupts.guard():
        interrupts._interrupt()
        interrupts._interrupt()
    assert isinstance(inbox.get(0.0), Interrupt)


@pytest.mark.process
def test_the_end_of_a_process_wakes_the_loop() -> None:
    inbox = ConsoleInbox()
    before = {
        each: signal.getsignal(each) for each in (*ENDING_SIGNALS, signal.SIGCHLD, signal.SIGALRM)
    }
    try:
        Interrupts(inbox).listen()
        child = subprocess.Popen([sys.executable, '-c', ''])
        assert inbox.get(600.0) is None
        assert child.wait() == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
