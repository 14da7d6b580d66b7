"""A planner of installed code in the place of a model: what goes wrong in it fails the goal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
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
from bt_executive.plugins.contained import PluginFault, call, copied
from bt_executive.plugins.installed import load
from bt_executive.plugins.plugin_ports import PLANNERS, Options
from rover_common.errors import ConfigError
from rover_common.llm.usage import ModelUse


def plugged_planner(name: str, options: Options, wake: Callable[[], None]) -> Planner:
    """Returns the installed planner of this name.

    Raises:
        ConfigError: There is none, or it cannot be made.
    """
    make = load(PLANNERS, name)
    try:
        return PluggedPlanner(name, call(f'planner {name}', make, copied(options), wake), wake)
    except PluginFault as error:
        raise ConfigError(f'executive.yaml: planner.plugin: {error}.') from None


class PluggedPlanner:
    """A planner whose faults are failures of the goal; see `Planner`."""

    def __init__(self, name: str, planner: Planner, wake: Callable[[], None]) -> None:
        self._title, self._planner, self._wake = f'The planner {name}', planner, wake
        self._failure: PlannerFailure | None = None
        self._under_way = False

    def start(self, goal: str, context: PlannerContext) -> None:
        """Begins a goal."""
        self._failure, self._under_way = None, True
        self._try(lambda: self._planner.start(goal, context))

    def poll(self) -> PlannerOutput | None:
        """Returns the next output, or why there is none."""
        output = self._try(self._planner.poll) if self._under_way else None
        if self._failure is not None:
            output, self._failure = self._failure, None
        elif not (output is None or _is_output(output)):
            output = self._give_up(f'{self._title} gave {output!r:.80}, which is no output')
        if isinstance(output, (Answer, PlannerFailure)):
            self._under_way = False
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Hands over a result."""
        self._try(lambda: self._planner.give(result, barred))

    def cancel(self) -> None:
        """Gives the goal up."""
        self._under_way, self._failure = False, None
        self._try(self._planner.cancel)

    def news(self) -> tuple[PlannerNews, ...]:
        """Returns what the planner has said."""
        news = self._try(self._planner.news)
        return news if isinstance(news, tuple) else ()

    def use(self) -> ModelUse:
        """Returns what the goal has cost."""
        use = self._try(self._planner.use)
        return use if isinstance(use, ModelUse) else ModelUse()

    def close(self, within_s: float = 0.0) -> None:
        """Frees what it has."""
        self._under_way = False
        self._try(lambda: self._planner.close(within_s))

    def _try(self, function: Callable[[], Any]) -> Any:
        try:
            return call(self._title, function)
        except PluginFault as error:
            if self._under_way:
                self._failure = self._give_up(str(error))
                self._wake()
            return None

    def _give_up(self, reason: str) -> PlannerFailure:
        """The goal ends, and with it what the plug-in has begun for it."""
        self._under_way = False
        with suppress(PluginFault):  # it has failed already, which is said
            call(self._title, self._planner.cancel)
        return PlannerFailure(reason)


def _is_output(output: Any) -> bool:
    match output:
        case Proposal(call_id=str(), tool=str(), thought=str(), fault=str()):
            return isinstance(output.arguments, dict)
        case Answer(text=str()) | PlannerFailure(reason=str()):
            return True
    return False
