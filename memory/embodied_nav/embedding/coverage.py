"""How much of a question a node speaks of: the weight of the words that both have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math


def word_weights(times: Mapping[str, int], count: int) -> dict[str, float]:
    """BM25's weight of each word; one that no node has weighs most.

    Args:
        times: In how many nodes each word stands.
        count: How many nodes there are.
    """
    return {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in times.items()}


def covered(weights: Mapping[str, float], said: Iterable[str]) -> float:
    """The part of the weights, 0 to 1, whose words are said."""
    whole = sum(weights.values())
    there = set(said)
    return sum(weight for word, weight in weights.items() if word in there) / (whole or 1.0)
