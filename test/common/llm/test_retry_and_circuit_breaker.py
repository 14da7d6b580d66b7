"""The circuit breaker: three ends of a call, in steady time."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.config.settings import CircuitSettings
from rover_common.llm.model_errors import GivenUpError, ModelError
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker


class CancelledError(BaseException):
    """What unwinds a call that was given up."""


class Bench:
    """A circuit that opens after 2 failures for 10 s."""

    def __init__(self) -> None:
        self.now = 0.0
        self.told: list[tuple[str, bool]] = []
        settings = CircuitSettings(failures=2, rest_s=10.0)
        self.circuit = CircuitBreaker('openai', settings, self.tell, lambda: self.now)

    def tell(self, sentence: str, ok: bool) -> None:
        self.told.append((sentence, ok))

    def call(self, end: BaseException | None = None) -> bool:
        """Whether the provider was asked; the call ends so."""
        asked = False
        try:
            with self.circuit.call():
                asked = True
                if end is not None:
                    raise end
        except (ModelError, CancelledError, RuntimeError):
            pass
        return asked


BROKEN = ModelError('down', out_of_order=True)
REFUSED = ModelError('bad request', again=False)


def opened() -> Bench:
    it = Bench()
    assert it.call(BROKEN)
    assert it.call(BROKEN)
    assert not it.call()
    return it


@pytest.mark.parametrize('end', [CancelledError(), RuntimeError('ours'), GivenUpError()])
def test_a_probe_of_which_nobody_knows_the_end_does_not_close_it(end: BaseException) -> None:
    it = opened()
    it.now = 10.1
    assert it.call(end)
    assert [ok for _, ok in it.told] == [False]
    assert it.call(BROKEN), 'the next one is the probe'
    assert not it.call(), 'one failure is enough: it was not closed'


@pytest.mark.parametrize('end', [None, REFUSED])
def test_a_probe_that_is_answered_closes_it(end: BaseException | None) -> None:
    it = opened()
    it.now = 10.1
    assert it.call(end)
    assert it.told[-1] == ('openai answers again.', True)
    assert it.call(BROKEN)
    assert it.call(), 'one failure does not open it'


@pytest.mark.parametrize('end', [CancelledError(), GivenUpError()])
def test_what_is_cancelled_is_no_failure_and_no_answer(end: BaseException) -> None:
    it = Bench()
    it.call(BROKEN)
    it.call(end)
    it.call(BROKEN)
    assert not it.call()


def test_a_clock_that_is_set_opens_and_closes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    it = opened()
    for jump in (1e6, -1e6):
        monkeypatch.setattr(time, 'time', lambda jump=jump: jump)
        assert not it.call()
    it.now = 10.1
    assert it.call()


@given(st.lists(st.sampled_from(['ok', 'broken', 'cancelled', 'rest']), max_size=30))
def test_it_is_open_for_the_rest_after_failures_in_a_row_and_never_longer(
    ends: list[str],
) -> None:
    it, row, open_until, trial = Bench(), 0, 0.0, False
    for end in ends:
        if end == 'rest':
            it.now += 6.0
            continue
        error = {'ok': None, 'broken': BROKEN, 'cancelled': CancelledError()}[end]
        assert it.call(error) == (it.now >= open_until)
        if it.now < open_until or end == 'cancelled':
            continue
        row = 0 if end == 'ok' else row + 1
        if end == 'ok':
            trial = False
        elif row >= 2 or trial:
            open_until, trial = it.now + 10.0, True
