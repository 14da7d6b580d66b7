"""The checks before any process of a stack starts, for the command line and ROS launch.

What waits for other participants of the graph has threads and a participant itself. A process with
these must not be forked, so it is checked in a child process.

A process of memory or vision whose model cannot be used runs without it. The reason stands in its
log, and is printed here for the user who starts the system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
import os
import signal
import traceback

from bt_executive.launching.supervisor import exit_description
from bt_executive.launching.system_processes import ROVER
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError
from rover_common.process.node_name_lock import check_names_are_free


def check_start(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Check that nodes can be started with this configuration and these ROS arguments.

    Args:
        config: The whole configuration.
        checks: The nodes' names with the function that validates a configuration for each, as
            `module:name`; empty: none.
        ros_arguments: Of the nodes, for their namespace.
        environment: Of the processes to be started.

    Raises:
        BtExecutiveError: They cannot be started; the text says why and what to do.
    """
    from rover_common.ros.graph_probe import check_no_other_rover

    with ThreadPoolExecutor(1) as pool:
        check = partial(check_no_other_rover, config.topics, ros_arguments)
        other_rover = pool.submit(check) if ROVER in checks else None  # waits for discovery
        check_nodes(config, checks, ros_arguments, environment)
        if other_rover is not None:
            other_rover.result()


def check_nodes(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Like `check_start`, without the check for another rover."""
    from rover_common.ros.graph_probe import check_network

    names = list(checks)
    check_names_are_free(names, ros_arguments, environment)
    check_configuration(config, checks.values())
    check_network(names, ros_arguments, environment)


def check_configuration(config: Config, checks: Iterable[str]) -> None:
    """Raises BtExecutiveError if one of the processes cannot start with this configuration."""
    for check in filter(None, checks):
        _function(check)(config)


def _function(name: str) -> Callable[[Config], None]:
    module, _, function = name.partition(':')
    check: Callable[[Config], None] = getattr(import_module(module), function)
    return check


@dataclass(frozen=True)
class Finding:
    """One line of a report; with a remedy something is missing.

    `hinders`: what is missing is a fault; else the rest works without.
    """

    title: str
    text: str
    remedy: str | None = None
    hinders: bool = True

    @property
    def is_fault(self) -> bool:
        """Whether something is missing that was requested."""
        return self.remedy is not None and self.hinders


def are_good(findings: Iterable[Finding]) -> bool:
    """Return whether none of them is a fault."""
    return not any(each.is_fault for each in findings)


def start_findings(config: Config, checks: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whether each process can start with a configuration, by the checks of `up`.

    `checks`: process → the function that validates a configuration for it; empty: none.
    """
    for name, check in checks.items():
        if not check:
            continue
        try:
            check_configuration(config, [check])
        except BtExecutiveError as error:
            yield Finding(f'start of {name}', 'is refused', str(error).rstrip('.'))
        else:
            yield Finding(f'start of {name}', 'nothing prevents it')


TOO_LITTLE = 'the machine has too little memory, or too few processes (`ulimit -u`)'
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
        if code < 0:
            raise BtExecutiveError(
                f'The check before the start {exit_description(code)}: what it has printed says '
                f'why, or {TOO_LITTLE}.'
            )
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
