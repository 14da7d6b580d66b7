"""Calls plug-ins, each in its own thread, so that a caller waits for a limited time.

Python cannot interrupt a call. So it goes on in its thread, its late answer is dropped, and until
it has returned the plug-in is not called again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
import threading
from typing import Any, NoReturn

from bt_executive.plugins.installed_plugins import exception_text
from bt_executive.plugins.plugin_interfaces import LIMIT_S
from rover_common.process.threads import start_thread


class PluginFault(Exception):  # noqa: N818 (of the plug-in, not of ours)
    """A plug-in raised or timed out; the text names it and the reason."""


@dataclass(eq=False)
class _Call:
    """One call; `answer` or `fault` is valid once `returned` is set."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    answer: Any = None
    fault: str = ''
    returned: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Calls. Any exception is the plug-in's: no signal is handled in this thread."""
        try:
            self.answer = self.function(*self.args)
        except BaseException as error:
            self.fault = exception_text(error)
        self.returned.set()


class PluginThread:
    """Calls one plug-in, one call after the other. May be used from any thread."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._late: _Call | None = None  # the latest call that timed out
        start_thread(self._run, f'plug-in {title}')

    def call(self, timeout_s: float, function: Callable[..., Any], *args: Any) -> Any:
        """Calls, and returns the answer.

        Raises:
            PluginFault: It raised, it has not returned after `timeout_s`, or it is still in a
                call that timed out.
        """
        if self._is_stuck():
            self._refuse('is still busy with an earlier call')
        call = self._put(function, args)
        if not call.returned.wait(timeout_s):
            self._late = call
            self._refuse(f'has not answered within {timeout_s:g} s')
        if call.fault:
            self._refuse(f'failed ({call.fault})')
        return call.answer

    def call_to_end(self, timeout_s: float, function: Callable[..., Any], *args: Any) -> None:
        """Like `call`, for what ends something: a stuck plug-in runs it when it returns."""
        if self._is_stuck():
            self._put(function, args)
            self._refuse('is still busy with an earlier call, and ends after it')
        self.call(timeout_s, function, *args)

    def _is_stuck(self) -> bool:
        return self._late is not None and not self._late.returned.is_set()

    def _put(self, function: Callable[..., Any], args: tuple[Any, ...]) -> _Call:
        call = _Call(function, args)
        self._calls.put(call)
        return call

    def _refuse(self, reason: str) -> NoReturn:
        raise PluginFault(f'{self._title} {reason}')

    def _run(self) -> None:
        while True:
            self._calls.get().run()


@cache
def thread_of(title: str) -> PluginThread:
    """Returns the thread of a plug-in, which is started with its first call."""
    return PluginThread(title)


def call(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> Any:
    """Calls a plug-in in its thread and returns its answer. `more_s`: in addition to LIMIT_S.

    Raises:
        PluginFault: It raised, or has not answered in time.
    """
    return thread_of(title).call(LIMIT_S + more_s, function, *args)


def call_to_end(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> None:
    """Like `call`, for a method that ends something: run later if an earlier call is stuck."""
    thread_of(title).call_to_end(LIMIT_S + more_s, function, *args)
