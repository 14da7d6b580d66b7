"""Tests without a marker start nothing: no process, no ROS graph. This plugin holds them to it."""

from __future__ import annotations

from collections.abc import Iterator
import sys
from typing import Any

import pytest
from rclpy.context import Context

MARKERS = ('ros', 'process', 'system')
# Of Python's audit events, those that precede a new process.
STARTS = frozenset(
    {'subprocess.Popen', 'os.fork', 'os.forkpty', 'os.posix_spawn', 'os.spawn', 'os.system'}
)
_running = ''  # the test without a marker that runs now


class ImpureError(AssertionError):
    """A test without a marker has started something."""


def _audit(event: str, _arguments: tuple[object, ...]) -> None:
    if _running and event in STARTS:
        raise ImpureError(f'{_running} starts a process ({event}): mark it `process`')


def _init(*arguments: Any, **more: Any) -> None:
    if _running:
        raise ImpureError(f'{_running} joins a ROS graph (rclpy.init): mark it `ros`')
    _init_of_rclpy(*arguments, **more)


_init_of_rclpy = Context.init
Context.init = _init
sys.addaudithook(_audit)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Watches a test and its fixtures, of whatever scope."""
    global _running
    if any(item.get_closest_marker(name) for name in MARKERS):
        return (yield)
    _running = item.nodeid
    try:
        return (yield)
    finally:
        _running = ''
