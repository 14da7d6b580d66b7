"""Since when a run counts, asked of a node that has the executive's parameter, or has it not."""

from __future__ import annotations

from collections.abc import Iterator
import time
from typing import Any

import pytest
import rclpy
from rclpy.parameter import Parameter
from two_nodes import TwoNodes, own_context

from bt_executive.client.front_end_events import RunStarted
from bt_executive.ros.client.executive_presence import PARAMETER, RunBeganQuestion
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters

pytestmark = pytest.mark.ros


class Stage(TwoNodes):
    """An executive without the parameter, and who asks for it."""

    def __init__(self, context: rclpy.Context) -> None:
        super().__init__(context, 'run_began')
        self.seen: list[Any] = []
        parameters = NodeParameters(self.console, 'executive')
        self.question = RunBeganQuestion(parameters, self.seen.append)

    def turn(self) -> None:
        self.question.update(time.monotonic())
        super().turn()


@pytest.fixture
def stage() -> Iterator[Stage]:
    with own_context() as context:
        yield Stage(context)


def test_it_is_asked_once_of_each_executive(stage: Stage) -> None:
    stage.served.declare_parameter(PARAMETER, 90.0)
    stage.until(lambda: stage.seen, 'the begin of the run')
    for _ in range(10):
        stage.turn()
    assert stage.seen == [RunStarted(90.0)]
    stage.question.forget()
    stage.until(lambda: len(stage.seen) == 2, 'it is asked again')
    assert stage.seen[1] == RunStarted(90.0)


@pytest.mark.parametrize('value', [None, 'yesterday'])
def test_an_executive_that_does_not_know_it_says_nothing(stage: Stage, value: Any) -> None:
    if value is not None:
        stage.served.declare_parameter(PARAMETER, value)
    stage.until(lambda: stage.question._is_answered, 'an answer')
    assert stage.seen == []


def test_a_late_answer_of_the_executive_before_is_none_of_the_next(stage: Stage) -> None:
    stage.served.declare_parameter(PARAMETER, 90.0)
    stage.until(lambda: stage.question._asked is not None, 'it is asked')
    late = stage.question._asked
    stage.question.forget()
    stage.served.set_parameters([Parameter(PARAMETER, value=120.0)])
    stage.until(lambda: stage.seen, 'the begin of the next run')
    assert late is not None
    assert not late.done()
    assert stage.seen == [RunStarted(120.0)]
