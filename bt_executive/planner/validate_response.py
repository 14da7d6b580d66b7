"""Whether a whole message of a model can be used; if not, what to tell the model."""

from __future__ import annotations

from collections.abc import Collection

from langchain_core.messages import AIMessage

from bt_executive.planner.calls_as_text import is_call_as_text
from rover_common.llm.message_text import answer_of, is_cut_off, is_refusal, tells_end
from rover_common.llm.model_errors import ModelError
from rover_common.llm.sanitize import is_blank


def validate_response(message: AIMessage, offered: Collection[str], must_tell_end: bool) -> None:
    """Raises a `ModelError` if neither a call nor an answer nor a refusal is in the message.

    It has a hint if the fault is the model's own.
    """
    if must_tell_end and not tells_end(message):
        raise ModelError('The answer of the model broke off half way.', out_of_order=True)
    if message.tool_calls or message.invalid_tool_calls or is_refusal(message):
        return
    if is_cut_off(message):
        raise ModelError(
            'The answer was cut off at planner.max_answer_tokens, which counts reasoning, too: '
            'raise it, or have the model think less.',
            hint='Your last message was too long and was cut off. Call one tool, or answer the '
            'goal in a few words.',
        )
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
