"""Plug-ins that break their port, each in a way of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import sys
import threading
from typing import Any

MODULE = 'plugins_of_a_test'
Plug = Callable[[str, Any], None]


def raises(*_: Any) -> Any:
    raise RuntimeError('no \x1b[31mcamera')


def leaves(*_: Any) -> Any:
    sys.exit(3)


class NotWritten(Exception):  # noqa: N818 (an answer, too)
    """Neither as text nor otherwise."""

    def __str__(self) -> str:
        """Raises, as code of others may."""
        raise RuntimeError('not even this')

    __repr__ = __str__


def raises_unwritten(*_: Any) -> Any:
    raise NotWritten


def cancels(*_: Any) -> Any:
    raise asyncio.CancelledError


class Hanging:
    """Returns nothing until it is released, as a call to a camera that is gone.

    Attributes:
        ended: What was asked to end, in order.
    """

    def __init__(self) -> None:
        self._released = threading.Event()
        self.ended: list[str] = []

    def __call__(self, *_: Any, **__: Any) -> Any:
        self._released.wait()
        return True

    def release(self) -> None:
        """It returns, and so does everything after it."""
        self._released.set()
