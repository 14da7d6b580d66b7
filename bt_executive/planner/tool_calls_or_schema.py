"""Decides whether a model proposes by tool calls or by answers constrained to a schema.

A server that constrains its model to a schema can produce no call of another tool, and none with
missing or unknown arguments. Bounds beyond its grammar are checked by the guards, as always.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.model_message_reading import calls_in, read_call_arguments
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import is_refusal
from rover_common.llm.model_source import ModelSource
from rover_common.llm.providers.catalogue import LOCAL

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable

ConstrainedModel: TypeAlias = 'Runnable[Any, BaseMessage]'
NAME = 'next'  # servers require one
COMPACT = {'x-guidance': {'whitespace_flexible': False}}  # half the tokens of an answer


def constrain_to_schema(
    model: BaseChatModel, provider: str, schema: Mapping[str, Any], strict: bool
) -> ConstrainedModel:
    """Return the model with the request for JSON of this schema.

    By the body of the request, not by langchain's `with_structured_output`: that one reads the
    answer by itself, and what it cannot read is lost. `strict`: every object of it is closed.
    """
    if provider == 'ollama':
        return model.bind(format=dict(schema))
    if provider == LOCAL:
        return model.bind(extra_body={'grammar': _guidance(schema)})
    if provider == 'anthropic':
        form = {'type': 'json_schema', 'schema': schema}
        return model.bind(extra_body={'output_config': {'format': form}})
    form = {
        'type': 'json_schema',
        'json_schema': {'name': NAME, 'strict': strict, 'schema': schema},
    }
    return model.bind(extra_body={'response_format': form})


def _guidance(schema: Mapping[str, Any]) -> str:
    """Return the schema as a grammar of llguidance, which our own llama.cpp is built with.

    It holds limits of decimal numbers, too; what llama.cpp makes of `response_format` does not.
    """
    return f'%llguidance {{}}\nstart: %json {json.dumps({**schema, **COMPACT})}'


Setting = Literal['auto', 'always', 'never']
MOST_UNUSABLE = 2  # messages in a row


class ProposalForm:
    """The form of one model's proposals, shared by all goals of a planner.

    With `auto` it starts with tool calls, unless the probe at the start found that the model has
    none. It changes to the schema after unusable messages in a row, and back, permanently, if the
    server refuses schemas or does not enforce them.

    Args:
        setting: `planner.constrained`.
        source: The model's provider.
        notify: Receives a sentence for the trace, and whether it is ok.
    """

    def __init__(
        self, setting: Setting, source: ModelSource, notify: Callable[[str, bool], None]
    ) -> None:
        self._source, self._notify = source, notify
        self._learns = setting == 'auto' and source.is_served
        self.is_constrained = setting == 'always' and source.is_served
        self._bounds = source.is_ones_own
        self._has_called = not source.is_ones_own  # whether its model has called a tool
        self._unusable = 0  # messages in a row of the current form
        if self._learns and source.info.calls_tools is False:
            self._constrain('its template has no tool calls')

    def constrained(self, toolset: Sequence[ToolOffer]) -> ConstrainedModel:
        """Return the model, constrained to one call of the toolset or text."""
        # It imports langchain, which an executive without a goal has not loaded.
        from bt_executive.planner.constrained_answer import answer_schema, is_open

        schema = answer_schema(toolset, self._bounds)
        strict = not any(is_open(each.args_schema) for each in toolset)
        return constrain_to_schema(self._source.model, self._source.name, schema, strict)

    def wants_trial(self, message: AIMessage) -> bool:
        """Return whether a message is text of a model that has never called a tool."""
        undecided = self._learns and not self.is_constrained and not self._has_called
        return undecided and not calls_in(message) and not is_refusal(message)

    def end_trial(self, message: AIMessage | None) -> None:
        """Apply the message of a trial with the schema; None: it was unusable."""
        if message is None:
            self._give_up('a schema was tried, and its answer did not keep to it')
        elif calls_in(message):
            self._constrain('it answered in words where a schema brought a call')

    def update(self, message: AIMessage, offered: Collection[str]) -> None:
        """Apply a usable message, or one with calls that the tree will refuse."""
        calls = calls_in(message)
        usable = [
            name
            for name, _, arguments in calls
            if name in offered and not read_call_arguments(arguments).fault
        ]
        if calls and not usable:
            self._count('its calls cannot be used')
            return
        self._unusable = 0
        self._has_called = self._has_called or bool(calls and not self.is_constrained)

    def change_after(self, fault: ModelError) -> bool:
        """Apply a fault; return whether the form has changed."""
        before = (self.is_constrained, self._bounds)
        if fault.refused:
            self._apply_refusal(fault)
        elif fault.unusable:
            self._count('it writes what is no call')
        return before != (self.is_constrained, self._bounds)

    def _apply_refusal(self, fault: ModelError) -> None:
        if self.is_constrained and self._bounds:
            self._bounds = False
        elif self.is_constrained and self._learns:
            self._give_up(f'its server refuses schemas: {fault.sentence}')
        elif not self.is_constrained and self._learns and 'tool' in fault.sentence.lower():
            self._constrain('its server refuses tools')

    def _count(self, reason: str) -> None:
        self._unusable += 1
        if not self._learns or self._unusable < MOST_UNUSABLE:
            return
        if self.is_constrained:
            self._give_up('its answers do not keep to the schema')
        else:
            self._constrain(reason)

    def _constrain(self, reason: str) -> None:
        self.is_constrained, self._unusable = True, 0
        self._notify(
            f'The model of {self._source.name} is held to a schema from now on (one call, or '
            f'words): {reason}.',
            True,
        )

    def _give_up(self, reason: str) -> None:
        self.is_constrained, self._learns, self._unusable = False, False, 0
        self._notify(
            f'The model of {self._source.name} is asked for tool calls, not held to a schema: '
            f'{self._source.hide(reason)}',
            False,
        )
