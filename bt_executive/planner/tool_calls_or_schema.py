"""Decides whether a model proposes by tool calls or by an answer held to a schema; learns it.

A server that keeps its model to a schema can then produce no call of another tool and none with
missing or unknown arguments. Bounds that its grammar cannot hold are the guards' affair, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.answer_schema import answer_schema, is_open
from bt_executive.planner.call_arguments import read_call_arguments
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import is_refusal
from rover_common.llm.model_source import ModelSource
from rover_common.llm.structured_output import (
    ConstrainedModel,
    constrain_to_schema,
    supports_schema,
)

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

Setting = Literal['auto', 'always', 'never']
MOST_IN_VAIN = 2  # messages in a row of which none could be used


class ProposalForm:
    """What is known of one model, shared by all goals of a planner.

    With `auto` it begins with tool calls, unless the start's probe found that the model has none.
    It changes to the schema when messages cannot be used in a row, and back, for good, if the
    server refuses schemas or does not keep the model to them.

    Args:
        setting: `planner.constrained`.
        source: The model's provider.
        tell: Takes a sentence for the trace, and whether it is good news.
    """

    def __init__(
        self, setting: Setting, source: ModelSource, tell: Callable[[str, bool], None]
    ) -> None:
        self._source, self._tell = source, tell
        self._learns = setting == 'auto' and supports_schema(source.name)
        self.is_constrained = setting == 'always' and supports_schema(source.name)
        self._bounds = source.takes_bounds
        self._has_called = not source.is_ones_own  # whether its model was seen to call tools
        self._in_vain = 0  # messages in a row of the present form
        if self._learns and source.calls_tools is False:
            self._constrain('its template has no tool calls')

    def hold(self, toolset: Sequence[ToolOffer]) -> ConstrainedModel:
        """Return the model, held to one call of the toolset or words."""
        schema = answer_schema(toolset, self._bounds)
        strict = not any(is_open(each.args_schema) for each in toolset)
        return constrain_to_schema(self._source.model, self._source.name, schema, strict)

    def wants_trial(self, message: AIMessage) -> bool:
        """Return whether words came of a model that was never seen to call a tool."""
        undecided = self._learns and not self.is_constrained and not self._has_called
        return undecided and not _calls_in(message) and not is_refusal(message)

    def end_trial(self, message: AIMessage | None) -> None:
        """Apply what came of the same question with the schema; None: nothing that is usable."""
        if message is None:
            self._give_up('a schema was tried, and its answer did not keep to it')
        elif _calls_in(message):
            self._constrain('it answered in words where a schema brought a call')

    def update(self, message: AIMessage, offered: Collection[str]) -> None:
        """Apply a message that can be used, or holds calls that the tree will refuse."""
        calls = _calls_in(message)
        usable = [
            each for each in calls if each[0] in offered and not read_call_arguments(each[1]).fault
        ]
        if calls and not usable:
            self._count('its calls cannot be used')
            return
        self._in_vain = 0
        self._has_called = self._has_called or bool(calls and not self.is_constrained)

    def change_after(self, fault: ModelError) -> bool:
        """Apply a fault; return whether the next try asks in another form."""
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

    def _count(self, why: str) -> None:
        self._in_vain += 1
        if not self._learns or self._in_vain < MOST_IN_VAIN:
            return
        if self.is_constrained:
            self._give_up('its answers do not keep to the schema')
        else:
            self._constrain(why)

    def _constrain(self, why: str) -> None:
        self.is_constrained, self._in_vain = True, 0
        self._tell(
            f'The model of {self._source.name} is held to a schema from now on (one call, or '
            f'words): {why}.',
            True,
        )

    def _give_up(self, why: str) -> None:
        self.is_constrained, self._learns, self._in_vain = False, False, 0
        self._tell(
            f'The model of {self._source.name} is asked for tool calls, not held to a schema: '
            f'{self._source.hide(why)}',
            False,
        )


def has_calls(message: AIMessage) -> bool:
    """Return whether a message calls anything."""
    return bool(_calls_in(message))


def _calls_in(message: AIMessage) -> list[tuple[str, Any]]:
    """Name and arguments of each call."""
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [(str(each['name'] or ''), each['args']) for each in calls]
