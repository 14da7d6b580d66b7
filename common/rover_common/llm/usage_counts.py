"""The counts of tokens in a model's answer: whole numbers that can be, or none.

The client libraries add them up unseen: a text breaks off the answer, and a negative number would
give a budget back what it has spent.
"""

from __future__ import annotations

from typing import Any

MOST_TOKENS = 10**9  # of one call; no model has as many
MARKS = (b'"usage"', b'eval_count"', b'_duration"')  # of an answer that may hold counts
_NESTED = ('_details', 'cache_creation')


def is_count(value: Any) -> bool:
    """Return whether a value can be a count of tokens."""
    return type(value) is int and 0 <= value <= MOST_TOKENS


def drop_odd_counts(answer: dict[str, Any]) -> bool:
    """Remove from an answer, in place, what is no count; return whether there was any.

    The answer is one of OpenAI's, Anthropic's or Ollama's protocol, whole or an event of a stream.
    """
    inner = answer.get('message')
    holders = [answer, inner] if isinstance(inner, dict) else [answer]
    odd = [name for name, value in answer.items() if not _belongs_to_ollama(name, value)]
    for name in odd:
        del answer[name]
    in_usage = [_drop_from_usage(each) for each in holders]  # of each
    return any(in_usage) or bool(odd)


def _belongs_to_ollama(name: str, value: Any) -> bool:
    if name.endswith('_duration'):
        return type(value) is int
    return not name.endswith('eval_count') or is_count(value)


def _drop_from_usage(holder: dict[str, Any]) -> bool:
    usage = holder.get('usage')
    if usage is None:
        return False
    if not isinstance(usage, dict):
        holder['usage'] = {}  # the libraries do not expect that there is none
        return True
    return _drop_from(usage)


def _drop_from(counts: dict[str, Any]) -> bool:
    odd = [name for name, value in counts.items() if not _belongs(name, value)]
    for name in odd:
        del counts[name]
    inner = [_drop_from(each) for each in counts.values() if isinstance(each, dict)]
    return any(inner) or bool(odd)


def _belongs(name: str, value: Any) -> bool:
    if name.endswith(_NESTED):
        return value is None or isinstance(value, dict)
    return value is None or not name.endswith('_tokens') or is_count(value)
