"""Whether a whole message of a model can be used; if not, what to tell the model."""

from __future__ import annotations

from collections.abc import Collection

from langchain_core.messages import AIMessage

from bt_executive.planner.calls_as_text import is_call_as_text
from rover_common.llm.message_text import answer_of
from rover_common.llm.model_errors import ModelError
from rover_common.llm.sanitize import is_blank

_ENDINGS = ('finish_reason', 'stop_reason', 'done_reason')


def validate_response(message: AIMessage, offered: Collection[str], tells_end: bool) -> None:
    """Raises a `ModelError` with a hint if neither a call nor an answer is in the message."""
    if tells_end and not any(message.response_metadata.get(key) for key in _ENDINGS):
        raise ModelError('The answer of the model broke off half way.', out_of_order=True)
    if message.tool_calls or message.invalid_tool_calls:
        return
    words = answer_of(message)
    if is_blank(words):
        raise ModelError(
            'The model ended without a word and without a tool call.',
            hint='Your last message was empty. Call one tool, or answer the goal in words.',
        )
    if is_call_as_text(words, offered):
        raise ModelError(
            'The model writes tool calls as text instead of calling tools; choose a model that '
            'can call tools.',
            hint='You wrote a tool call as text, which does nothing. Call the tool itself.',
        )
