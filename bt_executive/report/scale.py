"""From measured values to places in a drawing, and round numbers for axes."""

from __future__ import annotations

from dataclasses import dataclass
import math

STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """A straight line from `low`…`high` to `start`…`end`, which may run backwards."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, to a tenth of a pixel."""
        span = self.high - self.low
        part = (value - self.low) / span if span else 0.5
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self, about: int) -> list[float]:
        """Round values within the scale, about as many as asked for."""
        span = self.high - self.low
        if span <= 0.0:
            return [self.low]
        step = round_step(span / about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def round_step(rough: float) -> float:
    """The next 1, 2 or 5 times a power of ten that is not smaller."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1.0 - 1e-9))


def number(value: float) -> str:
    """A tick's value without trailing zeros."""
    return f'{value:.6g}'.replace('-', '−')
