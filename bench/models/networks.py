"""Fits the networks of the offline model's `ToolModel`, with torch: `pip install torch`.

Nothing at run time needs torch: `ToolModel` computes the same layers with numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from bench.models.fitting import UNKNOWN, TrainingSample
from bt_executive.planner.offline.neural_networks import WEIGHTS, ToolModel
from rover_common.llm.sentence_encoder import sentence_encoder

WIDTH = 256
_EMBEDDING_SIZE = 1280  # of a token
_DROPOUT, _LEARNING_RATE, _WEIGHT_DECAY, _BATCH_SIZE, _EPOCHS = 0.2, 2e-3, 0.01, 48, 12
_TOKEN_DROPOUT = 0.15  # tokens that are blanked in an epoch
_OWN_PER_EPOCH = 6  # of the examples and composed samples every sixth is seen in an epoch
_TAG_LOSS = 0.5  # weight beside the loss of the labels
_BATCHES_OF_LIKE_LENGTH = 20  # that are sorted by length together
Halves: TypeAlias = NDArray[np.float16]


@dataclass(frozen=True)
class _EncodedSample:
    """A sample as a network reads it.

    Attributes:
        embeddings: Of its tokens.
        labels: Indices of the wanted labels.
        tags: By token: starts a clause, belongs to a slot; or `UNKNOWN`.
        is_authors: Whether an author wrote it.
    """

    embeddings: Halves
    labels: tuple[int, ...]
    tags: NDArray[np.int8]
    is_authors: bool


class Network(nn.Module):
    """A bidirectional GRU over the tokens of a text; see `ToolModel`."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.input_layer, self.dropout = nn.Linear(_EMBEDDING_SIZE, WIDTH), nn.Dropout(_DROPOUT)
        self.gru = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.label_layer, self.tag_layer = (
            nn.Linear(2 * WIDTH, labels + 1),
            nn.Linear(2 * WIDTH, 2),
        )

    def forward(self, embeddings: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return by token the log probabilities of the labels, and the scores of the tags."""
        hidden = self.dropout(torch.relu(self.input_layer(self.dropout(embeddings))))
        packed = pack_padded_sequence(hidden, lengths, batch_first=True, enforce_sorted=False)
        outputs, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        outputs = self.dropout(outputs)
        return self.label_layer(outputs).log_softmax(-1), self.tag_layer(outputs)


class Trainer:
    """Fits networks for a set of labels. Encoded samples are cached."""

    def __init__(self, labels: Sequence[str]) -> None:
        torch.set_num_threads(1)
        self.labels = tuple(labels)
        self._encoded: dict[tuple[str, tuple[str, ...], str], _EncodedSample] = {}

    def fit(
        self, samples: Sequence[TrainingSample], seed: int, epochs: int = _EPOCHS
    ) -> ToolModel:
        """Return the model of one network that is fitted to samples."""
        torch.manual_seed(seed)
        rng = random.Random(seed)
        encoded = [each for each in map(self._encode, samples) if len(each.embeddings)]
        by_authors = [each for each in encoded if each.is_authors]
        others = [each for each in encoded if not each.is_authors]
        network = Network(len(self.labels))
        steps = epochs * ((len(by_authors) + len(others) // _OWN_PER_EPOCH) // _BATCH_SIZE + 1)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY
        )
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, _LEARNING_RATE, total_steps=steps, pct_start=0.15
        )
        network.train()
        for _ in range(epochs):
            chosen = [*by_authors, *rng.sample(others, len(others) // _OWN_PER_EPOCH)]
            for batch in _batches(chosen, rng):
                loss = self._loss(network, batch)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                schedule.step()
        network.eval()
        weights = {name: each[None] for name, each in zip(WEIGHTS, _arrays(network), strict=True)}
        return ToolModel(self.labels, weights)

    def _encode(self, sample: TrainingSample) -> _EncodedSample:
        key = (sample.text, sample.labels, sample.author)
        if key not in self._encoded:
            token_starts, embeddings = sentence_encoder().read(sample.text)
            tags = np.array([sample.clause_starts, sample.slots], np.int8).reshape(2, -1)
            characters = np.minimum(token_starts, len(sample.text) - 1).astype(int)
            self._encoded[key] = _EncodedSample(
                embeddings.astype(np.float16),
                tuple(map(self.labels.index, sample.labels)),
                tags[:, characters].T,
                sample.author not in ('', '*'),
            )
        return self._encoded[key]

    def _loss(self, network: Network, batch: Sequence[_EncodedSample]) -> Tensor:
        lengths = torch.tensor([len(sample.embeddings) for sample in batch])
        embeddings = torch.zeros(len(batch), int(lengths.max()), _EMBEDDING_SIZE)
        tags = torch.full((*embeddings.shape[:2], 2), float(UNKNOWN))
        for row, sample in enumerate(batch):
            length = len(sample.embeddings)
            embeddings[row, :length] = torch.from_numpy(sample.embeddings.astype(np.float32))
            tags[row, :length] = torch.from_numpy(sample.tags.astype(np.float32))
        kept = torch.rand(embeddings.shape[:2]) >= _TOKEN_DROPOUT
        log_probabilities, tag_scores = network(embeddings * kept[..., None], lengths)
        labels = torch.tensor(
            [label for sample in batch for label in sample.labels], dtype=torch.long
        )
        counts = torch.tensor([len(sample.labels) for sample in batch])
        loss: Tensor = nn.functional.ctc_loss(
            *(log_probabilities.transpose(0, 1), labels, lengths, counts),
            blank=len(self.labels),
            reduction='none',
            zero_infinity=True,
        ).mean()
        for tag in range(2):
            is_known = tags[..., tag] >= 0
            if is_known.any():
                loss = loss + _TAG_LOSS * nn.functional.binary_cross_entropy_with_logits(
                    tag_scores[..., tag][is_known], tags[..., tag][is_known]
                )
        return loss


def _batches(samples: list[_EncodedSample], rng: random.Random) -> Iterator[list[_EncodedSample]]:
    rng.shuffle(samples)
    block = _BATCH_SIZE * _BATCHES_OF_LIKE_LENGTH
    ordered = [
        sample
        for start in range(0, len(samples), block)
        for sample in sorted(samples[start : start + block], key=lambda each: len(each.embeddings))
    ]
    batches = [
        ordered[start : start + _BATCH_SIZE] for start in range(0, len(ordered), _BATCH_SIZE)
    ]
    rng.shuffle(batches)
    yield from batches


def _arrays(network: Network) -> Iterator[NDArray[np.float32]]:
    """Yield the weights of a network in the order of `WEIGHTS`."""
    layer, gru = network.input_layer, network.gru
    yield from (layer.weight.T.detach().numpy(), layer.bias.detach().numpy())
    for kind in ('ih', 'hh'):
        directions = [
            (getattr(gru, f'weight_{kind}_l0{suffix}'), getattr(gru, f'bias_{kind}_l0{suffix}'))
            for suffix in ('', '_reverse')
        ]
        yield np.stack([weights.detach().numpy().T for weights, _ in directions])
        yield np.stack([biases.detach().numpy() for _, biases in directions])
    for layer in (network.label_layer, network.tag_layer):
        yield from (layer.weight.T.detach().numpy(), layer.bias.detach().numpy())
