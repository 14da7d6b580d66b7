"""Fits what tells a need from a name: `python -m bench.models.needs_fit`, for a few seconds.

"I've been on my feet since dawn" says what is the matter, "the sleeping guard" names something. A
linear model of the sentence encoder's vectors is learned from the questions of
training_questions_*.yaml, which are of no bench, and written as `retrieval/needs.npz`.
"""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np
from numpy.typing import NDArray
import yaml

from embodied_nav.retrieval.need_scores import WEIGHTS
from rover_common.llm.sentence_encoder import sentence_encoder

FOLDER = Path(__file__).parent.parent
UNCLEAR = ('meaning', 'absent')  # kinds of questions that may be of either
PULL = 1.0 / 3.0  # to zero, of each weight
STEPS = 30


def main() -> int:
    """Write the weights; return the exit code."""
    np.savez(WEIGHTS, weights=learned().astype(np.float16))
    return 0


def learned() -> NDArray[np.float64]:
    """Return the weights that the training questions give."""
    questions = [
        each
        for path in sorted(FOLDER.glob('training_questions_*.yaml'))
        for world in yaml.safe_load(path.read_text('utf-8'))
        for each in world['questions']
        if each['kind'] not in UNCLEAR
    ]
    rows = sentence_encoder().embed([each['text'] for each in questions])
    return _fitted(rows, np.array([each['kind'] == 'implied' for each in questions]))


def _fitted(rows: NDArray[np.float32], marks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of a logistic model, and behind them what it begins with."""
    table = np.column_stack((rows, np.ones(len(rows)))).astype(np.float64)
    pull = np.diag(np.append(np.full(rows.shape[1], PULL), 1e-6))
    weights = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chances = 1.0 / (1.0 + np.exp(-table @ weights))
        slope = table.T @ (marks - chances) - pull @ weights
        bend = (table * (chances * (1.0 - chances))[:, None]).T @ table + pull
        weights += np.linalg.solve(bend, slope)
    return weights


if __name__ == '__main__':
    sys.exit(main())
