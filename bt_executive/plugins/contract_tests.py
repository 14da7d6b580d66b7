"""The contract of plug-ins, as pytest classes to derive from.

from bt_executive.plugins.contract_tests import GuardContract

class TestInsideYard(GuardContract):
    name = 'inside_yard'
    options = {'x': [0.0, 10.0], 'y': [0.0, 5.0]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
import threading
from typing import Any, ClassVar

from bt_executive.core.executive_ports import (
    Answer,
    Planner,
    PlannerContext,
    PlannerFailure,
    Proposal,
    ToolOffer,
    ToolResult,
)
from bt_executive.plugins.checked_plugin_calls import call, deep_copy
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import (
    BEHAVIOURS,
    GUARDS,
    PLANNERS,
    REDUCERS,
    Done,
    Failed,
    PluginBehaviour,
    PluginContext,
)

# What a guard or a behaviour gets before anything is known, and with unusual arguments.
EMPTY_CONTEXT = PluginContext()
UNUSUAL_CONTEXTS: Sequence[PluginContext] = (
    EMPTY_CONTEXT,
    PluginContext(parts={'part': None}, arguments={'x': None}),
    PluginContext(pose=(0.0, 0.0, 0.0), pose_age_s=1e9, battery_pct=0.0),
    PluginContext(
        pose=(math.nan, math.inf, 0.0), pose_age_s=0.0, tool='no_such_tool', running=True
    ),
    PluginContext(arguments={'x': 'text', 'y': [1, {}], 'text': 'x' * 100_000}, tool='strange'),
)
OUTPUT_TIMEOUT_S = 10.0  # of a planner


class _Contract:
    """`name`: of the plug-in's entry point. `options`: as in the robot's file."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Any]] = {}

    def _options(self) -> dict[str, Any]:
        return deep_copy(self.options)


class GuardContract(_Contract):
    """A guard answers at once, with True, False or None, and changes nothing.

    `asks_nothing`: set it for a guard that allows a tool in an empty context.
    """

    asks_nothing: ClassVar[bool] = False

    def _read(self, context: PluginContext) -> object:
        return call(self.name, load(GUARDS, self.name), context, self._options())

    def test_it_answers_in_every_context(self) -> None:
        """It raises nothing, and its answer is one of three."""
        for context in UNUSUAL_CONTEXTS:
            answer = self._read(context)
            assert answer is None or isinstance(answer, bool), f'{answer!r} for {context}'

    def test_it_does_not_allow_in_an_empty_context(self) -> None:
        """Unknown is never the good case."""
        assert self.asks_nothing or self._read(EMPTY_CONTEXT) is not True

    def test_the_same_context_has_the_same_answer(self) -> None:
        """It is stateless: it is called in any order, and again in a replay."""
        for context in (*UNUSUAL_CONTEXTS, *reversed(UNUSUAL_CONTEXTS)):
            assert self._read(context) is self._read(context)

    def test_it_changes_neither_context_nor_options(self) -> None:
        """Other guards read the same context."""
        guard, options = load(GUARDS, self.name), self._options()
        for context in UNUSUAL_CONTEXTS:
            before = repr(context)
            guard(context, options)
            assert repr(context) == before
        assert options == self.options


class ReducerContract(_Contract):
    """A reducer returns one value of a list, or None. `examples`: list → its value."""

    examples: ClassVar[Sequence[tuple[Sequence[Any], Any]]] = ()

    def _reduce(self, values: Sequence[Any]) -> Any:
        return call(self.name, load(REDUCERS, self.name), list(values))

    def test_its_examples_have_their_values(self) -> None:
        """There is at least one."""
        assert self.examples, 'name a list and its value in `examples`'
        for values, expected in self.examples:
            assert self._reduce(values) == expected, values

    def test_its_values_are_of_types_that_a_state_has(self) -> None:
        """Or None, which is not known."""
        for values, _ in self.examples:
            assert self._reduce(values) is None or isinstance(
                self._reduce(values), (bool, int, float, str)
            )

    def test_a_list_without_a_usable_entry_is_not_known(self) -> None:
        """Of NaN, which scanners send for no return: None, no finite number, or it raises."""
        try:
            value = self._reduce([math.nan])
        except Exception:  # which the executive treats as unknown
            return
        assert not isinstance(value, float) or not math.isfinite(value)


class BehaviourContract(_Contract):
    """A behaviour starts, runs, and can be stopped at any moment. `arguments`: of the call."""

    arguments: ClassVar[Mapping[str, Any]] = {}

    def _context(self, now_s: float) -> PluginContext:
        return PluginContext(
            tool='tool', arguments=deep_copy(self.arguments), running=True, now_s=now_s
        )

    def _started(self) -> PluginBehaviour:
        behaviour: PluginBehaviour = call(self.name, load(BEHAVIOURS, self.name))
        call(self.name, behaviour.start, self._context(0.0), self._options())
        return behaviour

    def test_it_goes_on_or_ends_with_a_result(self) -> None:
        """Each answer is one of three, and comes at once."""
        behaviour = self._started()
        for tick in range(100):
            answer = call(self.name, behaviour.update, self._context(tick * 0.1))
            assert answer is None or isinstance(answer, (Done, Failed)), repr(answer)
            if answer is not None:
                break
        call(self.name, behaviour.stop)

    def test_it_is_stopped_before_the_first_update(self) -> None:
        """A stop of the operator waits for nothing."""
        call(self.name, self._started().stop)

    def test_two_calls_share_no_state(self) -> None:
        """The second starts afresh after the first was stopped."""
        first = self._started()
        first_answer = call(self.name, first.update, self._context(0.0))
        call(self.name, first.stop)
        second_answer = call(self.name, self._started().update, self._context(0.0))
        assert type(second_answer) is type(first_answer)


class PlannerContract(_Contract):
    """A planner proposes one tool at a time and never blocks. `goal`: one that it can pursue."""

    goal: ClassVar[str] = 'say hello'
    tools: ClassVar[Sequence[str]] = ('speak',)

    def _make(self, ready: threading.Event) -> Planner:
        planner: Planner = call(self.name, load(PLANNERS, self.name), self._options(), ready.set)
        return planner

    def _start(self, planner: Planner) -> None:
        offers = tuple(ToolOffer(name, name, {'type': 'object'}, 1.0) for name in self.tools)
        call(self.name, planner.start, self.goal, PlannerContext(offers))

    def _output(self, planner: Planner, ready: threading.Event) -> object:
        while (output := call(self.name, planner.poll)) is None:
            is_ready = ready.wait(OUTPUT_TIMEOUT_S)
            assert is_ready, f'{self.name} has no output for {OUTPUT_TIMEOUT_S} s'
            ready.clear()
        return output

    def test_it_has_no_output_before_a_goal(self) -> None:
        """And none after the goal was cancelled."""
        planner = self._make(threading.Event())
        assert call(self.name, planner.poll) is None
        self._start(planner)
        call(self.name, planner.cancel)
        assert call(self.name, planner.poll) is None
        call(self.name, planner.close)

    def test_it_comes_to_an_end(self) -> None:
        """Proposals are answered, until it answers the goal or gives it up."""
        ready = threading.Event()
        planner = self._make(ready)
        self._start(planner)
        for _ in range(100):
            output = self._output(planner, ready)
            if isinstance(output, (Answer, PlannerFailure)):
                break
            assert isinstance(output, Proposal), repr(output)
            call(self.name, planner.give, ToolResult(ok=True), ())
        else:
            raise AssertionError(f'{self.name} proposed 100 tools and came to no end')
        call(self.name, planner.close)
