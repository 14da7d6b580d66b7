"""Since when a run counts, asked of a node that has the executive's parameter, or has it not."""

from __future__ import annotations

from collections.abc import Iterator
import itertools
import os
import time
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from waiting import wait_until

from bt_executive.client.front_end_events import RunBegan
from bt_executive.ros.client.run_began import PARAMETER, RunBeganQuestion

pytestmark = pytest.mark.ros
_names = itertools.count(os.getpid())


class Stage:
    """An executive without the parameter, and who asks for it."""

    def __init__(self, context: rclpy.Context) -> None:
        namespace = f'/run_began_{next(_names)}'
        self.executive = Node('executive', namespace=namespace, context=context)
        console = Node('console', namespace=namespace, context=context)
        self.seen: list[Any] = []
        self.question = RunBeganQuestion(console, self.seen.append)
        self._executor = SingleThreadedExecutor(context=context)
        for node in (self.executive, console):
            self._executor.add_node(node)

    def turn(self) -> None:
        self.question.update(time.monotonic())
        self._executor.spin_once(timeout_sec=0.02)

    def until(self, condition: Any, what: str) -> None:
        wait_until(condition, what, meanwhile=self.turn)


@pytest.fixture
def stage() -> Iterator[Stage]:
    context = rclpy.Context()
    rclpy.init(context=context)
    yield Stage(context)
    context.try_shutdown()


def test_it_is_asked_once_of_each_executive(stage: Stage) -> None:
    stage.executive.declare_parameter(PARAMETER, 90.0)
    stage.until(lambda: stage.seen, 'the begin of the run')
    for _ in range(10):
        stage.turn()
    assert stage.seen == [RunBegan(90.0)]
    stage.question.forget()
    stage.until(lambda: len(stage.seen) == 2, 'it is asked again')
    assert stage.seen[1] == RunBegan(90.0)


@pytest.mark.parametrize('value', [None, 0.0, 'yesterday'])
def test_an_executive_that_does_not_know_it_says_nothing(stage: Stage, value: Any) -> None:
    if value is not None:
        stage.executive.declare_parameter(PARAMETER, value)
    stage.until(lambda: stage.question._is_answered, 'an answer')
    assert stage.seen == []
