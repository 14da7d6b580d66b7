"""A signal that comes while a destructor runs: an exception there would be ignored."""

from __future__ import annotations

import signal


class Dying:
    """Raises the signal in its destructor."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def __del__(self) -> None:
        signal.raise_signal(self._number)
