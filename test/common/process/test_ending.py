"""However early a signal comes, and wherever the program just is, it is not lost."""

from __future__ import annotations

import asyncio
import signal

from late_signal import Dying
import pytest

from rover_common.process.ending import ENDING_SIGNALS, Ending, ending_signals


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_in_a_destructor_is_heard(number: signal.Signals) -> None:
    ends: list[str] = []
    with ending_signals() as ending:
        ending.then(lambda: ends.append('first'))
        Dying(number)
        assert ending.told
        ending.then(lambda: ends.append('second'))
    assert ends == ['first', 'second']


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_before_a_loop_starts_ends_what_runs_in_it(number: signal.Signals) -> None:
    async def program(ending: Ending) -> None:
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        ending.then(lambda: loop.call_soon_threadsafe(told.set))
        await told.wait()

    with ending_signals() as ending:
        signal.raise_signal(number)
        asyncio.run(program(ending))


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
    assert not ending.told


def test_a_hang_up_that_nohup_ignores_stays_ignored() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_signals() as ending:
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, usual)
    assert not ending.told
