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

from embodied_nav.retrieval.evidence import NUMBERS, OF_NONE, Evidence
from embodied_nav.retrieval.word_support import Support
from rover_common.llm.sentence_encoder import MODEL as OWN

STEPS = 60
PULL = 10.0  # towards zero, of the weights of numbers with a deviation of 1
NEAR = 0.8
FALSE_ANSWERS = 0.05  # share of questions for what is not there that may be answered
SPOKEN = 0.3  # weight of the words beside the cosine of the texts
SURE_BETWEEN = (0.58, 0.95)  # no model's words are taken for the same below, or only above

# What `examples.calibration_of` learned of the own encoder.
OWN_SURE, OWN_RELATED, OWN_SAMPLES = 0.58, 0.32, 600
OWN_WEIGHTS = (
    *(1.926, 0.603, -1.078, 1.216, 0.321, 6.447, -3.05, 1.748, -2.156),
    *(-1.78, 1.273, -1.392, 1.862, -0.985, 0.756, 0.525, 9.244, 1.109),
    *(6.422, -3.656, -2.751, -0.85, -3.015),
)


@dataclass(frozen=True)
class Sample:
    """An example question with what speaks for each thing of its world.

    Attributes:
        evidence: Of each thing.
        none: See `of_none`.
        right: Which of the things are meant; none: it is for what is not there.
        least: Support of the word that the best thing carries least.
        apart: Cosine of the best thing, if it is not meant.
    """

    evidence: NDArray[np.float64]
    none: NDArray[np.float64]
    right: tuple[int, ...]
    least: float
    apart: float | None = None


@dataclass(frozen=True)
class Calibration:
    """What a model's cosines are worth.

    Attributes:
        model: Of which embedding model.
        sure: Cosine of two words from which on one carries the other.
        weights: Of each number of `Evidence`, then of `of_none`, in the log-odds that a thing is
            meant, or nothing.
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

    def odds(self, evidence: Sequence[Evidence], none: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each thing against nothing being meant."""
        weights = np.array(self.weights)
        rows = np.array([each.values() for each in evidence]).reshape(-1, NUMBERS)
        found: NDArray[np.float64] = rows @ weights[:NUMBERS] - none @ weights[NUMBERS:]
        return found

    def text(self) -> str:
        """Return it as it is kept with the index."""
        return json.dumps(asdict(self))


def probabilities(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that each thing is meant: one of them is, or nothing."""
    return _chances(np.append(odds, 0.0))[:-1]


def read_calibration(text: str) -> Calibration | None:
    """Return what `Calibration.text` wrote; None: an earlier version did."""
    try:
        known = json.loads(text)
        found = Calibration(**{**known, 'weights': tuple(map(float, known['weights']))})
    except (KeyError, TypeError, ValueError):
        return None
    return found if len(found.weights) == NUMBERS + OF_NONE else None


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
    """Return what samples say: which thing is meant, if any, by a conditional logit."""
    absent = [each.least for each in samples if not each.right]
    if not absent or len(absent) == len(samples):
        return start
    sure = float(np.clip(np.quantile(absent, 1.0 - FALSE_ANSWERS), *SURE_BETWEEN))
    apart = [each.apart for each in samples if each.apart is not None]
    weights = tuple(round(float(each), 3) for each in _fitted(samples))
    return Calibration(start.model, sure, weights, float(np.median(apart)), len(samples))


def _fitted(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """Conditional logit with a pull to zero: damped Newton's steps, each halved while too long.

    Of several things that are meant, it says nothing which.
    """
    deviations = np.concatenate([each.evidence for each in samples]).std(axis=0) + 1e-6
    scale = np.concatenate((deviations, np.ones(OF_NONE)))
    pull = np.concatenate((np.full(NUMBERS, PULL), np.full(OF_NONE, PULL / 100.0)))
    tables = [_table(each) / scale for each in samples]
    marks = [_marks(each) for each in samples]

    def loss(weights: NDArray[np.float64]) -> float:
        lost = [_log_sum(table @ weights) - _log_sum((table @ weights)[mark])
                for table, mark in zip(tables, marks, strict=True)]  # fmt: skip
        return float(sum(lost) + pull @ weights**2 / 2.0)

    weights = np.zeros(len(scale))
    at = loss(weights)
    for _ in range(STEPS):
        slope, bend = -pull * weights, np.diag(pull)
        for table, mark in zip(tables, marks, strict=True):
            chances = _chances(table @ weights)
            mean = chances @ table
            slope += _chances((table @ weights)[mark]) @ table[mark] - mean
            bend += table.T @ (table * chances[:, None]) - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        while loss(weights + step) > at and float(np.abs(step).max()) > 1e-6:
            step /= 2.0
        weights = weights + step
        before, at = at, loss(weights)
        if before - at < 1e-6:
            break
    found: NDArray[np.float64] = weights / scale
    return found


def _table(sample: Sample) -> NDArray[np.float64]:
    """Return a row for each thing and one for nothing, whose numbers are others."""
    things, (count, width) = sample.evidence, sample.evidence.shape
    return np.block([[things, np.zeros((count, OF_NONE))], [np.zeros((1, width)), sample.none]])


def _marks(sample: Sample) -> NDArray[np.bool_]:
    marks = np.zeros(len(sample.evidence) + 1, np.bool_)
    marks[list(sample.right) or -1] = True
    return marks


def _log_sum(odds: NDArray[np.float64]) -> float:
    most = float(odds.max())
    return most + math.log(float(np.exp(odds - most).sum()))


def _chances(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.exp(odds - odds.max())
    found: NDArray[np.float64] = shares / shares.sum()
    return found
