"""The contract of plug-ins, as tests for those who write one. pytest runs them.

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
from bt_executive.plugins.checked_plugin_answers import copied
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import (
    BEHAVIOURS,
    GUARDS,
    PLANNERS,
    REDUCERS,
    Done,
    Facts,
    Failed,
    PluginBehaviour,
)
from bt_executive.plugins.plugin_thread import call

# What a guard or a behaviour meets before anything is known, and when arguments are unusual.
NOTHING_KNOWN = Facts()
STRANGE: Sequence[Facts] = (
    NOTHING_KNOWN,
    Facts(parts={'part': None}, arguments={'x': None}),
    Facts(pose=(0.0, 0.0, 0.0), pose_age_s=1e9, battery_pct=0.0),
    Facts(pose=(math.nan, math.inf, 0.0), pose_age_s=0.0, tool='no_such_tool', running=True),
    Facts(arguments={'x': 'text', 'y': [1, {}], 'text': 'x' * 100_000}, tool='strange'),
)
PATIENCE_S = 10.0  # in which a planner says something


class _Contract:
    """What every plug-in is asked by: the name of its entry point, and options as in a file."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Any]] = {}

    def _options(self) -> dict[str, Any]:
        return copied(self.options)


class GuardContract(_Contract):
    """A guard answers at once, with True, False or None, and changes nothing.

    `asks_nothing`: set it for one that allows a tool when nothing at all is known.
    """

    asks_nothing: ClassVar[bool] = False

    def _read(self, facts: Facts) -> object:
        return call(self.name, load(GUARDS, self.name), facts, self._options())

    def test_it_answers_whatever_is_known(self) -> None:
        """It raises nothing, and its answer is one of three."""
        for facts in STRANGE:
            answer = self._read(facts)
            assert answer is None or isinstance(answer, bool), f'{answer!r} for {facts}'

    def test_what_is_not_known_is_not_the_good_case(self) -> None:
        """It does not allow a tool of which, and of the robot, nothing is known."""
        assert self.asks_nothing or self._read(NOTHING_KNOWN) is not True

    def test_the_same_facts_have_the_same_answer(self) -> None:
        """It keeps nothing: it is asked in any order, and again in a replay."""
        for facts in (*STRANGE, *reversed(STRANGE)):
            assert self._read(facts) is self._read(facts)

    def test_it_changes_neither_facts_nor_options(self) -> None:
        """Others read the same facts."""
        guard, options = load(GUARDS, self.name), self._options()
        for facts in STRANGE:
            before = repr(facts)
            guard(facts, options)
            assert repr(facts) == before
        assert options == self.options


class ReducerContract(_Contract):
    """A reducer makes one value of a list, or says None. `examples`: list → its value."""

    examples: ClassVar[Sequence[tuple[Sequence[Any], Any]]] = ()

    def _reduce(self, values: Sequence[Any]) -> Any:
        return call(self.name, load(REDUCERS, self.name), list(values))

    def test_its_examples_have_the_values_that_they_should(self) -> None:
        """It does what its author says."""
        assert self.examples, 'name a list and its value in `examples`'
        for values, wanted in self.examples:
            assert self._reduce(values) == wanted, values

    def test_its_values_are_of_types_that_a_state_has(self) -> None:
        """Or None, which is not known."""
        for values, _ in self.examples:
            assert self._reduce(values) is None or isinstance(
                self._reduce(values), (bool, int, float, str)
            )

    def test_a_list_without_a_usable_entry_is_not_known(self) -> None:
        """NaN is what scanners send where they saw nothing: None, no number, or it raises."""
        try:
            value = self._reduce([math.nan])
        except Exception:  # which the executive takes as not known
            return
        assert not isinstance(value, float) or not math.isfinite(value)


class BehaviourContract(_Contract):
    """A behaviour starts, goes on, and can be stopped at any moment. `arguments`: of a call."""

    arguments: ClassVar[Mapping[str, Any]] = {}

    def _facts(self, now_s: float) -> Facts:
        return Facts(tool='tool', arguments=copied(self.arguments), running=True, now_s=now_s)

    def _started(self) -> PluginBehaviour:
        made: PluginBehaviour = call(self.name, load(BEHAVIOURS, self.name))
        call(self.name, made.start, self._facts(0.0), self._options())
        return made

    def test_it_goes_on_or_ends_with_a_result(self) -> None:
        """Each answer is one of three, and comes at once."""
        made = self._started()
        for tick in range(100):
            answer = call(self.name, made.update, self._facts(tick * 0.1))
            assert answer is None or isinstance(answer, (Done, Failed)), repr(answer)
            if answer is not None:
                break
        call(self.name, made.stop)

    def test_it_is_stopped_before_the_first_update(self) -> None:
        """A stop of the operator waits for nothing."""
        call(self.name, self._started().stop)

    def test_two_calls_know_nothing_of_each_other(self) -> None:
        """The second begins anew after the first was stopped."""
        first = self._started()
        first_answer = call(self.name, first.update, self._facts(0.0))
        call(self.name, first.stop)
        assert type(call(self.name, self._started().update, self._facts(0.0))) is type(
            first_answer
        )


class PlannerContract(_Contract):
    """A planner proposes one tool at a time and never blocks. `goal`: one that it knows."""

    goal: ClassVar[str] = 'say hello'
    tools: ClassVar[Sequence[str]] = ('speak',)

    def _made(self, said: threading.Event) -> Planner:
        planner: Planner = call(self.name, load(PLANNERS, self.name), self._options(), said.set)
        return planner

    def _start(self, planner: Planner) -> None:
        offers = tuple(ToolOffer(each, each, {'type': 'object'}, 1.0) for each in self.tools)
        call(self.name, planner.start, self.goal, PlannerContext(offers))

    def _output(self, planner: Planner, said: threading.Event) -> object:
        while (output := call(self.name, planner.poll)) is None:
            assert said.wait(PATIENCE_S), f'{self.name} has said nothing for {PATIENCE_S} s'
            said.clear()
        return output

    def test_it_says_nothing_before_a_goal(self) -> None:
        """And nothing after it was cancelled."""
        planner = self._made(threading.Event())
        assert call(self.name, planner.poll) is None
        self._start(planner)
        call(self.name, planner.cancel)
        assert call(self.name, planner.poll) is None
        call(self.name, planner.close)

    def test_it_comes_to_an_end(self) -> None:
        """Proposals are answered, until it answers the goal or gives it up."""
        said = threading.Event()
        planner = self._made(said)
        self._start(planner)
        for _ in range(100):
            output = self._output(planner, said)
            if isinstance(output, (Answer, PlannerFailure)):
                break
            assert isinstance(output, Proposal), repr(output)
            call(self.name, planner.give, ToolResult(ok=True), ())
        else:
            raise AssertionError(f'{self.name} proposed 100 tools and came to no end')
        call(self.name, planner.close)
