"""Calibration of the scores of an embedding model.

The cosine of two unrelated texts is 0.75 with one model and 0.1 with another, so a fixed threshold
is wrong for all models but one. Thresholds and weights are learned from the small worlds that ship
with the memory (`examples.yaml`) and belong to no user's store: places, queries in three languages
and across them for what is there in other words, and queries for what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib.resources import files
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import yaml

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.embedding.vector_index import Index, mean_of_pairs
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.similarities_as_evidence import (
    NULL_NUMBERS,
    Evidence,
    evidence_of,
    null_evidence,
    similarities_of,
)
from embodied_nav.retrieval.term_support import gains_of, supports_of, with_gains
from embodied_nav.retrieval.text_of_thing import Document
from embodied_nav.store.memory_store import MemoryStore
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sentence_encoder import MODEL as OWN

STEPS = 60
PENALTY = 10.0  # of the squared weights of numbers with a deviation of 1
NEAR = 0.8
FALSE_ANSWERS = 0.05  # share of queries for absent things that may be answered
CALIBRATION = 'calibration'  # key in the store
EXAMPLES = ('examples.yaml', 'examples_of_speech.yaml')
SURE_BETWEEN = (0.58, 0.95)  # bounds of `Calibration.sure`, whatever is learned

# What `calibration_of` learned of the own encoder.
OWN_SURE, OWN_RELATED, OWN_SAMPLES = 0.58, 0.32, 600
OWN_WEIGHTS = (
    *(1.926, 0.603, -1.078, 1.216, 0.321, 6.447, -3.05, 1.748, -2.156),
    *(-1.78, 1.273, -1.392, 1.862, -0.985, 0.756, 0.525, 9.244, 1.109),
    *(6.422, -3.656, -2.751, -0.85, -3.015),
)


@dataclass(frozen=True)
class Sample:
    """An example query with the evidence for each thing of its world.

    Attributes:
        evidence: Of each thing.
        null: See `null_evidence`.
        right: Indices of the things that are meant; none: it is for an absent thing.
        least: Support of the weakest term by the best thing.
        wrong_cosine: Cosine of the best thing, if it is not meant.
    """

    evidence: NDArray[np.float64]
    null: NDArray[np.float64]
    right: tuple[int, ...]
    least: float
    wrong_cosine: float | None = None


@dataclass(frozen=True)
class Calibration:
    """The thresholds and weights for the cosines of a model; its fields are keys in the store.

    Attributes:
        model: Name of the embedding model.
        sure: Cosine of two terms from which on one supports the other.
        weights: Of each number of `Evidence`, then of `null_evidence`, in the log-odds that a
            thing is meant, or nothing.
        related: Cosine from which on an area is similar to a query.
        samples: Queries that it was learned from; 0: assumed.
    """

    model: str
    sure: float
    weights: tuple[float, ...]
    related: float
    samples: int = 0

    @property
    def near(self) -> float:
        """Cosine of two terms from which on one may be offered for the other."""
        return NEAR * self.sure

    def odds(
        self, evidence: NDArray[np.float64], null: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log-odds of each thing against nothing being meant."""
        weights = np.array(self.weights)
        count = len(Evidence)
        found: NDArray[np.float64] = evidence @ weights[:count] - null @ weights[count:]
        return found

    def text(self) -> str:
        """Return it as JSON, as it is stored."""
        return json.dumps(asdict(self))


def probabilities(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that each thing is meant: one of them is, or nothing."""
    return _softmax(np.append(odds, 0.0))[:-1]


def read_calibration(text: str) -> Calibration | None:
    """Return what `Calibration.text` wrote; None: the text is of an earlier version."""
    try:
        fields = json.loads(text)
        found = Calibration(**{**fields, 'weights': tuple(map(float, fields['weights']))})
    except (KeyError, TypeError, ValueError):
        return None
    return found if len(found.weights) == len(Evidence) + NULL_NUMBERS else None


def calibrate(store: MemoryStore, index: Index, lock: AbstractContextManager[object]) -> str:
    """Calibrate a new model and store it; returns what was done, empty: nothing was due.

    The model is called while the lock is free.
    """
    embedder = index.embedder
    if embedder is None or assumed(embedder.model).samples:
        return ''
    with lock:
        if _stored(store, embedder.model) is not None:
            return ''
    try:
        found = calibration_of(embedder)
    except ModelError:
        return ''  # the index reports it
    with lock, store.writing():
        store.set_meta(CALIBRATION, found.text())
    examples = f'({found.samples} examples)'
    return f'Words of {found.model} mean the same from {found.sure:.2f} on {examples}.'


def current_calibration(store: MemoryStore, model: str) -> Calibration:
    """Return the stored calibration of a model, or the assumed one."""
    return _stored(store, model) or assumed(model)


def _stored(store: MemoryStore, model: str) -> Calibration | None:
    text = store.meta(CALIBRATION)
    found = read_calibration(text) if text else None
    return found if found is not None and found.model == model else None


def assumed(model: str) -> Calibration:
    """Return the default for a model before it is calibrated; the own encoder's is learned.

    0.6 is spec 5's number, which belongs to ada-002 and its like: there, nothing is far away.
    """
    if 'ada-002' in model:
        return Calibration(model, 0.9, OWN_WEIGHTS, 0.8)
    if model == OWN:
        return Calibration(model, OWN_SURE, OWN_WEIGHTS, OWN_RELATED, OWN_SAMPLES)
    return Calibration(model, 0.6, OWN_WEIGHTS, 0.3)


def learned(start: Calibration, samples: Sequence[Sample]) -> Calibration:
    """Return the calibration that fits samples, by a conditional logit."""
    absent = [each.least for each in samples if not each.right]
    if not absent or len(absent) == len(samples):
        return start
    sure = float(np.clip(np.quantile(absent, 1.0 - FALSE_ANSWERS), *SURE_BETWEEN))
    wrong = [each.wrong_cosine for each in samples if each.wrong_cosine is not None]
    weights = tuple(round(float(each), 3) for each in _fit_weights(samples))
    return Calibration(start.model, sure, weights, float(np.median(wrong)), len(samples))


def _fit_weights(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """Fit a conditional logit with an L2 penalty by damped Newton steps, halved while too long.

    Several things that are meant are not ranked against each other.
    """
    deviations = np.concatenate([each.evidence for each in samples]).std(axis=0) + 1e-6
    scale = np.concatenate((deviations, np.ones(NULL_NUMBERS)))
    penalty = np.full(len(scale), PENALTY)
    penalty[len(Evidence) :] = PENALTY / 100.0
    tables = [_table(each) / scale for each in samples]
    masks = [_right_rows(each) for each in samples]

    def loss(weights: NDArray[np.float64]) -> float:
        losses = [_log_sum(table @ weights) - _log_sum((table @ weights)[mask])
                  for table, mask in zip(tables, masks, strict=True)]  # fmt: skip
        return float(sum(losses) + penalty @ weights**2 / 2.0)

    weights = np.zeros(len(scale))
    current = loss(weights)
    for _ in range(STEPS):
        gradient, hessian = -penalty * weights, np.diag(penalty)
        for table, mask in zip(tables, masks, strict=True):
            chances = _softmax(table @ weights)
            mean = chances @ table
            gradient += _softmax((table @ weights)[mask]) @ table[mask] - mean
            hessian += table.T @ (table * chances[:, None]) - np.outer(mean, mean)
        step = np.linalg.solve(hessian, gradient)
        while loss(weights + step) > current and float(np.abs(step).max()) > 1e-6:
            step /= 2.0
        weights = weights + step
        previous, current = current, loss(weights)
        if previous - current < 1e-6:
            break
    found: NDArray[np.float64] = weights / scale
    return found


def _table(sample: Sample) -> NDArray[np.float64]:
    """Return a row for each thing and one for nothing, whose numbers are others."""
    things, (count, width) = sample.evidence, sample.evidence.shape
    return np.block([[things, np.zeros((count, NULL_NUMBERS))],
                     [np.zeros((1, width)), sample.null]])  # fmt: skip


def _right_rows(sample: Sample) -> NDArray[np.bool_]:
    mask = np.zeros(len(sample.evidence) + 1, np.bool_)
    mask[list(sample.right) or -1] = True
    return mask


def _log_sum(odds: NDArray[np.float64]) -> float:
    most = float(odds.max())
    return most + math.log(float(np.exp(odds - most).sum()))


def _softmax(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.exp(odds - odds.max())
    found: NDArray[np.float64] = shares / shares.sum()
    return found


def calibration_of(embedder: Embedder) -> Calibration:
    """Return the calibration of a model by the examples; takes seconds.

    Raises:
        ModelError: The model does not answer.
    """
    start = assumed(embedder.model)
    term_vectors = TermVectors(embedder)
    samples = [
        sample for world in example_worlds() for sample in _samples(world, embedder, term_vectors)
    ]
    return learned(start, samples)


def example_worlds() -> Sequence[Mapping[str, Any]]:
    """Return the examples: things by name, and queries with the names of right answers."""
    folder = files('embodied_nav.retrieval')
    found: list[Mapping[str, Any]] = []
    for name in EXAMPLES:
        found += yaml.safe_load(folder.joinpath(name).read_text('utf-8'))
    return found


def _samples(
    world: Mapping[str, Any], embedder: Embedder, term_vectors: TermVectors
) -> list[Sample]:
    names = list(world['things'])
    texts = [str(text) for text in world['things'].values()]
    documents = [Document(text) for text in texts]
    classes = [text.partition(',')[0] for text in texts]
    queries = [parse_query(str(text)) for text in world['questions']]
    for terms in (
        classes,
        *(document.comparable_terms for document in documents),
        *((*query.units, *query.ablations) for query in queries),
    ):
        term_vectors.learn(term_vectors.missing(terms))
    rows = embedder.embed([*texts, *(text for query in queries for text in query.texts)])
    vectors = mean_of_pairs(rows[len(texts) :])
    rows = rows[: len(texts)]
    found = []
    for query, vector, right in zip(queries, vectors, world['questions'].values(), strict=True):
        cosines = (rows @ vector).astype(np.float64)
        gains = gains_of(query, rows, term_vectors)
        supports = with_gains(supports_of(query, documents, term_vectors), gains)
        similarities = similarities_of(
            query.text, cosines, vector, rows, classes, supports, term_vectors
        )
        evidence = evidence_of(query, supports, similarities)
        best = int(similarities.similarities.argmax())
        right_names = str(right or '').split()
        meant = tuple(number for number, name in enumerate(names) if name in right_names)
        wrong_cosine = None if best in meant else cosines[best]
        found.append(
            Sample(evidence, null_evidence(query), meant, supports[best].least, wrong_cosine)
        )
    return found
