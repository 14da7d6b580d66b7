"""A plug-in planner in the place of a model; its faults fail the goal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Any

from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    Notice,
    Planner,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    StreamChunk,
    ToolResult,
)
from bt_executive.plugins.checked_plugin_calls import (
    PluginFault,
    answer_text,
    call,
    call_to_end,
    deep_copy,
    json_object,
)
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import PLANNERS, Options
from rover_common.errors import ConfigError
from rover_common.llm.model_usage import ModelUse
from rover_common.text_sanitizing import printable, visible

LONGEST = 8000  # characters of each text, as of a model's answer


def plugged_planner(name: str, options: Options, wake: Callable[[], None]) -> Planner:
    """Return the installed planner of this name.

    Raises:
        ConfigError: There is none, it cannot be created, or it is no planner.
    """
    title, make = _title(name), load(PLANNERS, name)
    try:
        planner = call(title, make, deep_copy(options), wake)
        missing = call(title, _missing_methods, planner)
    except PluginFault as error:
        raise ConfigError(f'executive.yaml: planner.plugin: {error}.') from None
    if missing:
        raise ConfigError(
            f'executive.yaml: planner.plugin: {title} is {answer_text(title, planner)}, which has '
            f'no method {missing[0]}: let {name!r} return a Planner of '
            'bt_executive/core/executive_ports.py.'
        )
    return PluggedPlanner(name, planner, wake)


class PluggedPlanner:
    """A planner whose faults are failures of the goal; see `Planner`."""

    def __init__(self, name: str, planner: Planner, wake: Callable[[], None]) -> None:
        self._title, self._planner, self._wake = _title(name), planner, wake
        self._failure: PlannerFailure | None = None
        self._is_running = False

    def start(self, goal: str, context: PlannerContext) -> None:
        """Start a goal."""
        self._failure, self._is_running = None, True
        self._try(methodcaller('start', goal, context))

    def poll(self) -> PlannerOutput | None:
        """Return the next output, or a failure."""
        output = self._try(_poll) if self._is_running else None
        if self._failure is not None:
            output, self._failure = self._failure, None
        elif isinstance(output, _Odd):
            text = answer_text(self._title, output.given)
            output = self._give_up(f'{self._title} gave {text}, which is no output')
        elif isinstance(output, Proposal):
            output = self._as_json(output)
        if isinstance(output, (Answer, PlannerFailure)):
            self._is_running = False
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Pass a result to the planner."""
        self._try(methodcaller('give', result, barred))

    def cancel(self) -> None:
        """Cancel the goal."""
        self._is_running, self._failure = False, None
        self._end(methodcaller('cancel'))

    def news(self) -> tuple[PlannerNews, ...]:
        """Return the planner's events."""
        news = self._try(_news) or ()
        odd = next((each for each in news if isinstance(each, _Odd)), None)
        if odd is not None and self._is_running:
            text = answer_text(self._title, odd.given)
            self._failure = self._give_up(f'{self._title} gave {text}, which is no news')
            self._wake()
        return tuple(each for each in news if not isinstance(each, _Odd))

    def use(self) -> ModelUse:
        """Return the cost of the goal."""
        use = self._try(methodcaller('use'))
        return use if isinstance(use, ModelUse) and use.is_possible else ModelUse()

    def close(self, within_s: float = 0.0) -> None:
        """Release the planner's resources."""
        self._is_running = False
        self._end(methodcaller('close', within_s), within_s)

    def _try(self, function: Callable[[Planner], Any]) -> Any:
        try:
            return call(self._title, function, self._planner)
        except PluginFault as error:
            if self._is_running:
                self._failure = self._give_up(str(error))
                self._wake()
            return None

    def _as_json(self, proposal: Proposal) -> PlannerOutput:
        """Return a proposal with its arguments as JSON values."""
        try:
            arguments = call(self._title, json_object, proposal.arguments)
        except PluginFault as error:
            return self._give_up(str(error))
        if arguments is not None:
            return replace(proposal, arguments=arguments)
        text = answer_text(self._title, proposal.arguments)
        return self._give_up(f'{self._title} gave arguments that are no JSON object: {text}')

    def _give_up(self, reason: str) -> PlannerFailure:
        """End the goal, and cancel it in the plug-in."""
        self._is_running = False
        self._end(methodcaller('cancel'))
        return PlannerFailure(reason)

    def _end(self, function: Callable[[Planner], Any], more_s: float = 0.0) -> None:
        """Call the planner at the end of a goal, whose outcome a fault no longer changes."""
        with suppress(PluginFault):
            call_to_end(self._title, function, self._planner, more_s=more_s)


def _missing_methods(planner: Any) -> list[str]:
    """Return the methods of a planner that it does not have; reading them runs its code."""
    methods = [name for name in vars(Planner) if not name.startswith('_')]
    return [name for name in methods if not callable(getattr(planner, name, None))]


def _title(name: str) -> str:
    return f'The planner {name}'


@dataclass(frozen=True)
class _Odd:
    """What a plug-in gave and is not one of ours."""

    given: Any


def _poll(planner: Planner) -> PlannerOutput | _Odd | None:
    """Return the next output as one of ours; reading it runs code of the plug-in."""
    given: Any = planner.poll()
    match given:
        case None:
            return None
        case Proposal(call_id=str(), tool=str(), thought=str(), fault=str()):
            call_id, thought, fault = map(_text, (given.call_id, given.thought, given.fault))
            return Proposal(
                call_id, visible(given.tool[:LONGEST]), given.arguments, thought, fault
            )
        case Answer(text=str()):
            return Answer(_text(given.text))
        case PlannerFailure(reason=str()):
            return PlannerFailure(_text(given.reason))
    return _Odd(given)


def _news(planner: Planner) -> tuple[PlannerNews | _Odd, ...]:
    """Return the events as ours; reading them runs code of the plug-in."""
    given: Any = planner.news()
    return tuple(map(_event, given)) if isinstance(given, tuple) else ()


def _event(given: Any) -> PlannerNews | _Odd:
    match given:
        case Notice(sentence=str(), ok=bool()):
            return Notice(_text(given.sentence), given.ok)
        case StreamChunk(kind='text' | 'reasoning' | 'call' | 'end', text=str()):
            return StreamChunk(given.kind, _text(given.text))
    return _Odd(given)


def _text(text: str) -> str:
    """Return a text that every file and message takes."""
    return printable(text[:LONGEST])
