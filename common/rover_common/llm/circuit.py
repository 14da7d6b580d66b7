"""A circuit breaker around the provider: after failures in a row it is left alone for a while.

purgatory keeps the state; here are only the sentences and the one rule that it does not know:
a fault of the model or of the request says nothing about the provider's health.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import time

from purgatory import SyncCircuitBreakerFactory
from purgatory.domain.model import OpenedState

from rover_common.config.settings import CircuitSettings
from rover_common.llm.model_errors import ModelError


class Circuit:
    """Shared by all that ask one provider. `tell` hears when it opens and closes."""

    def __init__(
        self, provider: str, settings: CircuitSettings, tell: Callable[[str, bool], None]
    ) -> None:
        self._provider = provider
        self._settings = settings
        self._tell = tell
        self._breaker = SyncCircuitBreakerFactory(
            default_threshold=settings.failures, default_ttl=settings.rest_s
        ).get_breaker(
            provider, exclude=[(BaseException, lambda error: not _is_out_of_order(error))]
        )

    @contextmanager
    def call(self) -> Iterator[None]:
        """One call of the provider.

        Raises:
            ModelError: The circuit is open: nothing was called.
        """
        before = self._breaker.context.state
        try:
            with self._breaker:
                yield
        except OpenedState as opened:
            left = max(0.0, opened.opened_at + self._settings.rest_s - time.time())
            opened.with_traceback(None)  # the same object is raised each time and would grow
            raise ModelError(
                f'{self._provider} failed {self._settings.failures} times in a row and is left '
                f'alone for {left:.0f} s more.',
                again=False,
            ) from None
        finally:
            self._report(before, self._breaker.context.state)

    def _report(self, before: str, after: str) -> None:
        if after == 'opened' and before != 'opened':
            rest = f'{self._settings.rest_s:g} s'
            self._tell(f'No model: {self._provider} is left alone for {rest}.', False)
        elif before != 'closed' and after == 'closed':
            self._tell(f'{self._provider} answers again.', True)


def _is_out_of_order(error: BaseException) -> bool:
    return isinstance(error, ModelError) and error.out_of_order
