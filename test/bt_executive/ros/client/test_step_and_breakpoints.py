"""Breakpoints that a front end sets, against a node that has the executive's parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from two_nodes import TwoNodes, own_context

from bt_executive.client.front_end_events import ServiceReply, SteppingReceived
from bt_executive.ros.client.service_and_parameter_calls import ChangeableParameters
from bt_executive.ros.client.step_and_breakpoints import Stepping

pytestmark = pytest.mark.ros


class Stage(TwoNodes):
    """An executive's parameters, and who sets them."""

    def __init__(self, context: rclpy.Context) -> None:
        super().__init__(context, 'stepping')
        self.served.declare_parameter('approval.step', False)
        self.served.declare_parameter('approval.break_at', ['speak'])
        self.seen: list[Any] = []
        parameters = ChangeableParameters(self.console, 'executive')
        self.stepping = Stepping(parameters, self.seen.append)
        clients = parameters._get, parameters._set
        self.until(lambda: all(each.service_is_ready() for each in clients), 'the services')

    @property
    def answers(self) -> list[ServiceReply]:
        return [each for each in self.seen if isinstance(each, ServiceReply)]


@pytest.fixture
def stage() -> Iterator[Stage]:
    with own_context() as context:
        yield Stage(context)


def test_breakpoints_that_are_asked_for_at_once_are_all_set(stage: Stage) -> None:
    for name in ('wait', 'mast_closed', 'speak', ''):  # as several pages may ask
        stage.stepping.toggle_breakpoint(name)
    stage.until(lambda: len(stage.answers) == 4, 'an answer to each')
    assert [each.text for each in stage.answers] == [
        'Breakpoints: speak, wait.',
        'Breakpoints: speak, wait, mast_closed.',
        'Breakpoints: wait, mast_closed.',
        'Breakpoints: wait, mast_closed.',
    ]
    kept = stage.served.get_parameter('approval.break_at').value
    assert list(kept) == ['wait', 'mast_closed']
    last = SteppingReceived(False, ('wait', 'mast_closed'))
    stage.until(lambda: last in stage.seen, 'it is read back')


def test_one_that_is_refused_does_not_hold_up_the_next(stage: Stage) -> None:
    stage.served.undeclare_parameter('approval.break_at')
    for name in ('wait', ''):
        stage.stepping.toggle_breakpoint(name)
    stage.until(lambda: len(stage.answers) == 2, 'an answer to each')
    assert not stage.answers[0].ok
