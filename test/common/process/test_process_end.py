"""No signal is lost, however early it comes; the end of a supervisor reaches every child."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

from late_signal import Dying
import pytest
from waiting import wait_until

from rover_common.process.process_end import ENDING_SIGNALS, Lifelines, Shutdown, ending_signals

# Sends itself signals while it handles one: in the handler, and between any two of its bytecodes.
STORM = """
import signal, sys
from rover_common.process.process_end import ENDING_SIGNALS, ending_signals

depth = 0

def trace(frame, event, argument):
    global depth
    if depth < 20 and event in ('line', 'opcode'):
        depth += 1
        signal.raise_signal(ENDING_SIGNALS[depth % 3])
    return trace

with ending_signals() as ending:
    heard = []
    ending.then(lambda: heard.append(1))
    sys.settrace(trace)
    signal.raise_signal(signal.SIGTERM)
    sys.settrace(None)
    assert ending.requested and depth > 2, depth
assert heard
"""


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_in_a_destructor_is_heard(number: signal.Signals) -> None:
    ends: list[str] = []
    with ending_signals() as ending:
        ending.then(lambda: ends.append('first'))
        Dying(number)
        assert ending.requested
        wait_until(lambda: ends)
        ending.then(lambda: ends.append('second'))
    assert ends == ['first', 'second']


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_before_a_loop_starts_ends_what_runs_in_it(number: signal.Signals) -> None:
    async def program(ending: Shutdown) -> None:
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        ending.then(lambda: loop.call_soon_threadsafe(told.set))
        await told.wait()
        ending.then(lambda: None)  # the loop is closed when the thread reads the signal

    with ending_signals() as ending:
        signal.raise_signal(number)
        asyncio.run(program(ending))


@pytest.mark.process
def test_a_signal_within_the_handler_of_another_holds_nothing_up() -> None:
    subprocess.run([sys.executable, '-c', STORM], timeout=60, check=True)


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_afterwards_a_signal_does_what_it_did_before(number: signal.Signals) -> None:
    heard: list[int] = []
    usual = signal.signal(number, lambda number, _: heard.append(number))
    try:
        with ending_signals() as ending:
            pass
        signal.raise_signal(number)
    finally:
        signal.signal(number, usual)
    assert heard == [number]
    assert not ending.requested


def test_a_hang_up_that_nohup_ignores_stays_ignored() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_signals() as ending:
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, usual)
    assert not ending.requested


CHILD = """
import sys, threading
from rover_common.process.process_end import watch_lifeline
ended = threading.Event()
if sys.argv[1] == 'hangs':
    watch_lifeline(lambda: None, grace_s=10000.0)
else:
    watch_lifeline(ended.set, stage_s=float(sys.argv[2]))
print('ready', flush=True)
ended.wait()
"""


def child(lines: Lifelines, stage: int, how: str, stage_s: float) -> subprocess.Popen[str]:
    made = subprocess.Popen(
        [sys.executable, '-c', CHILD, how, str(stage_s)],
        env={**os.environ, **lines.environment(stage)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert made.stdout is not None
    assert made.stdout.readline() == 'ready\n'
    return made


@pytest.mark.process
def test_a_stage_that_hangs_keeps_the_later_ones_for_a_bounded_time() -> None:
    lines = Lifelines([0, 1, 2])
    hung = child(lines, 0, 'hangs', 0.0)
    later = [child(lines, stage, 'waits', 0.1) for stage in (1, 2)]
    try:
        lines.close()  # as the kernel does it for a supervisor that is killed
        for each in later:
            assert each.wait() == 0
        assert hung.poll() is None
    finally:
        hung.kill()
        for each in (hung, *later):
            each.communicate()
