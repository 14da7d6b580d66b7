"""The words in a message of a model, and how it ended. Light: its class is not imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

REASONING = 'reasoning_content'  # where langchain keeps what a model thought
REFUSAL = 'refusal'  # where langchain keeps that a model refused, of OpenAI's protocol
ENDINGS = ('finish_reason', 'stop_reason', 'done_reason')
_REFUSALS = ('refusal', 'content_filter')
_CUT_OFF = ('length', 'max_tokens', 'model_length', 'model_context_window_exceeded')
_WITH_CALLS = ('tool_calls', 'tool_use', 'function_call')  # how a message ends that holds some
_REGULAR = (*_WITH_CALLS[:2], 'stop', 'end_turn')  # by the model itself
_REASONING_BLOCKS = ('thinking', 'reasoning')
# Reasoning that a server leaves in the text: of some templates the first tag is missing.
_THINKING = re.compile(r'<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)', re.DOTALL | re.IGNORECASE)
_END_OF_THINKING = re.compile(r'\A.*</think(?:ing)?>', re.DOTALL | re.IGNORECASE)


def text_of(message: BaseMessage) -> str:
    """The text of a message, in any provider's format; or that of its refusal."""
    if isinstance(message.content, str):
        return message.content or str(message.additional_kwargs.get(REFUSAL) or '')
    blocks = (block if isinstance(block, dict) else {'text': block} for block in message.content)
    return ''.join(str(block.get('text') or '') for block in blocks)


def answer_of(message: BaseMessage) -> str:
    """The text of a message without the reasoning in it."""
    return _END_OF_THINKING.sub('', _THINKING.sub('', text_of(message)))


def reasoning_of(message: BaseMessage) -> str:
    """What a model thought before it spoke, whichever way the provider packs it."""
    loose = message.additional_kwargs.get(REASONING)
    if isinstance(loose, str):
        return loose
    if isinstance(message.content, str):
        return ''
    blocks = [each for each in message.content if isinstance(each, dict)]
    thoughts = [each for each in blocks if each.get('type') in _REASONING_BLOCKS]
    return ''.join(str(each.get('thinking') or each.get('reasoning') or '') for each in thoughts)


def reports_ending(message: BaseMessage) -> bool:
    """Whether the message has a finish reason."""
    return bool(ending_of(message))


def announces_calls(message: BaseMessage) -> bool:
    """Whether the finish reason announces calls."""
    return ending_of(message) in _WITH_CALLS


def ends_regularly(message: BaseMessage) -> bool:
    """Whether the message ended as one does whose calls are meant, and are all there."""
    return ending_of(message) in _REGULAR


def ending_of(message: BaseMessage) -> str:
    """The finish reason, as the provider has it; empty if there is none."""
    values = (message.response_metadata.get(key) for key in ENDINGS)
    return next((str(each) for each in values if each), '')


def is_refusal(message: BaseMessage) -> bool:
    """Whether the model, or a filter of its provider, refused to answer."""
    return bool(message.additional_kwargs.get(REFUSAL)) or ending_of(message) in _REFUSALS


def is_cut_off(message: BaseMessage) -> bool:
    """Whether the message ended at the limit of its tokens."""
    return ending_of(message) in _CUT_OFF
