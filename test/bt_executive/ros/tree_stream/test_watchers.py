"""py_trees_ros's own watchers, unchanged, against the executive as a process."""

from __future__ import annotations

from collections.abc import Iterator
import importlib.util
from pathlib import Path
import signal
import subprocess
import sys

import pytest
from rclpy.node import Node
from two_nodes import own_context
from waiting import wait_until
from warm import WarmPopen

pytestmark = [
    pytest.mark.ros,
    pytest.mark.system,
    pytest.mark.skipif(
        importlib.util.find_spec('py_trees_ros') is None, reason='py_trees_ros is not there'
    ),
]
DEADLINE_S = 60.0
OPEN = '/executive/snapshot_streams/open'
OURS_ALONE = (
    'import sys; sys.modules["py_trees_ros"] = None; '
    'from bt_executive.ros.executive_node import main; main()'
)


class Watched:
    """An executive that can be restarted, and the watchers' outputs."""

    def __init__(self, node: Node, folder: Path, program: list[str]) -> None:
        self._node = node
        self._folder = folder
        self._program = program
        self.children: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self) -> None:
        command = [sys.executable, *self._program, '--run-dir', str(self._folder / 'run')]
        self.executive = WarmPopen(command)
        self.children.append(self.executive)

    def watch(self, tool: str, wanted: str, *arguments: str) -> Path:
        """Runs a watcher until it shows what is wanted; returns the file it goes on writing to.

        The blackboard watcher gives up if it has discovered nothing for 2 s: then it starts again.
        """
        wait_until(lambda: OPEN in (name for name, _ in self._node.get_service_names_and_types()))
        child, output = self._run(tool, *arguments)

        def shows() -> bool:
            nonlocal child, output
            ended = child.poll() is not None
            shown = wanted in output.read_text(encoding='utf-8')
            if ended and not shown:
                child, output = self._run(tool, *arguments)
            return shown

        wait_until(shows, lambda: output.read_text(encoding='utf-8'), look_s=0.1)
        return output

    def _run(self, tool: str, *arguments: str) -> tuple[subprocess.Popen[bytes], Path]:
        output = self._folder / f'{tool}{len(self.children)}.txt'
        code = f'from py_trees_ros.programs import {tool}; {tool}.main()'
        with output.open('wb') as file:
            command = [sys.executable, '-c', code, *arguments]
            child = WarmPopen(command, stdout=file, stderr=subprocess.STDOUT)
        self.children.append(child)
        return child, output

    def end(self) -> None:
        for child in reversed(self.children):
            child.send_signal(signal.SIGINT)
            try:
                child.wait(10.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@pytest.fixture
def graph() -> Iterator[Node]:
    """A node that sees what is there."""
    with own_context() as context:
        node = Node('onlooker', context=context)
        yield node
        node.destroy_node()


@pytest.fixture(params=['ours', 'py_trees_ros'])
def watched(request: pytest.FixtureRequest, graph: Node, tmp_path: Path) -> Iterator[Watched]:
    modules = ['-m', 'bt_executive.ros.executive_node']
    it = Watched(graph, tmp_path, ['-c', OURS_ALONE] if request.param == 'ours' else modules)
    yield it
    it.end()


def test_the_tree_watcher_shows_the_tree_and_outlives_a_restart(watched: Watched) -> None:
    output = watched.watch('tree_watcher', 'waiting for a goal', '-b', '-s')
    wait_until(lambda: 'Interval' in output.read_text(encoding='utf-8'))
    shown = output.read_text(encoding='utf-8')
    assert 'Pursue the goal' in shown
    assert '/mode' in shown
    watched.executive.kill()
    watched.executive.wait()
    known = output.read_text(encoding='utf-8').count('waiting for a goal')
    watched.start()
    wait_until(lambda: output.read_text(encoding='utf-8').count('waiting for a goal') > known + 1)


def test_the_blackboard_watcher_lists_and_shows(watched: Watched) -> None:
    watched.watch('blackboard_watcher', '/pose', '--list')
    watched.watch('blackboard_watcher', 'IDLE')
