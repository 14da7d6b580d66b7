"""A check in a process of its own, while this one loads what its nodes need.

It waits for other participants of the graph, and has threads and a participant itself: nothing
may be forked from a process that has these.
"""

from __future__ import annotations

from collections.abc import Callable
import os
import signal
import traceback

from rover_common.errors import BtExecutiveError

PASSED, REFUSED, FAILED = 0, 1, 2  # its exit codes


class CheckInChildProcess:
    """Begins at once; `result` waits for its end, and the end of a `with` ends it.

    Args:
        check: Raises BtExecutiveError if the nodes cannot be started; the text says why.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        reading, writing = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            code = FAILED
            try:
                code, text = _checked(check)
                with os.fdopen(writing, 'w', encoding='utf-8', errors='surrogatepass') as line:
                    line.write(text)
            finally:
                os._exit(code)
        os.close(writing)
        self._line = os.fdopen(reading, encoding='utf-8', errors='surrogatepass')

    def __enter__(self) -> CheckInChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Nobody asks for the result any more."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._line.close()
            self._end()

    def result(self) -> None:
        """Raises BtExecutiveError if the nodes cannot be started; the text says why."""
        with self._line:
            text = self._line.read()
        code = os.waitstatus_to_exitcode(self._end())
        if code == REFUSED:
            raise BtExecutiveError(text)
        if code != PASSED:
            raise RuntimeError(f'The check before the start ended with code {code}:\n{text}')

    def _end(self) -> int:
        pid, self._pid = self._pid, 0
        return os.waitpid(pid, 0)[1]


def _checked(check: Callable[[], None]) -> tuple[int, str]:
    """Returns the exit code, and why."""
    try:
        check()
    except BtExecutiveError as error:
        return REFUSED, str(error)
    except BaseException:
        return FAILED, traceback.format_exc()
    return PASSED, ''
