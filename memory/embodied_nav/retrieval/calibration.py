"""What a score is worth: each embedding model has its own idea of "near".

Cosines of two texts that have nothing to do with each other are 0.75 with one model and 0.1 with
another, so a fixed threshold is wrong for all models but one. The calibration is learned from the
things that are stored, without labels: from questions made of their own words (there is such a
thing), with a word that nobody ever said (perhaps), and about what nobody ever named (there is
none). It is kept with the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
import json
import math

import numpy as np

LEAST_SAMPLES = 8  # fewer say nothing
STEPS = 60
FALSE_ANSWERS = 0.05  # share of questions for what is not there that may be answered


@dataclass(frozen=True)
class Calibration:
    """Probability that a thing is meant = logistic((score - threshold) * slope).

    Attributes:
        model: Of which embedding model.
        threshold: Score at which a match is as likely as none.
        slope: How fast it rises around there.
        floor: Mean score of the best of the wrong ones.
        lexical: Weight of the shared words beside the cosine, 0 to 1.
        samples: Pairs it was learned from; 0: assumed.
        accept: Score from which on a thing is an answer at all; 0: the threshold.
    """

    model: str
    threshold: float
    slope: float
    floor: float
    lexical: float
    samples: int = 0
    accept: float = 0.0

    @property
    def least(self) -> float:
        """Score below which nothing is an answer."""
        return self.accept or self.threshold

    def probability(self, score: float) -> float:
        """That a thing of this score is meant."""
        return 1.0 / (
            1.0 + math.exp(-max(-50.0, min(50.0, (score - self.threshold) * self.slope)))
        )

    def text(self) -> str:
        """As it is kept with the index."""
        return json.dumps(asdict(self))


def read_calibration(text: str) -> Calibration:
    """What `Calibration.text` wrote."""
    return Calibration(**json.loads(text))


def assumed(model: str) -> Calibration:
    """Before enough is known. 0.6 is spec 5's number, which belongs to ada-002 and its like."""
    if model.startswith('offline-'):
        return Calibration(model, threshold=0.3, slope=14.0, floor=0.1, lexical=0.5)
    if 'ada-002' in model:
        return Calibration(model, threshold=0.6, slope=14.0, floor=0.5, lexical=0.2)
    return Calibration(model, threshold=0.35, slope=14.0, floor=0.2, lexical=0.2)


def fit(
    start: Calibration,
    right: Sequence[float],
    wrong: Sequence[float],
    unsure: Sequence[float] = (),
) -> Calibration:
    """Learned by logistic regression (Newton's method) with a weak pull towards `start`.

    Args:
        start: What was assumed so far.
        right: Best scores for questions about what is there.
        wrong: Best scores for questions about what is not there.
        unsure: For the kind of a thing with a word that nobody said: it may be another word for
            what it is like, or mean another thing of the kind. As often right as wrong.
    """
    if min(len(right), len(wrong)) < LEAST_SAMPLES:
        return start
    x = np.array([*right, *wrong, *unsure])
    # Platt's targets: no pair is quite certain.
    y = np.array(
        [(len(right) + 1) / (len(right) + 2)] * len(right)
        + [1 / (len(wrong) + 2)] * len(wrong)
        + [0.5] * len(unsure)
    )
    features = np.column_stack((np.ones_like(x), x))
    prior = np.array([-start.threshold * start.slope, start.slope])
    weights = prior.copy()
    ridge = np.diag([0.05, 0.02])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(features @ weights, -50, 50)))
        slope = features.T @ (y - chance) - ridge @ (weights - prior)
        bend = features.T @ (features * (chance * (1 - chance))[:, None]) + ridge
        step = np.linalg.solve(bend, slope)
        weights += np.clip(step, -5.0, 5.0)
        if float(np.abs(step).max()) < 1e-9:
            break
    if weights[1] <= 1.0:  # the scores do not tell right from wrong
        return start
    threshold = float(np.clip(-weights[0] / weights[1], 0.0, 1.0))
    accept = min(threshold, float(np.quantile(wrong, 1.0 - FALSE_ANSWERS)))
    return Calibration(
        start.model,
        threshold,
        float(weights[1]),
        float(np.mean(wrong)),
        start.lexical,
        len(x),
        accept,
    )
