"""Fits the networks of the offline model's `ToolModel`, with torch: `pip install torch`.

Nothing at run time needs torch: `ToolModel` goes through the same layers with numpy.
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

from bench.models.fitting import UNKNOWN, Sample
from bt_executive.planner.offline.neural_networks import WEIGHTS, Heard, ToolModel
from rover_common.llm.sentence_encoder import sentence_encoder

WIDTH = 128
_OF_A_PIECE = 1280  # numbers that the encoder has
_DROPPED, _RATE, _DECAY, _BATCH, _ROUNDS = 0.3, 2e-3, 0.01, 48, 12
_SHARE = 3  # of our examples, and of what is put together, each third is seen in a round
_OF_A_MARK = 0.5  # how much marks count beside classes
_SORTED = 20  # batches that are made of texts of like length
Rows: TypeAlias = NDArray[np.float16]


@dataclass(frozen=True)
class _Seen:
    """A sample with what the encoder makes of its pieces."""

    states: Rows
    wanted: tuple[int, ...]
    marks: NDArray[np.int8]
    is_authors: bool


class Network(nn.Module):
    """Goes through the pieces of a text forwards and backwards; see `ToolModel`."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.below, self.drop = nn.Linear(_OF_A_PIECE, WIDTH), nn.Dropout(_DROPPED)
        self.both = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.said, self.marks = nn.Linear(2 * WIDTH, classes + 1), nn.Linear(2 * WIDTH, 2)

    def forward(self, states: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return at each piece the logarithms of how likely each class is, and its marks."""
        below = self.drop(torch.relu(self.below(self.drop(states))))
        packed = pack_padded_sequence(below, lengths, batch_first=True, enforce_sorted=False)
        seen, _ = pad_packed_sequence(self.both(packed)[0], batch_first=True)
        seen = self.drop(seen)
        return self.said(seen).log_softmax(-1), self.marks(seen)


class Trainer:
    """Fits networks for some classes. What the encoder makes of a text is kept."""

    def __init__(self, classes: Sequence[str]) -> None:
        torch.set_num_threads(1)
        self.classes = tuple(classes)
        self._seen: dict[tuple[str, tuple[str, ...], str], _Seen] = {}

    def fit(self, samples: Sequence[Sample], seed: int, rounds: int = _ROUNDS) -> Network:
        """Return a network that is fitted to samples."""
        torch.manual_seed(seed)
        dice = random.Random(seed)
        seen = [each for each in map(self._see, samples) if len(each.states)]
        theirs = [each for each in seen if each.is_authors]
        others = [each for each in seen if not each.is_authors]
        network = Network(len(self.classes))
        steps = rounds * ((len(theirs) + len(others) // _SHARE) // _BATCH + 1)
        optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
        rate = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, _RATE, total_steps=steps, pct_start=0.15
        )
        network.train()
        for _ in range(rounds):
            chosen = [*theirs, *dice.sample(others, len(others) // _SHARE)]
            for batch in _batches(chosen, dice):
                loss = self._loss(network, batch)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                rate.step()
        network.eval()
        return network

    def model(self, networks: Sequence[Network]) -> ToolModel:
        """Return a model of networks."""
        made = [dict(zip(WEIGHTS, _arrays(each), strict=True)) for each in networks]
        return ToolModel(
            self.classes, {name: np.stack([each[name] for each in made]) for name in WEIGHTS}
        )

    def _see(self, sample: Sample) -> _Seen:
        key = (sample.text, sample.wanted, sample.author)
        if key not in self._seen:
            starts, states = sentence_encoder().read(sample.text)
            both = np.array([sample.begins, sample.names], np.int8).reshape(2, -1)
            at = np.minimum(starts, len(sample.text) - 1).astype(int)
            wanted = tuple(map(self.classes.index, sample.wanted))
            is_authors = sample.author not in ('', '*')
            self._seen[key] = _Seen(states.astype(np.float16), wanted, both[:, at].T, is_authors)
        return self._seen[key]

    def _loss(self, network: Network, batch: Sequence[_Seen]) -> Tensor:
        lengths = torch.tensor([len(each.states) for each in batch])
        states = torch.zeros(len(batch), int(lengths.max()), _OF_A_PIECE)
        marks = torch.full((*states.shape[:2], 2), float(UNKNOWN))
        for at, each in enumerate(batch):
            states[at, : len(each.states)] = torch.from_numpy(each.states.astype(np.float32))
            marks[at, : len(each.states)] = torch.from_numpy(each.marks.astype(np.float32))
        said, marked = network(states, lengths)
        wanted = torch.tensor([one for each in batch for one in each.wanted], dtype=torch.long)
        counts = torch.tensor([len(each.wanted) for each in batch])
        loss: Tensor = nn.functional.ctc_loss(
            *(said.transpose(0, 1), wanted, lengths, counts),
            blank=len(self.classes),
            reduction='none',
            zero_infinity=True,
        ).mean()
        for at in range(2):
            known = marks[..., at] >= 0
            if known.any():
                loss = loss + _OF_A_MARK * nn.functional.binary_cross_entropy_with_logits(
                    marked[..., at][known], marks[..., at][known]
                )
        return loss


class Ear:
    """Implements `bench.models.fitting.Hears` by a model."""

    def __init__(self, model: ToolModel) -> None:
        self._model = model

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        """See `Hears`."""
        return [self._model.read(each)[0] for each in texts]


def _batches(chosen: list[_Seen], dice: random.Random) -> Iterator[list[_Seen]]:
    dice.shuffle(chosen)
    block = _BATCH * _SORTED
    in_order = [
        each
        for at in range(0, len(chosen), block)
        for each in sorted(chosen[at : at + block], key=lambda seen: len(seen.states))
    ]
    found = [in_order[at : at + _BATCH] for at in range(0, len(in_order), _BATCH)]
    dice.shuffle(found)
    yield from found


def _arrays(network: Network) -> Iterator[NDArray[np.float32]]:
    """Yield the weights of a network in the order of `WEIGHTS`."""
    both = network.both
    yield from (network.below.weight.T.detach().numpy(), network.below.bias.detach().numpy())
    for kind in ('ih', 'hh'):
        ways = [
            (getattr(both, f'weight_{kind}_l0{way}'), getattr(both, f'bias_{kind}_l0{way}'))
            for way in ('', '_reverse')
        ]
        yield np.stack([weights.detach().numpy().T for weights, _ in ways])
        yield np.stack([biases.detach().numpy() for _, biases in ways])
    for layer in (network.said, network.marks):
        yield from (layer.weight.T.detach().numpy(), layer.bias.detach().numpy())
