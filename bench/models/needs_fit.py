"""Fits the model that tells needs from names: `python -m bench.models.needs_fit`, in seconds.

"I've been on my feet since dawn" implies a need, "the sleeping guard" names something. A
linear model of the sentence encoder's vectors is fitted to the questions of
training_questions_*.yaml, which no bench uses, and written as `retrieval/needs.npz`.
"""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np
from numpy.typing import NDArray
import yaml

from embodied_nav.retrieval.needs import WEIGHTS
from rover_common.llm.sentence_encoder import sentence_encoder

FOLDER = Path(__file__).parent.parent
UNCLEAR = ('meaning', 'absent')  # kinds of questions that may be of either
RIDGE = 1.0 / 3.0  # regularization of each weight
STEPS = 30


def main() -> int:
    """Write the weights; return the exit code."""
    np.savez(WEIGHTS, weights=fitted().astype(np.float16))
    return 0


def fitted() -> NDArray[np.float64]:
    """Return the weights, fitted to the training questions."""
    questions = [
        each
        for path in sorted(FOLDER.glob('training_questions_*.yaml'))
        for world in yaml.safe_load(path.read_text('utf-8'))
        for each in world['questions']
        if each['kind'] not in UNCLEAR
    ]
    rows = sentence_encoder().embed([each['text'] for each in questions])
    return _regression(rows, np.array([each['kind'] == 'implied' for each in questions]))


def _regression(rows: NDArray[np.float32], targets: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression by Newton's method, the bias last."""
    table = np.column_stack((rows, np.ones(len(rows)))).astype(np.float64)
    ridge = np.diag(np.append(np.full(rows.shape[1], RIDGE), 1e-6))
    weights = np.zeros(table.shape[1])
    for _ in range(STEPS):
        probabilities = 1.0 / (1.0 + np.exp(-table @ weights))
        gradient = table.T @ (targets - probabilities) - ridge @ weights
        hessian = (table * (probabilities * (1.0 - probabilities))[:, None]).T @ table + ridge
        weights += np.linalg.solve(hessian, gradient)
    return weights


if __name__ == '__main__':
    sys.exit(main())
