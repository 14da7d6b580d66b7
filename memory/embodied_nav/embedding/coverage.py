"""How much of a question a node speaks of: the weight of the words that both have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math

LIMIT, LEAST = 4.0, 0.5  # so that neither an unknown nor a common word decides alone
FEWEST = 50  # nodes: in a smaller store a word that nobody said weighs no less
HEAD = 2.0


def word_weights(times: Mapping[str, int], count: int, head: str = '') -> dict[str, float]:
    """BM25's weight of each word, up to a limit: a rare word is worth more than a common one.

    Args:
        times: In how many nodes each word stands.
        count: How many nodes there are.
        head: The word that says what kind of thing is asked for; it weighs twice.
    """
    weights = {}
    scale = max(1.0, FEWEST / max(count, 1))
    for word, times_said in times.items():
        n, all_of_them = scale * times_said, scale * max(count, times_said)
        weight = min(LIMIT, math.log(1 + (all_of_them - n + 0.5) / (n + 0.5)))
        weights[word] = max(weight, LEAST) * (HEAD if word == head else 1.0)
    return weights


def covered(weights: Mapping[str, float], said: Iterable[str]) -> float:
    """The part of the weights, 0 to 1, whose words are said."""
    whole = sum(weights.values())
    there = set(said)
    return sum(weight for word, weight in weights.items() if word in there) / (whole or 1.0)
