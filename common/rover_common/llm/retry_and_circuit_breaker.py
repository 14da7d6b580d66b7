"""When a model is asked again, and when its provider is left alone for a while.

Counted in steady time: a clock that is set opens and closes nothing. A call has three ends: the
provider answered (also with a fault of the model or of the request), it is out of order, or
nobody knows, because the call was given up. What nobody knows changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import math
import threading
import time
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from rover_common.config.settings import CircuitSettings, ModelSettings
from rover_common.config.settings.model import RetrySettings
from rover_common.llm.model_errors import GivenUpError, ModelError

Found = TypeVar('Found')


def call_with_retries(
    ask: Callable[[float], Found], settings: ModelSettings, given_up: threading.Event
) -> Found:
    """Return the result of `ask`, which gets its deadline in steady s, with retries.

    Raises:
        ModelError: No usable answer in `timeout_s` and `retry.attempts`.
    """
    end = time.monotonic() + settings.timeout_s

    def pause(seconds: float) -> None:
        if given_up.wait(seconds):
            raise GivenUpError

    tries = make_retrying(settings.retry, end, pause)
    return tries(lambda: ask(min(end, time.monotonic() + settings.request.whole_s)))


def make_retrying(
    settings: RetrySettings,
    end: float,
    pause: Callable[[float], None],
    before_another: Callable[[ModelError, float], None] = lambda _fault, _wait_s: None,
) -> Retrying:
    """Return retries that end by `ModelError.again`, the attempts, or at a steady time in s.

    Args:
        settings: Attempts, and the waits between them.
        end: No wait reaches beyond it.
        pause: Waits so many seconds; an exception of it ends the retries.
        before_another: Gets the fault and the wait in s before each further try.
    """

    def wait(state: RetryCallState) -> float:
        fault = _fault(state)
        if fault.hint or fault.too_long or fault.at_once:  # the next question is another one
            return 0.0
        own = wait_random_exponential(
            multiplier=settings.first_wait_s,
            min=settings.first_wait_s / 2,
            max=settings.longest_wait_s,
        )(state)
        return max(own, fault.wait_s)

    def too_late(state: RetryCallState) -> bool:
        return time.monotonic() + max(state.upcoming_sleep, _fault(state).wait_s) >= end

    return Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, ModelError) and error.again),
        stop=lambda state: stop_after_attempt(settings.attempts)(state) or too_late(state),
        wait=wait,
        sleep=pause,
        before_sleep=lambda state: before_another(_fault(state), state.upcoming_sleep),
        reraise=True,
    )


def _fault(state: RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, ModelError) else ModelError('')


class CircuitBreaker:
    """Shared by all callers of one provider.

    `on_change` is called when it opens and closes: with a sentence, and whether the provider
    answers again. `clock`: steady time in s.
    """

    def __init__(
        self,
        provider: str,
        settings: CircuitSettings,
        on_change: Callable[[str, bool], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._settings = settings
        self._on_change = on_change
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0  # in a row
        self._opened_at = -math.inf  # of the latest failure that opened it, if it is not closed
        self._is_closed = True

    @contextmanager
    def call(self) -> Iterator[None]:
        """Makes one call of the provider.

        After the rest the next calls are a trial: one failure opens it again.

        Raises:
            ModelError: The circuit is open: nothing was called.
        """
        with self._lock:
            left = self._opened_at + self._settings.rest_s - self._clock()
        if left > 0.0:
            raise ModelError(
                f'{self._provider} failed {self._settings.failures} times in a row and is left '
                f'alone for {left:.0f} s more.',
                again=False,
            )
        try:
            yield
        except GivenUpError:
            raise
        except ModelError as error:
            self._note(answered=not error.out_of_order)
            raise
        self._note(answered=True)

    def _note(self, answered: bool) -> None:
        with self._lock:
            was_closed = self._is_closed
            if answered:
                self._failures, self._is_closed, self._opened_at = 0, True, -math.inf
            else:
                self._failures += 1
                if self._failures >= self._settings.failures or not was_closed:
                    self._is_closed, self._opened_at = False, self._clock()
        if answered and not was_closed:
            self._on_change(f'{self._provider} answers again.', True)
        elif not answered and not self._is_closed:
            rest = f'{self._settings.rest_s:g} s'
            self._on_change(f'No model: {self._provider} is left alone for {rest}.', False)
