"""Programs that another process has forked: how they end is known as of one's own children."""

from __future__ import annotations

import signal
import sys

import psutil
import pytest
from waiting import wait_until
from warm import WarmPopen

pytestmark = pytest.mark.process
WAITS = [sys.executable, '-c', 'import threading; threading.Event().wait()']


@pytest.mark.parametrize('code', [0, 3])
def test_the_exit_code_is_that_of_the_program(code: int) -> None:
    with WarmPopen([sys.executable, '-c', f'import sys; sys.exit({code})']) as program:
        assert program.wait() == program.poll() == code


def test_a_program_that_was_killed_has_the_signal_as_its_end() -> None:
    with WarmPopen(WAITS) as program:
        assert program.poll() is None
        program.kill()
        assert program.wait() == -signal.SIGKILL


def test_nobody_else_gets_its_number_until_its_end_is_read() -> None:
    with WarmPopen(WAITS) as program:
        process = psutil.Process(program.pid)
        process.kill()
        wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE, 'it has ended')
        program.wait()
        wait_until(lambda: not process.is_running(), 'its number is free')
