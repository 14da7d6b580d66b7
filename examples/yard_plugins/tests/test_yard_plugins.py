"""The contract of each plug-in, and what is its own. `pytest examples/yard_plugins` runs it."""

from __future__ import annotations

import math

import pytest
from yard_plugins.fixed_steps import FixedSteps
from yard_plugins.inside_yard import inside_yard
from yard_plugins.settle import Settle

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    Proposal,
    ToolResult,
)
from bt_executive.plugins.contract_tests import (
    BehaviourContract,
    GuardContract,
    PlannerContract,
    ReducerContract,
)
from bt_executive.plugins.plugin_interfaces import Done, Failed, PluginContext

YARD = {'x': [0.0, 10.0], 'y': [-2.0, 2.0]}


class TestInsideYard(GuardContract):
    name = 'inside_yard'
    options = YARD

    @pytest.mark.parametrize(
        ('x', 'y', 'wanted'), [(5, 0, True), (10, 2, True), (11, 0, False), (5, math.nan, False)]
    )
    def test_a_place_is_inside_or_not(self, x: float, y: float, wanted: bool) -> None:
        assert inside_yard(PluginContext(arguments={'x': x, 'y': y}), YARD) is wanted


class TestMedian(ReducerContract):
    name = 'median'
    examples = (([3.0, 1.0, 100.0], 3.0), ([1.0, math.nan, 2.0], 1.5), ([math.inf], None))


class TestSettle(BehaviourContract):
    name = 'settle'
    options = {'part': 'gripper', 'at_most_s': 5.0}
    arguments = {'seconds': 1.0}

    def test_it_waits_until_the_value_stays(self) -> None:
        settle = Settle()
        settle.start(PluginContext(arguments={'seconds': 1.0}), self.options)
        values = [(0.0, 'open'), (0.9, 'closed'), (1.8, 'closed'), (1.95, 'closed')]
        answers = [settle.update(PluginContext({'gripper': v}, now_s=at)) for at, v in values]
        assert answers == [None, None, None, Done({'gripper': 'closed'})]

    def test_an_unknown_value_does_not_settle(self) -> None:
        settle = Settle()
        settle.start(PluginContext(arguments={'seconds': 1.0}), self.options)
        assert settle.update(PluginContext(now_s=4.0)) is None
        assert isinstance(settle.update(PluginContext(now_s=5.0)), Failed)


class TestFixedSteps(PlannerContract):
    name = 'fixed_steps'
    options = {'steps': [{'tool': 'speak', 'arguments': {'text': 'hello'}}]}

    @pytest.mark.parametrize(('ok', 'kind'), [(True, Answer), (False, PlannerFailure)])
    def test_after_a_restart_it_goes_on_from_what_was_done(self, ok: bool, kind: type) -> None:
        planner = FixedSteps(self.options, lambda: None)
        before = (Proposal('step-0', 'speak', {'text': 'hello'}), ToolResult(ok, 'RESTARTED'))
        planner.start('go', PlannerContext((), history=(before,)))
        assert isinstance(planner.poll(), kind)
