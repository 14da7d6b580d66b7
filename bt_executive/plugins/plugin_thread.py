"""Calls plug-ins, each in a thread of its own, so that nobody waits longer than its limit.

Python cannot interrupt a call. So it goes on in its thread, what it answers late is dropped, and
until it has returned the plug-in is asked nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
import threading
from typing import Any, NoReturn

from bt_executive.plugins.installed_plugins import fault
from bt_executive.plugins.plugin_interfaces import LIMIT_S
from rover_common.process.threads import start_thread


class PluginFault(Exception):  # noqa: N818 (what a plug-in did, not what we did)
    """A plug-in raised, or took too long; its text says which and what."""


@dataclass(eq=False)
class _Call:
    """One call: what is called, and what came of it once `returned` is set."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    answer: Any = None
    fault: str = ''
    returned: threading.Event = field(default_factory=threading.Event)

    def carry_out(self) -> None:
        """Calls. Whatever is raised is the plug-in's: no signal of ours comes in this thread."""
        try:
            self.answer = self.function(*self.args)
        except BaseException as error:
            self.fault = fault(error)
        self.returned.set()


class PluginThread:
    """Calls one plug-in, one call after the other. May be used from any thread."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._late: _Call | None = None  # somebody has given up waiting for it
        start_thread(self._work, f'plug-in {title}')

    def ask(self, limit_s: float, function: Callable[..., Any], *args: Any) -> Any:
        """Calls, and returns the answer.

        Raises:
            PluginFault: It raised, it has not returned after `limit_s`, or it is still in a call
                that somebody has given up.
        """
        if self._is_stuck():
            self._refuse('is still busy with an earlier call')
        call = self._put(function, args)
        if not call.returned.wait(limit_s):
            self._late = call
            self._refuse(f'has not answered within {limit_s:g} s')
        if call.fault:
            self._refuse(f'failed ({call.fault})')
        return call.answer

    def end(self, limit_s: float, function: Callable[..., Any], *args: Any) -> None:
        """The same for what ends something: a plug-in that is stuck does it when it returns."""
        if self._is_stuck():
            self._put(function, args)
            self._refuse('is still busy with an earlier call, and ends after it')
        self.ask(limit_s, function, *args)

    def _is_stuck(self) -> bool:
        return self._late is not None and not self._late.returned.is_set()

    def _put(self, function: Callable[..., Any], args: tuple[Any, ...]) -> _Call:
        call = _Call(function, args)
        self._calls.put(call)
        return call

    def _refuse(self, what: str) -> NoReturn:
        raise PluginFault(f'{self._title} {what}')

    def _work(self) -> None:
        while True:
            self._calls.get().carry_out()


@cache
def thread_of(title: str) -> PluginThread:
    """Returns the thread of a plug-in, which begins with its first call."""
    return PluginThread(title)


def call(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> Any:
    """Calls a plug-in in its thread and returns its answer. `more_s`: beside LIMIT_S.

    Raises:
        PluginFault: It raised, or has not answered within its time.
    """
    return thread_of(title).ask(LIMIT_S + more_s, function, *args)


def call_to_end(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> None:
    """The same for what ends something: done, if it must be, when an earlier call has returned."""
    thread_of(title).end(LIMIT_S + more_s, function, *args)
