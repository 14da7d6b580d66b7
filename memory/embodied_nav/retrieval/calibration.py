"""What scores are worth: each embedding model has its own idea of "near".

Cosines of two texts that have nothing to do with each other are 0.75 with one model and 0.1 with
another, so a fixed threshold is wrong for all models but one. What a model's scores are worth is
learned from questions and small worlds that ship with the memory (`examples.yaml`), in three
languages and across them: whether the best thing was the right one, or nothing was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
import json
import math

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.evidence import CLEARLY, NUMBERS, Evidence
from embodied_nav.retrieval.support import Support
from rover_common.llm.sentence_encoder import MODEL as OWN

STEPS = 60
PULL = 0.3
NEAR = 0.8
FALSE_ANSWERS = 0.05  # share of questions for what is not there that may be answered
SPOKEN = 0.3  # weight of the words beside the cosine of the texts
SURE_BETWEEN = (0.58, 0.95)  # no model's words are taken for the same below, or only above

# What `examples.calibration_of` learned of the own encoder.
OWN_SURE, OWN_RELATED, OWN_SAMPLES = 0.58, 0.31, 323
OWN_WEIGHTS = (
    -1.257,
    2.626,
    -0.865,
    0.299,
    -1.353,
    0.21,
    -0.059,
    -2.817,
    0.067,
    -1.187,
    1.44,
    0.932,
    1.738,
)


@dataclass(frozen=True)
class Sample:
    """The best thing for an example question: what spoke for it, and whether it was right."""

    evidence: Evidence
    cosine: float
    least: float
    is_right: bool
    is_absent: bool = False


@dataclass(frozen=True)
class Calibration:
    """What a model's cosines are worth.

    Attributes:
        model: Of which embedding model.
        sure: Cosine of two words from which on one carries the other.
        weights: Of each number of `Evidence`, in the log-odds that a thing is meant.
        related: Cosine from which on an area is like a question.
        samples: Questions that it was learned from; 0: assumed.
    """

    model: str
    sure: float
    weights: tuple[float, ...]
    related: float
    samples: int = 0

    @property
    def near(self) -> float:
        """Cosine of two words from which on one may be asked about for the other."""
        return NEAR * self.sure

    def likeness(self, cosine: float, support: Support) -> float:
        """Return how like a thing is, 0 to 1; by the words alone where there is no cosine."""
        if support.unmet:
            return 0.0
        if cosine == 0.0:
            return support.mean
        return (1.0 - SPOKEN) * max(0.0, cosine) + SPOKEN * support.mean

    def probability(self, evidence: Evidence) -> float:
        """Return the probability that a thing is meant."""
        return _logistic(float(np.dot(self.weights, evidence.values())))

    def text(self) -> str:
        """Return it as it is kept with the index."""
        return json.dumps(asdict(self))


def clearly(ahead: float) -> float:
    """Return by how much a thing is ahead, as far as more of it means more.

    0 for one that is behind: by what the best one is like, another one is not less so.
    """
    return min(CLEARLY, max(0.0, ahead))


def read_calibration(text: str) -> Calibration | None:
    """Return what `Calibration.text` wrote; None: an earlier version did."""
    try:
        known = json.loads(text)
        found = Calibration(**{**known, 'weights': tuple(map(float, known['weights']))})
    except (KeyError, TypeError, ValueError):
        return None
    return found if len(found.weights) == NUMBERS else None


def assumed(model: str) -> Calibration:
    """Return what is assumed of a model before it was tried; of the own one it is known.

    0.6 is spec 5's number, which belongs to ada-002 and its like: there, nothing is far away.
    """
    if 'ada-002' in model:
        return Calibration(model, 0.9, OWN_WEIGHTS, 0.8)
    if model == OWN:
        return Calibration(model, OWN_SURE, OWN_WEIGHTS, OWN_RELATED, OWN_SAMPLES)
    return Calibration(model, 0.6, OWN_WEIGHTS, 0.3)


def learned(start: Calibration, samples: Sequence[Sample]) -> Calibration:
    """Return what samples say, by logistic regression (Newton's method), pulled to zero."""
    if not samples or all(each.is_right for each in samples):
        return start
    x = np.array([each.evidence.values() for each in samples])
    y = np.array([float(each.is_right) for each in samples])
    weights = tuple(round(float(each), 3) for each in _fitted(x, y, np.zeros(x.shape[1])))
    wrong = [each.least for each in samples if each.is_absent]
    sure = float(np.clip(np.quantile(wrong, 1.0 - FALSE_ANSWERS), *SURE_BETWEEN))
    apart = [each.cosine for each in samples if not each.is_right]
    return Calibration(start.model, sure, weights, float(np.median(apart)), len(samples))


def _fitted(
    x: NDArray[np.float64], y: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logistic regression with a weak pull to a prior: Newton's steps, halved where too long."""

    def loss(weights: NDArray[np.float64]) -> float:
        odds = x @ weights
        off = weights - prior
        return float((np.logaddexp(0.0, odds) - y * odds).sum() + PULL * (off @ off) / 2.0)

    weights: NDArray[np.float64] = prior.copy()
    at = loss(prior)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -50, 50)))
        slope = x.T @ (y - chance) - PULL * (weights - prior)
        bend = x.T @ (x * (chance * (1 - chance))[:, None]) + PULL * np.eye(x.shape[1])
        step = np.linalg.solve(bend, slope)
        while loss(weights + step) > at and float(np.abs(step).max()) > 1e-9:
            step /= 2.0
        weights = np.asarray(weights + step, np.float64)
        at = loss(weights)
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))
