"""Predicts which tools an utterance asks for, in their order, with networks fitted beforehand.

A bidirectional GRU runs over the tokens of the sentence encoder and gives each a distribution
over labels. Connectionist temporal classification (CTC) collapses these to a label sequence: a
clause has no fixed length, and an aside emits no label. Several networks form an ensemble.
`python -m bench.models.fit` fits them to the tools' examples and to utterances by many authors;
the file stands beside the examples. A tool that is not in it is classified by its examples alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
import json
from pathlib import Path
from typing import Any, TypeAlias
import zipfile

import numpy as np
from numpy.typing import NDArray

from rover_common.llm.model_errors import ModelError
from rover_common.llm.sentence_encoder import sentence_encoder

NO_TOOL = ''  # the label of what no tool does
Floats: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = Mapping[str, Floats]
# Names in the file: input layer, GRU (input and recurrent weights), label layer, tag layer.
WEIGHTS = (
    *('in_weights', 'in_biases', 'from_below', 'from_below_biases', 'from_before'),
    *('from_before_biases', 'out_weights', 'out_biases', 'mark_weights', 'mark_biases'),
)


@dataclass(frozen=True)
class Prediction:
    """The label sequence that an ensemble predicts for an utterance, and its tags of tokens.

    Attributes:
        labels: What is asked for, in its order.
        positions: The character at which each label is emitted.
        confidence: Probability that the utterance asks for exactly these.
        token_starts: The character at which each token starts.
        clause_starts: Probability that a clause starts with the token, by token.
        slots: Probability that the token belongs to the name of a thing, by token.
    """

    labels: tuple[str, ...]
    positions: tuple[int, ...]
    confidence: float
    token_starts: tuple[int, ...]
    clause_starts: tuple[float, ...]
    slots: tuple[float, ...]


class ToolModel:
    """An ensemble of networks that label utterances with tools.

    A label is a tool's name, perhaps with arguments that some of its examples have (`label_of`);
    the last one is `NO_TOOL`.

    Args:
        labels: In the order of the networks' outputs.
        weights: Of all networks, along the first axis; see `WEIGHTS`.
    """

    def __init__(self, labels: Sequence[str], weights: Weights) -> None:
        self.labels = tuple(labels)
        self.tools = frozenset(tool_of(label) for label in self.labels if label != NO_TOOL)
        self._weights = weights

    @classmethod
    def ensemble(cls, models: Sequence[ToolModel]) -> ToolModel:
        """Return the model of all networks of models with the same labels."""
        return cls(
            models[0].labels,
            {name: np.concatenate([each._weights[name] for each in models]) for name in WEIGHTS},
        )

    def save(self, path: Path, digest: str) -> None:
        """Write it to a file; `digest`: of the sentences that it was fitted to."""
        arrays: dict[str, Any] = {
            name: weights.astype(np.float16) for name, weights in self._weights.items()
        }
        arrays |= {'classes': np.array(self.labels), 'made_of': np.array(digest)}
        np.savez_compressed(path, **arrays)

    def predict(
        self, text: str, candidates: Sequence[Sequence[str]] = ()
    ) -> tuple[Prediction, list[float]]:
        """Return the prediction for a normalized text, and the probability of each candidate.

        Args:
            text: Of the utterance.
            candidates: Further label sequences, to be scored.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        token_starts, embeddings = sentence_encoder().read(text)
        if not token_starts:
            return Prediction((), (), 0.0, (), (), ()), [0.0 for _ in candidates]
        probabilities, tag_scores = self._run(embeddings)
        decoded = [_collapse(best, len(self.labels)) for best in probabilities.argmax(axis=2)]
        sequences = list(dict.fromkeys(sequence for sequence, _ in decoded))
        indices = {label: index for index, label in enumerate(self.labels)}
        others = [tuple(indices.get(label, -1) for label in labels) for labels in candidates]
        scores = [
            float(sequence_probabilities(probabilities, sequence).mean())
            for sequence in (*sequences, *others)
        ]
        best = int(np.argmax(scores[: len(sequences)]))
        sequence = sequences[best]
        voters = [network for network, (own, _) in enumerate(decoded) if own == sequence]
        surest = max(voters, key=sequence_probabilities(probabilities, sequence).__getitem__)
        clause_starts, slots = (1.0 / (1.0 + np.exp(-tag_scores.mean(axis=0)))).T
        prediction = Prediction(
            tuple(self.labels[index] for index in sequence),
            tuple(token_starts[token] for token in decoded[surest][1]),
            scores[best],
            tuple(token_starts),
            tuple(map(float, clause_starts)),
            tuple(map(float, slots)),
        )
        return prediction, scores[len(sequences) :]

    @np.errstate(over='ignore')  # of the exponential where a gate is shut: 1 / inf is 0
    def _run(self, embeddings: Floats) -> tuple[Floats, Floats]:
        """Return by network and token the probabilities of the labels, and the scores of tags."""
        weights = self._weights
        hidden = np.maximum(
            embeddings @ weights['in_weights'] + weights['in_biases'][:, None], 0.0
        )
        both = np.stack([hidden, hidden[:, ::-1]], axis=1)  # network, direction, token
        inputs = both @ weights['from_below'] + weights['from_below_biases'][:, :, None]
        width = hidden.shape[2]
        biases = weights['from_before_biases'][:, :, None]
        inputs[..., : 2 * width] += biases[..., : 2 * width]
        state = np.zeros((*inputs.shape[:2], 1, width), np.float32)
        states = np.empty((*inputs.shape[:3], width), np.float32)
        for token in range(inputs.shape[2]):  # in place: the arrays are small
            current, recurrent = inputs[:, :, token : token + 1], state @ weights['from_before']
            gates, candidate = recurrent[..., : 2 * width], recurrent[..., 2 * width :]
            gates += current[..., : 2 * width]
            np.exp(np.negative(gates, out=gates), out=gates)
            gates += 1.0
            np.reciprocal(gates, out=gates)
            candidate += biases[..., 2 * width :]
            candidate *= gates[..., :width]  # reset gate
            candidate += current[..., 2 * width :]
            np.tanh(candidate, out=candidate)
            state -= candidate
            state *= gates[..., width:]  # update gate
            state += candidate
            states[:, :, token] = state[:, :, 0]
        outputs = np.concatenate([states[:, 0], states[:, 1, ::-1]], axis=2)
        logits = outputs @ weights['out_weights'] + weights['out_biases'][:, None]
        logits -= logits.max(axis=2, keepdims=True)
        probabilities = np.exp(logits)
        probabilities /= probabilities.sum(axis=2, keepdims=True)
        return probabilities, outputs @ weights['mark_weights'] + weights['mark_biases'][:, None]


def _collapse(best: NDArray[np.int64], blank: int) -> tuple[tuple[int, ...], list[int]]:
    """Return the labels that the best path emits, and the token at which each is emitted."""
    tokens = [
        token
        for token, label in enumerate(best)
        if label != blank and (not token or label != best[token - 1])
    ]
    return tuple(int(best[token]) for token in tokens), tokens


def sequence_probabilities(
    probabilities: Floats, sequence: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return by network the probability of a label sequence, over all its alignments.

    This is the forward algorithm of CTC.

    Args:
        probabilities: Of the labels by network and token; the last one is the blank.
        sequence: The labels; -1: one that the networks do not have.
    """
    if -1 in sequence:
        return np.zeros(len(probabilities))
    blank = probabilities.shape[2] - 1
    states = np.full(2 * len(sequence) + 1, blank)
    states[1::2] = sequence
    may_skip = np.zeros(len(states))
    may_skip[3::2] = states[3::2] != states[1:-2:2]
    rows = probabilities[:, :, states].swapaxes(0, 1).astype(np.float64)
    forward = np.zeros(rows.shape[1:])
    forward[:, :2] = rows[0, :, :2]
    for row in rows[1:]:
        reached = forward.copy()
        reached[:, 1:] += forward[:, :-1]
        reached[:, 2:] += forward[:, :-2] * may_skip[2:]
        forward = reached * row
    return np.asarray(forward[:, -2:].sum(axis=1))


@lru_cache(4)
def load_model(path: str) -> ToolModel:
    """Read a model from its file.

    Raises:
        ModelError: The file cannot be read, or is none.
    """
    try:
        with np.load(path) as file:
            weights = {name: file[name].astype(np.float32) for name in WEIGHTS}
            return ToolModel([str(label) for label in file['classes']], weights)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f'{path} cannot be read ({error}).', again=False) from error


def label_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the label of a tool with these arguments."""
    return f'{tool} {json.dumps(arguments, sort_keys=True)}' if arguments else tool


def tool_of(label: str) -> str:
    """Return the tool of a label."""
    return label.partition(' ')[0]


def arguments_of(label: str) -> dict[str, Any]:
    """Return the arguments of a label."""
    text = label.partition(' ')[2]
    arguments: dict[str, Any] = json.loads(text) if text else {}
    return arguments
