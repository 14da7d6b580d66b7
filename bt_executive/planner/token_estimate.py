"""Estimates the tokens of texts and conversations, and the rest of a model's context window.

No tokenizer is loaded: each model has its own. The estimate is above the count of the byte-pair
vocabularies in use, so that a request that fits by it fits the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
import re

from langchain_core.messages import AIMessage, BaseMessage

from bt_executive.planner.tool_result_text import compact_json

# Least characters per token of a run, measured with the small vocabulary of SmolLM2.
WORD, CAPITALS, NO_WORD, SIGNS = 4, 2, 1.5, 2
LONGEST_WORD = 20  # letters; a longer one is an id or noise
MARGIN = 1.1
_RUNS = re.compile(r'[A-Z]{2,}|[A-Za-z]+|[!-/:-@\[-`{-~]+|[^A-Za-z!-~ ]+|[0-9]+')
MESSAGE_TOKENS = 8  # of the template around each message
LARGEST_ANSWER = 4  # at most a fourth of the window is reserved for the answer


def tokens_of(text: str) -> int:
    """Return an upper estimate of the tokens of a text; a blank belongs to the next word."""
    return ceil(MARGIN * sum(map(_tokens_of_run, _RUNS.findall(text))))


def _tokens_of_run(run: str) -> int:
    """Return the tokens of a run of one kind of character; digits and other scripts by byte."""
    if not run.isascii() or run[0].isspace() or run[0].isdigit():
        return len(run.encode(errors='replace'))
    if not run.isalpha():
        return ceil(len(run) / SIGNS)
    long = len(run) > LONGEST_WORD
    return ceil(len(run) / (NO_WORD if long else CAPITALS if run.isupper() else WORD))


def tokens_of_messages(messages: Sequence[BaseMessage]) -> int:
    """Return an upper estimate of the tokens of a conversation."""
    return sum(
        MESSAGE_TOKENS + tokens_of(str(each.content)) + _tokens_of_calls(each) for each in messages
    )


def room_for_request(window: int, answer: int) -> int:
    """Return the tokens of a window that are left for the request."""
    return window - min(answer, window // LARGEST_ANSWER)


def _tokens_of_calls(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return sum(tokens_of(compact_json(dict(call))) for call in calls)
