"""What model calls have cost, and whether a budget allows another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

from rover_common.config.settings import Price
from rover_common.llm.model_message_text import text_of
from rover_common.llm.usage_counts import is_count


@dataclass(frozen=True)
class ModelUse:
    """What calls have cost so far. Tokens are the provider's count; 0 where it reports none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens

    @property
    def is_possible(self) -> bool:
        """Whether these are counts and a cost that can be."""
        costs = isinstance(self.cost_usd, (int, float)) and 0.0 <= self.cost_usd < math.inf
        return costs and all(map(is_count, (self.calls, self.input_tokens, self.output_tokens)))

    def as_data(self) -> dict[str, float]:
        """As JSON values."""
        return {**vars(self)}

    def __add__(self, other: ModelUse) -> ModelUse:
        return ModelUse(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

CHARACTERS_PER_TOKEN = 4  # rough; only where the provider reports no count
MILLION = 1e6


class Meter:
    """Counts calls and tokens in the requesting thread; `use` may be read from any.

    The budget counts estimated tokens where the provider reports none; `use` never does.
    """

    def __init__(self, price: Price, budget: int) -> None:
        self._price = price
        self._left = budget
        self.use = ModelUse()

    @property
    def is_used_up(self) -> bool:
        """Whether no tokens are left."""
        return self._left <= 0

    def count(self, asked: Sequence[BaseMessage], answer: AIMessage) -> None:
        """Enters one call."""
        usage = answer.usage_metadata
        both = (usage['input_tokens'], usage['output_tokens']) if usage else (0, 0)
        tokens_in, tokens_out = (each if is_count(each) else 0 for each in both)
        cost = tokens_in * self._price.input_usd + tokens_out * self._price.output_usd
        self.use += ModelUse(1, tokens_in, tokens_out, cost / MILLION)
        self._left -= tokens_in or _estimate(asked)
        self._left -= tokens_out or _estimate([answer])


def _estimate(messages: Sequence[BaseMessage]) -> int:
    return sum(len(text_of(each)) for each in messages) // CHARACTERS_PER_TOKEN
