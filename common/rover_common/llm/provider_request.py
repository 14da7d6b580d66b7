"""One request to a provider at a time, within its limits; cut from any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context, copy_context
from copy import copy
import threading

from langsmith import tracing_context

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import Transport
from rover_common.llm.circuit_breaker import CircuitBreaker
from rover_common.llm.model_errors import GIVEN_UP, ModelError, model_error_of


class Wire:
    """The requests to one provider; several threads may each have one open at a time.

    Args:
        settings: Limits of a request, and when the provider is left alone.
        hide: Keeps the key out of a sentence.
    """

    def __init__(self, settings: ModelSettings, hide: Callable[[str], str]) -> None:
        self._settings, self._hide = settings, hide
        self._circuit = CircuitBreaker(
            settings.provider, settings.circuit, lambda _sentence, _ok: None
        )
        self._lock = threading.Lock()
        self._open: dict[Transport, threading.Event] = {}

    def cut(self) -> None:
        """End all open requests; later ones are not affected."""
        with self._lock:
            for transport, given_up in self._open.items():
                given_up.set()
                transport.cut()

    @contextmanager
    def request(self, given_up: threading.Event, by: float) -> Iterator[Context]:
        """A context (PEP 567) in which the provider's client is to be called.

        Raises:
            ModelError: Any fault, as a sentence without the key.
        """

        def check() -> None:
            if given_up.is_set():
                raise ModelError(GIVEN_UP, again=False)

        transport = Transport(self._settings.request, check)
        transport.deadline = by
        context, stack = copy_context(), ExitStack()
        with self._lock:
            self._open[transport] = given_up
        try:
            with self._circuit.call():
                check()
                context.run(stack.enter_context, transport.in_use())
                context.run(stack.enter_context, tracing_context(enabled=False))
                try:
                    yield context
                except Exception as error:
                    check()
                    name, wait_s = self._settings.provider, transport.retry_after_s
                    raise model_error_of(error, name, self._hide, wait_s) from error
        except ModelError as fault:
            raise self._without_key(fault) from None
        finally:
            with self._lock:
                self._open.pop(transport, None)
            context.run(stack.close)

    def _without_key(self, fault: ModelError) -> ModelError:
        same = copy(fault)
        same.sentence = self._hide(fault.sentence)
        same.args = (same.sentence,)
        return same
