"""SEMANTIC of spec 5: likeness, threshold, boost by area, boost by neighbours, normalised.

Faults of the public implementation that are not ours: an empty match is no error; a thing at the
origin is one like others; the parent's boost counts once; a lone hit is not 1.0, because scores
are normalised against the fixed ends of the scale and not against each other alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.store.port import MemoryStore, Scope, Vector
from embodied_nav.values import Bounds, Node, Position

PARENT_BOOST = 1.2
NEIGHBOUR_SHARE = 0.2
BEST_POSSIBLE = 1.0 * PARENT_BOOST + NEIGHBOUR_SHARE  # score of a perfect match after all boosts
ENOUGH_WORDS = 0.55  # share of a question that a thing without a vector must say
CANDIDATES = 4  # times k; of these the rest of the stages looks
FEWEST_CANDIDATES = 20


@dataclass(frozen=True)
class Scored:
    """A node with its likeness before the boosts and its normalised score after them."""

    node_id: str
    likeness: float
    score: float


@dataclass(frozen=True)
class Question:
    """A question as retrieval needs it: words, their vector, and where to look.

    The vector may be empty, where no model gave one: then words decide alone.
    """

    text: str
    vector: Vector
    scope: Scope
    k: int


def likenesses(
    store: MemoryStore, question: Question, calibration: Calibration
) -> list[tuple[str, float]]:
    """The candidates with cosine and shared words as one number, best first."""
    limit = max(FEWEST_CANDIDATES, CANDIDATES * question.k)
    cosines = dict(store.nearest(question.vector, question.scope, limit))
    others = [
        each for each in store.lexical(question.text, question.scope, limit) if each not in cosines
    ]
    cosines |= cosines_of(store, question, others)
    ids = list(cosines)
    shares = store.coverage(question.text, ids)
    mixed = {
        each: _likeness(cosines[each], share, calibration)
        for each, share in zip(ids, shares, strict=True)
    }
    return sorted(mixed.items(), key=lambda each: -each[1])


def cosines_of(store: MemoryStore, question: Question, ids: Sequence[str]) -> dict[str, float]:
    """Of these nodes with the question; 0 where one of the two has no vector."""
    if not ids or not len(question.vector):
        return dict.fromkeys(ids, 0.0)
    rows = store.vectors(ids)
    if rows.shape[1] != len(question.vector):
        return dict.fromkeys(ids, 0.0)
    return dict(zip(ids, map(float, rows @ question.vector), strict=True))


def _likeness(cosine: float, share: float, calibration: Calibration) -> float:
    """Cosine and shared words as one number; by the words alone where there is no cosine."""
    if cosine == 0.0:
        return min(1.0, calibration.least * share / ENOUGH_WORDS)
    return (1 - calibration.lexical) * max(0.0, cosine) + calibration.lexical * share


def around(near: Position, radius_m: float, within: Bounds | None) -> Bounds:
    """The square around a place, as far as it is in the bounds."""
    x, y, _ = near
    box = (x - radius_m, y - radius_m, x + radius_m, y + radius_m)
    if within is None:
        return box
    return (
        max(box[0], within[0]),
        max(box[1], within[1]),
        min(box[2], within[2]),
        min(box[3], within[3]),
    )


def boosted(
    scores: Mapping[str, float],
    nodes: Mapping[str, Node],
    areas: Mapping[str, float],
    threshold: float,
) -> dict[str, float]:
    """X 1.2, once, for nodes whose area is like the question.

    Args:
        scores: By id.
        nodes: The nodes of the scores.
        areas: Cosine of each area with the question.
        threshold: From which on an area is like it.
    """
    return {
        each: score * PARENT_BOOST
        if areas.get(nodes[each].parent if each in nodes else '', 0.0) >= threshold
        else score
        for each, score in scores.items()
    }


def normalised(
    likeness: Mapping[str, float], scores: Mapping[str, float], calibration: Calibration
) -> list[Scored]:
    """Scores between 0 and 1, best first: 1 is a perfect match with every boost."""
    low = min(calibration.floor, *scores.values())
    width = BEST_POSSIBLE - low
    scored = [
        Scored(each, likeness[each], (score - low) / width) for each, score in scores.items()
    ]
    return sorted(scored, key=lambda each: -each.score)
