"""The usage of a goal against its budget: calls, distance, charge, time and questions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What a goal has used: tool calls, m driven, percent of charge, s since it began.

    `questions`: calls of tools that only read; they do not count as tool calls.
    """

    steps: int = 0
    distance_m: float = 0.0
    energy_pct: float = 0.0
    elapsed_s: float = 0.0
    questions: int = 0
