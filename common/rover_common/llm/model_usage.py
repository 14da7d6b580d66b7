"""What model calls have cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelUse:
    """What calls have cost so far. Tokens are the provider's count; 0 where it tells none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens

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
