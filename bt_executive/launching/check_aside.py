"""`check_start` in a process of its own, while this one loads what its nodes need.

It waits for other participants of the graph, and has threads and a participant itself: nothing
may be forked from a process that has these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import os
import traceback

from bt_executive.launching.start_checks import check_start
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError

PASSED, REFUSED, FAILED = 0, 1, 2  # its exit codes


class CheckAside:
    """Begins at once; `result` waits for its end.

    Args:
        config: As for `check_start`, like the others.
        checks: By the nodes' names.
        ros_arguments: Of the processes to be started.
        environment: Of theirs.
    """

    def __init__(
        self,
        config: Config,
        checks: Mapping[str, str],
        ros_arguments: Sequence[str],
        environment: Mapping[str, str],
    ) -> None:
        self._reading, writing = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            code = FAILED
            try:
                code, text = _checked(config, checks, ros_arguments, environment)
                with os.fdopen(writing, 'w', encoding='utf-8', errors='surrogatepass') as line:
                    line.write(text)
            finally:
                os._exit(code)
        os.close(writing)

    def result(self) -> None:
        """Raises BtExecutiveError if the nodes cannot be started; the text says why."""
        with os.fdopen(self._reading, encoding='utf-8', errors='surrogatepass') as line:
            text = line.read()
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == REFUSED:
            raise BtExecutiveError(text)
        if code != PASSED:
            raise RuntimeError(f'The check before the start ended with code {code}:\n{text}')


def _checked(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> tuple[int, str]:
    """Returns the exit code, and why."""
    try:
        check_start(config, checks, ros_arguments, environment)
    except BtExecutiveError as error:
        return REFUSED, str(error)
    except BaseException:
        return FAILED, traceback.format_exc()
    return PASSED, ''
