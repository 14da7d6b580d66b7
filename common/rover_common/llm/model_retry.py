"""Asks a model again, with rising waits, until something usable came or the patience is over."""

from __future__ import annotations

from collections.abc import Callable
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

from rover_common.config.settings import ModelSettings
from rover_common.config.settings.model import RetrySettings
from rover_common.llm.model_errors import GIVEN_UP, ModelError

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
            raise ModelError(GIVEN_UP, again=False)

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
