"""What a question is compared with: texts, classes, and what helps. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.retrieval.evidence import Compared
from embodied_nav.retrieval.word_support import Support

CLASS_SHARE = 0.4  # of the class beside the whole text, where it is nearer


def compared(
    question: str,
    cosines: Sequence[float],
    vector: NDArray[np.float32],
    rows: NDArray[np.float32],
    classes: Sequence[str],
    supports: Sequence[Support],
    meanings: Meanings,
    calibration: Calibration,
) -> Compared:
    """Return what a question is compared with.

    A long caption is far from a short question, whatever the thing is: so its class counts, too.

    Args:
        question: As it was asked.
        cosines: Of the question with the text of each thing; 0: there is no vector, and the words
            count for it.
        vector: Of the question; empty: nothing is known.
        rows: The vectors of the texts.
        classes: What each thing is; empty: nobody said.
        supports: How far each thing carries the words of the question.
        meanings: Knows the vectors of the classes.
        calibration: Of the model.
    """
    kinds = _rows_of(classes, meanings, len(vector))
    alike = kinds @ vector
    texts = np.array([cosine or support.mean
                      for cosine, support in zip(cosines, supports, strict=True)])  # fmt: skip
    of_class = np.where(kinds.any(axis=1), alike, texts) if len(vector) else texts
    near = np.maximum(texts, (1.0 - CLASS_SHARE) * texts + CLASS_SHARE * of_class)
    likenesses = [
        calibration.likeness(each if cosine else 0.0, support)
        for each, cosine, support in zip(near.tolist(), cosines, supports, strict=True)
    ]
    helps, helps_all = meanings.helping(question, rows, kinds)
    return Compared(
        near.tolist(), of_class.tolist(), likenesses, helps.tolist(), helps_all.tolist()
    )


def _rows_of(classes: Sequence[str], meanings: Meanings, width: int) -> NDArray[np.float32]:
    """The vectors of classes; zeros for one that is not known."""
    found = np.zeros((len(classes), width), np.float32)
    for name in set(classes):
        row = meanings.vectors([name])
        if row.shape == (1, width):
            found[[at for at, each in enumerate(classes) if each == name]] = row
    return found
