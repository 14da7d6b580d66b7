"""A circuit breaker around the provider: after failures in a row it is left alone for a while.

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

from rover_common.config.settings import CircuitSettings
from rover_common.llm.model_errors import ModelError


class CircuitBreaker:
    """Shared by all callers of one provider. `on_change` is called when it opens and closes.

    Args:
        provider: Its name.
        settings: How many failures open it, and for how long.
        on_change: Called with a sentence, and whether the provider answers again.
        clock: Steady time in s.
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
