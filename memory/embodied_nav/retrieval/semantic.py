"""SEMANTIC of spec 5: likeness, threshold, boost by area, boost by neighbours, normalised.

Faults of the public implementation that are not ours: an empty match is no error; a thing at the
origin is one like others; the parent's boost counts once; a lone hit is not 1.0, because scores
are normalised against the fixed ends of the scale and not against each other alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.store.port import MemoryStore, Scope, Vector

PARENT_BOOST = 1.2
NEIGHBOUR_SHARE = 0.2
BEST_POSSIBLE = 1.0 * PARENT_BOOST + NEIGHBOUR_SHARE  # score of a perfect match after all boosts
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
    """A question as retrieval needs it: words, their vector, and where to look."""

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
    if others:
        rows = store.vectors(others) @ question.vector
        cosines.update(zip(others, map(float, rows), strict=True))
    ids = list(cosines)
    shares = store.coverage(question.text, ids)
    part = calibration.lexical
    mixed = {
        each: (1 - part) * max(0.0, cosines[each]) + part * share
        for each, share in zip(ids, shares, strict=True)
    }
    return sorted(mixed.items(), key=lambda each: -each[1])


def retrieve(
    store: MemoryStore,
    question: Question,
    calibration: Calibration,
    found: Sequence[tuple[str, float]],
) -> list[Scored]:
    """The best k of what `likenesses` found that pass the threshold; empty: nothing does."""
    passing = [each for each in found if each[1] >= calibration.threshold][: 2 * question.k]
    if not passing:
        return []
    boosted = _boosted(store, question, calibration, dict(passing))
    low = min(calibration.floor, *boosted.values())
    width = BEST_POSSIBLE - low
    scored = [Scored(each, likeness, (boosted[each] - low) / width) for each, likeness in passing]
    return sorted(scored, key=lambda each: -each.score)[: question.k]


def _boosted(
    store: MemoryStore,
    question: Question,
    calibration: Calibration,
    scores: Mapping[str, float],
) -> dict[str, float]:
    ids = list(scores)
    parents = {each: node.parent for each, node in store.get(ids).items() if node.parent}
    areas = list(dict.fromkeys(parents.values()))
    relevant = dict(zip(areas, _cosines(store, question, areas), strict=True))
    beside = store.neighbours(ids, BESIDE_M)
    near = list(dict.fromkeys(each for some in beside.values() for each in some))
    around = dict(zip(near, _cosines(store, question, near), strict=True))
    boosted = {}
    for each, score in scores.items():
        area = relevant.get(parents.get(each, ''), 0.0)
        factor = PARENT_BOOST if area >= calibration.threshold else 1.0
        some = [max(0.0, around[other]) for other in beside.get(each, ())]
        mean = sum(some) / len(some) if some else 0.0
        boosted[each] = score * factor + NEIGHBOUR_SHARE * mean
    return boosted


def _cosines(store: MemoryStore, question: Question, ids: Sequence[str]) -> list[float]:
    return [float(each) for each in store.vectors(ids) @ question.vector] if ids else []
