"""A machine that pauses: the deadman ends a drive then, as it should, and a test tries again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from waiting import wait_until

TRIES = 5
LATE_BEAT = 'no heartbeat from the executive for'  # in the reason of every drive that ends so
LOOK_S = 0.05  # reads files of the run


def late_beats(run: Any) -> int:
    """How many drives of a run the deadman has ended."""
    errors = run.events(kind='ERROR')
    return sum(
        bool(each.get('tool_name')) and LATE_BEAT in (each.get('error_reason') or '')
        for each in errors
    )


class KeptDrive:
    """A drive by hand that is asked for again whenever the deadman has ended it.

    Args:
        run: The system.
        line: What is typed.
    """

    def __init__(self, run: Any, line: str) -> None:
        self._run, self._line = run, line
        self._late = late_beats(run)
        run.write(line)

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Waits until something is so, and keeps the rover driving."""

        def look() -> Any:
            late = late_beats(self._run)
            if late > self._late:
                self._late = late
                self._run.write(self._line)
            return condition()

        wait_until(look, lambda: f'{what}:\n{self._run.output}', look_s=LOOK_S)
