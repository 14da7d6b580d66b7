"""A planner of installed code in the place of a model: what goes wrong in it fails the goal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from operator import methodcaller
from typing import Any

from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    Planner,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.plugins.checked_plugin_answers import answer_text, deep_copy, json_object
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import PLANNERS, Options
from bt_executive.plugins.plugin_thread import PluginFault, call, call_to_end
from rover_common.errors import ConfigError
from rover_common.llm.model_usage import ModelUse


def plugged_planner(name: str, options: Options, wake: Callable[[], None]) -> Planner:
    """Returns the installed planner of this name.

    Raises:
        ConfigError: There is none, or it cannot be made.
    """
    make = load(PLANNERS, name)
    try:
        return PluggedPlanner(name, call(_title(name), make, deep_copy(options), wake), wake)
    except PluginFault as error:
        raise ConfigError(f'executive.yaml: planner.plugin: {error}.') from None


class PluggedPlanner:
    """A planner whose faults are failures of the goal; see `Planner`."""

    def __init__(self, name: str, planner: Planner, wake: Callable[[], None]) -> None:
        self._title, self._planner, self._wake = _title(name), planner, wake
        self._failure: PlannerFailure | None = None
        self._under_way = False

    def start(self, goal: str, context: PlannerContext) -> None:
        """Begins a goal."""
        self._failure, self._under_way = None, True
        self._try(methodcaller('start', goal, context))

    def poll(self) -> PlannerOutput | None:
        """Returns the next output, or why there is none."""
        output = self._try(methodcaller('poll')) if self._under_way else None
        if self._failure is not None:
            output, self._failure = self._failure, None
        elif not (output is None or _is_output(output)):
            gave = answer_text(self._title, output)
            output = self._give_up(f'{self._title} gave {gave}, which is no output')
        elif isinstance(output, Proposal):
            output = self._plain(output)
        if isinstance(output, (Answer, PlannerFailure)):
            self._under_way = False
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Hands over a result."""
        self._try(methodcaller('give', result, barred))

    def cancel(self) -> None:
        """Gives the goal up."""
        self._under_way, self._failure = False, None
        self._end(methodcaller('cancel'))

    def news(self) -> tuple[PlannerNews, ...]:
        """Returns what the planner has said."""
        news = self._try(methodcaller('news'))
        return news if isinstance(news, tuple) else ()

    def use(self) -> ModelUse:
        """Returns what the goal has cost."""
        use = self._try(methodcaller('use'))
        return use if isinstance(use, ModelUse) and use.is_possible else ModelUse()

    def close(self, within_s: float = 0.0) -> None:
        """Frees what it has."""
        self._under_way = False
        self._end(methodcaller('close', within_s), within_s)

    def _try(self, function: Callable[[Planner], Any]) -> Any:
        try:
            return call(self._title, function, self._planner)
        except PluginFault as error:
            if self._under_way:
                self._failure = self._give_up(str(error))
                self._wake()
            return None

    def _plain(self, given: Proposal) -> PlannerOutput:
        """The proposal with arguments as JSON has them."""
        try:
            arguments = call(self._title, json_object, given.arguments)
        except PluginFault as error:
            return self._give_up(str(error))
        if arguments is not None:
            return replace(given, arguments=arguments)
        gave = answer_text(self._title, given.arguments)
        return self._give_up(f'{self._title} gave arguments that are no JSON object: {gave}')

    def _give_up(self, reason: str) -> PlannerFailure:
        """The goal ends, and with it what the plug-in has begun for it."""
        self._under_way = False
        self._end(methodcaller('cancel'))
        return PlannerFailure(reason)

    def _end(self, function: Callable[[Planner], Any], more_s: float = 0.0) -> None:
        """What goes wrong at the end of a goal changes nothing of it any more."""
        with suppress(PluginFault):
            call_to_end(self._title, function, self._planner, more_s=more_s)


def _title(name: str) -> str:
    return f'The planner {name}'


def _is_output(output: Any) -> bool:
    match output:
        case Proposal(call_id=str(), tool=str(), thought=str(), fault=str()):
            return True
        case Answer(text=str()) | PlannerFailure(reason=str()):
            return True
    return False
