"""A node with a thread of its own: how it ends."""

from __future__ import annotations

from collections.abc import Iterator
import threading

import pytest
from waiting import LIMIT_S, wait_until

from bt_executive.ros.client import spinning_node
from bt_executive.ros.client.spinning_node import SpinningNode

pytestmark = pytest.mark.ros
NAME = 'visitor'


def thread() -> threading.Thread | None:
    return next((each for each in threading.enumerate() if each.name == NAME), None)


@pytest.fixture
def faults() -> list[BaseException]:
    return []


@pytest.fixture
def spinning(faults: list[BaseException]) -> Iterator[SpinningNode]:
    node = SpinningNode(NAME, '/visitor', [], faults.append)
    node.start()
    yield node
    left = thread()
    if left is not None:
        node.close()
        left.join()


def test_nobody_spins_the_executor_any_more_when_it_is_shut_down(
    spinning: SpinningNode, faults: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spinning_node, 'CLOSE_LIMIT_S', LIMIT_S)
    threads: list[threading.Thread | None] = []
    monkeypatch.setattr(spinning.executor, 'shutdown', lambda: threads.append(thread()))
    spinning.close()
    assert (threads, faults) == ([None], [])


def test_a_thread_that_does_not_end_is_left_and_its_fault_is_not_told(
    spinning: SpinningNode, faults: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spinning_node, 'CLOSE_LIMIT_S', 0.01)
    hangs, over = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        over.wait()
        raise RuntimeError('too late')

    spinning.executor.create_task(hang)
    wait_until(hangs.is_set, 'it hangs')
    left = thread()
    spinning.close()
    assert left is not None
    assert left.is_alive()
    over.set()
    left.join()
    assert faults == []
