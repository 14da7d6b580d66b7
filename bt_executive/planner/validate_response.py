"""Whether a whole message of a model can be used; if not, what to tell the model."""

from __future__ import annotations

from collections.abc import Collection
import json
import re

from langchain_core.messages import AIMessage

from rover_common.llm.message_text import text_of
from rover_common.llm.model_errors import ModelError

_ENDINGS = ('finish_reason', 'stop_reason', 'done_reason')
_FENCE = re.compile(r'^```\w*\s*|\s*```$')
_TAG = re.compile(r'^<\|?tool_call\|?>\s*|\s*</?\|?tool_call\|?>$')
_LONGEST_LOOK = 4000


def validate_response(message: AIMessage, offered: Collection[str], tells_end: bool) -> None:
    """Raises a `ModelError` with a hint if neither a call nor an answer is in the message."""
    if tells_end and not any(message.response_metadata.get(key) for key in _ENDINGS):
        raise ModelError('The answer of the model broke off half way.', out_of_order=True)
    if message.tool_calls or message.invalid_tool_calls:
        return
    words = text_of(message).strip()
    if not words:
        raise ModelError(
            'The model ended without a word and without a tool call.',
            hint='Your last message was empty. Call one tool, or answer the goal in words.',
        )
    if _is_call_in_words(words, offered):
        raise ModelError(
            'The model writes tool calls as text instead of calling tools; choose a model that '
            'can call tools.',
            hint='You wrote a tool call as text, which does nothing. Call the tool itself.',
        )


def _is_call_in_words(words: str, offered: Collection[str]) -> bool:
    """Whether the words are a JSON object that names an offered tool."""
    words = _FENCE.sub('', _TAG.sub('', words[:_LONGEST_LOOK].strip()))
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return False
    value = value[0] if isinstance(value, list) and value else value
    if not isinstance(value, dict):
        return False
    return any(str(value.get(key)) in offered for key in ('name', 'tool', 'function'))
