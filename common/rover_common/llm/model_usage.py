"""What model calls have cost, whether a budget allows another one, and which counts can be.

The client libraries add them up unseen: a text breaks off the answer, and a negative number would
give a budget back what it has spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import TYPE_CHECKING, Any

from rover_common.config.settings import Price
from rover_common.llm.model_message_text import text_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

MOST_TOKENS = 10**9  # of one call; no model has as many
MARKS = (b'"usage"', b'eval_count"', b'_duration"')  # of an answer that may hold counts
_TOKENS = ('input_tokens', 'output_tokens')  # of what langchain calls usage_metadata
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


@dataclass(frozen=True)
class ModelUse:
    """What calls have cost so far. Tokens are the provider's count; 0 where it reports none.

    `estimated_tokens`: a rough count of those that it did not report; it counts for a budget only.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    estimated_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens

    @property
    def tokens_of_budget(self) -> int:
        """All tokens, also those that no provider has counted."""
        return self.tokens + self.estimated_tokens

    @property
    def is_possible(self) -> bool:
        """Whether these are counts and a cost that can be."""
        costs = isinstance(self.cost_usd, (int, float)) and 0.0 <= self.cost_usd < math.inf
        counts = self.calls, self.input_tokens, self.output_tokens, self.estimated_tokens
        return costs and all(map(is_count, counts))

    def as_data(self) -> dict[str, float]:
        """As JSON values; an estimate where there is one only."""
        return {
            name: value
            for name, value in vars(self).items()
            if value or name != 'estimated_tokens'
        }

    def __add__(self, other: ModelUse) -> ModelUse:
        return ModelUse(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
            self.estimated_tokens + other.estimated_tokens,
        )


CHARACTERS_PER_TOKEN = 4  # rough; only where the provider reports no count
MILLION = 1e6


class Meter:
    """Counts calls and tokens in the requesting thread; `use` may be read from any.

    The budget counts estimated tokens where the provider reports none.
    """

    def __init__(self, price: Price, budget: int) -> None:
        self._price = price
        self._budget = budget
        self.use = ModelUse()

    @property
    def is_used_up(self) -> bool:
        """Whether no tokens are left."""
        return self.use.tokens_of_budget >= self._budget

    def count(self, asked: Sequence[BaseMessage], received: Sequence[BaseMessage]) -> None:
        """Enters one call, if anything of its answer was received: a message, or chunks of one."""
        if not received:
            return
        tokens_in, tokens_out = (_reported(received, name) for name in _TOKENS)
        cost = tokens_in * self._price.input_usd + tokens_out * self._price.output_usd
        estimated = 0 if tokens_in else _estimate(asked)
        estimated += 0 if tokens_out else _estimate(received)
        self.use += ModelUse(1, tokens_in, tokens_out, cost / MILLION, estimated)


def _reported(received: Sequence[BaseMessage], name: str) -> int:
    """Return the count that the provider reports; 0 without any.

    Some servers report it with each chunk, for all chunks so far.
    """
    usages = [getattr(each, 'usage_metadata', None) or {} for each in received]
    return max((each[name] for each in usages if is_count(each.get(name))), default=0)


def _estimate(messages: Sequence[BaseMessage]) -> int:
    return sum(len(text_of(each)) for each in messages) // CHARACTERS_PER_TOKEN
