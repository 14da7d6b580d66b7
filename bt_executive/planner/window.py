"""Whether a request fits into what a model can read and write, by a careful count of tokens.

No tokenizer is loaded: each model has its own. Texts are counted as more tokens than they have in
the byte-pair vocabularies in use, so that a request that fits by this count fits the model.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from bt_executive.planner.results import compact_json

LETTERS_PER_TOKEN = 3  # of words and blanks; English has 4 to 5
MESSAGE_TOKENS = 8  # of the template around each message
LARGEST_ANSWER = 4  # at most a fourth of the window is kept for the answer


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has at most: digits, signs and other scripts by byte."""
    plain = sum(each.isalpha() or each == ' ' for each in text if each.isascii())
    return -(-plain // LETTERS_PER_TOKEN) + len(text.encode(errors='replace')) - plain


def tokens_of_messages(messages: Sequence[BaseMessage]) -> int:
    """Return about how many tokens a conversation has at most."""
    return sum(
        MESSAGE_TOKENS + tokens_of(str(each.content)) + _tokens_of_calls(each) for each in messages
    )


def room_for_request(window: int, answer: int) -> int:
    """Return the tokens of a window that are left for the question."""
    return window - min(answer, window // LARGEST_ANSWER)


def _tokens_of_calls(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return sum(tokens_of(compact_json(dict(call))) for call in calls)
