"""The similarities of a query with things: by text, by class, and by need. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.retrieval.evidence import Similarities
from embodied_nav.retrieval.term_support import TermSupport

CLASS_SHARE = 0.4  # of the class beside the whole text, where it is more similar


def similarities_of(
    text: str,
    cosines: NDArray[np.float64],
    vector: NDArray[np.float32],
    rows: NDArray[np.float32],
    classes: Sequence[str],
    supports: Sequence[TermSupport],
    term_vectors: TermVectors,
    calibration: Calibration,
) -> Similarities:
    """Return the similarities of a query with things.

    The cosine of a long caption with a short query is low, whatever the thing is: so its class
    counts, too.

    Args:
        text: Of the query, as it was asked.
        cosines: Of the query with the text of each thing; 0: there is no vector, and the term
            support counts instead.
        vector: Of the query; empty: not known.
        rows: The vectors of the texts.
        classes: Of the things; empty: not known.
        supports: The support of the query's terms by each thing.
        term_vectors: Has the vectors of the classes.
        calibration: Of the model.
    """
    class_rows = _rows_of(classes, term_vectors, len(vector))
    class_cosines = class_rows @ vector
    means = np.array([support.mean for support in supports], np.float64)
    texts = np.where(cosines == 0.0, means, cosines)
    by_class = np.where(class_rows.any(axis=1), class_cosines, texts) if len(vector) else texts
    best = np.maximum(texts, (1.0 - CLASS_SHARE) * texts + CLASS_SHARE * by_class)
    similarities = calibration.similarities(np.where(cosines == 0.0, 0.0, best), supports)
    needs, all_needs = term_vectors.need_scores(text, rows, class_rows)
    return Similarities(best, by_class, similarities, needs, all_needs)


def _rows_of(classes: Sequence[str], term_vectors: TermVectors, width: int) -> NDArray[np.float32]:
    """Return the vectors of classes; zeros where there is none."""
    found = np.zeros((len(classes), width), np.float32)
    rows: dict[str, NDArray[np.float32] | None] = {}
    for at, name in enumerate(classes):
        if name not in rows:
            row = term_vectors.vectors([name])
            rows[name] = row if row.shape == (1, width) else None
        if (row_of_class := rows[name]) is not None:
            found[at] = row_of_class
    return found
