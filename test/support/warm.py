"""Programs are forked from a process that has loaded what they share: see `program_server`.

That is how `bt-executive up` starts its nodes. A program that starts from nothing computes for
seconds until it has loaded its libraries; tests in which just that is the point use `subprocess`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
import os
import subprocess
import sys
from typing import Any
import warnings

from _pytest.assertion.rewrite import AssertionRewritingHook
import cv2
import httpx
from offline_tools import plan
from program_server import ProgramServer, Running

from bt_executive.launching.system_processes import NODES, preload_nodes
from bt_executive.planner.rosa_planner import load_libraries
from bt_executive.store.run_configuration_and_metadata import digest_of
from curiosity_sim.camera.camera import Camera
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config
from rover_common.process.warm_parent import Program, WarmParent

_servers: list[ProgramServer] = []
_parents: list[WarmParent] = []


# What the first question to a hosted model loads, a second of computing each, the first forest of
# a memory, a console, and a server of MCP.
LIBRARIES = (
    *('openai.resources', 'anthropic.resources'),
    *(f'rover_common.llm.providers.{each}' for each in ('openai_protocol', 'anthropic', 'ollama')),
    *('scipy.cluster.hierarchy', 'scipy.spatial'),
    *('bt_executive.cli', 'bt_executive.console.console_start'),
    *('bt_executive.ros.client.executive_client', 'bt_executive.mcp_server.run_mcp'),
)


@cache
def load_what_programs_share() -> None:
    """What each node, each goal and each start would load or make, once for all that fork here."""
    load_libraries(lambda: None)
    for each in LIBRARIES:
        import_module(each)
    httpx.create_ssl_context()
    preload_nodes(NODES)  # with rclpy, which pytest is to load itself
    config = load_config()
    digest_of(config)
    plan('Find the bright place.')  # compared with all examples of the shipped tools
    rover = config.curiosity.rover
    cv2.setNumThreads(1)  # as in our processes: no fork would have its threads
    Camera(rover.camera, make_world(rover))  # ground and sky of a world are drawn once


def prepare_programs() -> None:
    """Makes the process that forks programs, as long as there are no tests to be forked, too."""
    _servers.append(ProgramServer(_load))


def load_programs() -> None:
    """Lets that process load."""
    _servers[0].begin()


def become_warm() -> None:
    """Makes a warm parent of this process, as long as it has started nothing."""
    _parents.append(WarmParent(_be_plain))


def warm_parent() -> WarmParent:
    """The warm parent of this process, for tests of those that are handed one."""
    return _parents[0]


def start_program(program: Program, streams: Sequence[int]) -> Running:
    """Starts a program with these file descriptors."""
    return _servers[0].start(program, streams)


def _load() -> None:
    _be_plain()
    load_what_programs_share()


def _be_plain() -> None:
    """A program loads its modules, and warns, as Python does and not as pytest."""
    finders = [each for each in sys.meta_path if not isinstance(each, AssertionRewritingHook)]
    sys.meta_path[:] = finders
    warnings.resetwarnings()
    for ignored in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter('ignore', ignored)


class WarmPopen(subprocess.Popen[Any]):
    """`subprocess.Popen` of a Python with `-m MODULE …` or `-c CODE …`, in an own session."""

    def _execute_child(self, *given: Any) -> None:
        args: Sequence[str] = given[0]
        folder: str | None = given[5]
        environment: Mapping[str, str] | None = given[6]
        pipes: Sequence[int] = given[10:16]
        python, option, *words = map(os.fspath, args)
        assert python == sys.executable, args
        assert option in ('-m', '-c'), args
        module, *arguments = words if option == '-m' else ('run_text', *words)
        theirs = (pipes[0], pipes[3], pipes[5])
        streams = [number if own == -1 else own for number, own in enumerate(theirs)]
        program = Program(
            module,
            arguments,
            dict(os.environ if environment is None else environment),
            os.fspath(folder or os.getcwd()),
        )
        self._running = start_program(program, streams)
        self.pid = self._running.pid
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """Asks for the end as `os.waitpid` does, which knows only children."""
        if wait_flags & os.WNOHANG and not self._running.has_ended():
            return 0, 0
        return self.pid, self._running.wait()

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        lock = self._waitpid_lock  # type: ignore[attr-defined]
        if self.returncode is None and lock.acquire(False):
            try:
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid:
                        self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                lock.release()
        return self.returncode


def warm_run(command: Sequence[str], **more: Any) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run`, as far as tests need it."""
    limit = more.pop('timeout', None)
    check = more.pop('check', False)
    if more.pop('capture_output', False):
        more |= {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE}
    given = more.pop('input', None)
    if given is not None:
        more['stdin'] = subprocess.PIPE
    with WarmPopen(command, **more) as process:
        try:
            output, errors = process.communicate(given, timeout=limit)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done
