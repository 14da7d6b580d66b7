"""Programs are forked from this process as it was before its first test: all is loaded there.

That is how `bt-executive up` starts its nodes. A program that starts from nothing computes for
seconds until it has loaded its libraries; tests in which just that is the point use `subprocess`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
import os
import subprocess
import sys
from typing import Any
import warnings

from _pytest.assertion.rewrite import AssertionRewritingHook
import cv2
from garbage import spare_what_lives
from offline_tools import plan

from bt_executive.launching.system_processes import NODES, preload_nodes
from bt_executive.planner.rosa_planner import load_libraries
from bt_executive.store.run_configuration_and_metadata import digest_of
from curiosity_sim.camera.camera import Camera
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config
from rover_common.process.warm_parent import Program, WarmParent

_parents: list[WarmParent] = []


# What the first question to a hosted model loads, a second of computing each, and the first
# forest of a memory.
LIBRARIES = (
    *('openai.resources', 'anthropic.resources'),
    *(f'rover_common.llm.providers.{each}' for each in ('openai_protocol', 'anthropic', 'ollama')),
    *('scipy.cluster.hierarchy', 'scipy.spatial'),
)


def load_what_programs_share() -> None:
    """What each node, each goal and each start would load or make, once for all that fork here."""
    load_libraries(lambda: None)
    for each in LIBRARIES:
        import_module(each)
    preload_nodes(NODES)  # with rclpy, which pytest is to load itself
    config = load_config()
    digest_of(config)
    plan('Find the bright place.')  # compared with all examples of the shipped tools
    rover = config.curiosity.rover
    cv2.setNumThreads(1)  # as in our processes: no fork would have its threads
    Camera(rover.camera, make_world(rover))  # ground and sky of a world are drawn once
    spare_what_lives()


def become_warm() -> None:
    """Makes the parent of all programs, as long as this process has started nothing."""
    _parents.append(WarmParent(_prepare))


def _prepare() -> None:
    """A program loads its modules, and warns, as Python does and not as pytest."""
    finders = [each for each in sys.meta_path if not isinstance(each, AssertionRewritingHook)]
    sys.meta_path[:] = finders
    warnings.resetwarnings()
    for ignored in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter('ignore', ignored)


def warm_parent() -> WarmParent:
    """The parent of the programs of this process."""
    return _parents[0]


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
        self.pid = warm_parent().start(program, *streams)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


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
