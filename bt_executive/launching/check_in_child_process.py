"""A check in a child process, while this process imports what its nodes need.

The check waits for other participants of the graph, and has threads and a participant itself. A
process with these must not be forked.
"""

from __future__ import annotations

from collections.abc import Callable
import os
import signal
import traceback

from rover_common.errors import BtExecutiveError

PASSED, REFUSED, FAILED = 0, 1, 2  # exit codes of the child


class CheckInChildProcess:
    """Starts at once; `result` waits for its end, and leaving a `with` block kills it.

    Args:
        check: Raises BtExecutiveError if the nodes cannot be started; the text says why.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        reading, writing = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            code = FAILED
            try:
                code, text = _run(check)
                with os.fdopen(writing, 'w', encoding='utf-8', errors='surrogatepass') as pipe:
                    pipe.write(text)
            finally:
                os._exit(code)
        os.close(writing)
        self._pipe = os.fdopen(reading, encoding='utf-8', errors='surrogatepass')

    def __enter__(self) -> CheckInChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Kills the child if `result` was not called."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._pipe.close()
            self._wait()

    def result(self) -> None:
        """Raises BtExecutiveError if the nodes cannot be started; the text says why."""
        with self._pipe:
            text = self._pipe.read()
        code = os.waitstatus_to_exitcode(self._wait())
        if code == REFUSED:
            raise BtExecutiveError(text)
        if code != PASSED:
            raise RuntimeError(f'The check before the start ended with code {code}:\n{text}')

    def _wait(self) -> int:
        pid, self._pid = self._pid, 0
        return os.waitpid(pid, 0)[1]


def _run(check: Callable[[], None]) -> tuple[int, str]:
    """Returns the exit code and its reason."""
    try:
        check()
    except BtExecutiveError as error:
        return REFUSED, str(error)
    except BaseException:
        return FAILED, traceback.format_exc()
    return PASSED, ''
