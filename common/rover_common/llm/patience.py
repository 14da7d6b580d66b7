"""Asks again, with rising waits, until something usable came or the patience is over."""

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
from rover_common.llm.model_errors import ModelError

Found = TypeVar('Found')


def patiently(
    ask: Callable[[float], Found], settings: ModelSettings, given_up: threading.Event
) -> Found:
    """What `ask` returns in the end; it gets the steady time by which it must have it.

    Raises:
        ModelError: Nothing usable came in `timeout_s` and `retry.attempts`.
    """
    end = time.monotonic() + settings.timeout_s
    patience = settings.retry

    def too_late(state: RetryCallState) -> bool:
        waits = max(state.upcoming_sleep, _fault(state).wait_s)
        return given_up.is_set() or time.monotonic() + waits >= end

    def wait(state: RetryCallState) -> float:
        own = wait_random_exponential(
            multiplier=patience.first_wait_s,
            min=patience.first_wait_s / 2,
            max=patience.longest_wait_s,
        )(state)
        return max(own, _fault(state).wait_s)

    def pause(seconds: float) -> None:
        given_up.wait(seconds)

    tries = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, ModelError) and error.again),
        stop=lambda state: stop_after_attempt(patience.attempts)(state) or too_late(state),
        wait=wait,
        sleep=pause,
        reraise=True,
    )
    return tries(lambda: ask(min(end, time.monotonic() + settings.request.whole_s)))


def _fault(state: RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, ModelError) else ModelError('')
