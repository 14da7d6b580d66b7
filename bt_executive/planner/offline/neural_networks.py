"""Reads from a text which of a robot's tools it asks for, in which order: fitted beforehand.

A recurrent network goes through the pieces of a text as the sentence encoder has them, forwards
and backwards, and says at each whether a tool is asked for there (connectionist temporal
classification): so a wish has no length, and what is only said around it is nothing. Several
networks, each of which has seen other authors, vote. `python -m bench.models.fit` makes them of
the tools' examples and of wordings by many authors; the file stands beside the examples. A tool
that is not in it is known by its examples alone.
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

NO_TOOL = ''  # the class of what no tool does
Rows: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = Mapping[str, Rows]
WEIGHTS = (
    *('in_weights', 'in_biases', 'from_below', 'from_below_biases', 'from_before'),
    *('from_before_biases', 'out_weights', 'out_biases', 'mark_weights', 'mark_biases'),
)


@dataclass(frozen=True)
class Heard:
    """What a model hears in a text.

    Attributes:
        classes: What is asked for, in its order.
        places: The character at which each is heard.
        likely: How likely the text asks for exactly these.
        starts: Where its pieces begin.
        begins: How likely something new begins with each piece.
        names: How likely each piece belongs to a thing's name.
    """

    classes: tuple[str, ...]
    places: tuple[int, ...]
    likely: float
    starts: tuple[int, ...]
    begins: tuple[float, ...]
    names: tuple[float, ...]


class ToolModel:
    """Networks that hear which classes a text asks for.

    A class is a tool's name, perhaps with arguments that some of its examples have (`class_of`);
    the last one is `NO_TOOL`.

    Args:
        classes: Their names.
        weights: Of all networks; see `WEIGHTS`.
    """

    def __init__(self, classes: Sequence[str], weights: Weights) -> None:
        self.classes = tuple(classes)
        self.tools = frozenset(tool_of(each) for each in self.classes if each != NO_TOOL)
        self._of = weights

    def of(self, networks: Sequence[int]) -> ToolModel:
        """Return the model of some of its networks."""
        kept = list(networks)
        return ToolModel(self.classes, {name: each[kept] for name, each in self._of.items()})

    def write(self, path: Path, made_of: str) -> None:
        """Write it to a file; `made_of`: a sum of what it was fitted to."""
        arrays: dict[str, Any] = {name: each.astype(np.float16) for name, each in self._of.items()}
        arrays |= {'classes': np.array(self.classes), 'made_of': np.array(made_of)}
        np.savez_compressed(path, **arrays)

    def read(self, text: str, also: Sequence[Sequence[str]] = ()) -> tuple[Heard, list[float]]:
        """Return what is heard in a plain text, and how likely it asks for each of `also`.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        starts, states = sentence_encoder().read(text)
        if not starts:
            return Heard((), (), 0.0, (), (), ()), [0.0 for _ in also]
        said, marks = self._run(states)
        best = [_path(each, len(self.classes)) for each in said.argmax(axis=2)]
        tried = list(dict.fromkeys(path for path, _ in best))
        numbers = {name: at for at, name in enumerate(self.classes)}
        others = [tuple(numbers.get(name, -1) for name in each) for each in also]
        likely = [float(of_path(said, each).mean()) for each in (*tried, *others)]
        first = int(np.argmax(likely[: len(tried)]))
        ways = [at for at, (path, _) in enumerate(best) if path == tried[first]]
        at = max(ways, key=of_path(said, tried[first]).__getitem__)
        begins, names = (1.0 / (1.0 + np.exp(-marks.mean(axis=0)))).T
        heard = Heard(
            tuple(self.classes[each] for each in tried[first]),
            tuple(starts[each] for each in best[at][1]),
            likely[first],
            tuple(starts),
            tuple(map(float, begins)),
            tuple(map(float, names)),
        )
        return heard, likely[len(tried) :]

    def _run(self, states: Rows) -> tuple[Rows, Rows]:
        """Return for each network and piece the likelihoods of the classes, and two marks."""
        of = self._of
        below = np.maximum(states @ of['in_weights'] + of['in_biases'][:, None], 0.0)
        both = np.stack([below, below[:, ::-1]], axis=1)  # network, direction, piece
        given = both @ of['from_below'] + of['from_below_biases'][:, :, None]
        width = below.shape[2]
        biases = of['from_before_biases'][:, :, None]
        given[..., : 2 * width] += biases[..., : 2 * width]
        state = np.zeros((*given.shape[:2], 1, width), np.float32)
        rows = np.empty((*given.shape[:3], width), np.float32)
        for at in range(given.shape[2]):  # in place: the arrays are small
            now, old = given[:, :, at : at + 1], state @ of['from_before']
            gates, new = old[..., : 2 * width], old[..., 2 * width :]
            gates += now[..., : 2 * width]
            np.exp(np.negative(gates, out=gates), out=gates)
            gates += 1.0
            np.reciprocal(gates, out=gates)
            new += biases[..., 2 * width :]
            new *= gates[..., :width]  # how much of the state is looked at
            new += now[..., 2 * width :]
            np.tanh(new, out=new)
            state -= new
            state *= gates[..., width:]  # how much of it is kept
            state += new
            rows[:, :, at] = state[:, :, 0]
        seen = np.concatenate([rows[:, 0], rows[:, 1, ::-1]], axis=2)
        score = seen @ of['out_weights'] + of['out_biases'][:, None]
        score -= score.max(axis=2, keepdims=True)
        said = np.exp(score)
        said /= said.sum(axis=2, keepdims=True)
        return said, seen @ of['mark_weights'] + of['mark_biases'][:, None]


def _path(best: NDArray[np.int64], nothing: int) -> tuple[tuple[int, ...], list[int]]:
    """Return the classes that are heard one after another, and at which pieces."""
    found: list[tuple[int, int]] = []
    for at, each in enumerate(best):
        if each != nothing and (not at or each != best[at - 1]):
            found.append((int(each), at))
    return tuple(each for each, _ in found), [at for _, at in found]


def of_path(said: Rows, path: tuple[int, ...]) -> NDArray[np.float64]:
    """Return how likely a text asks for these classes in this order, at whichever pieces.

    Args:
        said: For each network and piece the likelihoods of the classes.
        path: The classes; -1: one that the networks do not know.
    """
    if -1 in path:
        return np.zeros(len(said))
    nothing = said.shape[2] - 1
    states = np.full(2 * len(path) + 1, nothing)
    states[1::2] = path
    may_skip = np.zeros(len(states))
    may_skip[3::2] = states[3::2] != states[1:-2:2]
    rows = said[:, :, states].swapaxes(0, 1).astype(np.float64)
    likely = np.zeros(rows.shape[1:])
    likely[:, :2] = rows[0, :, :2]
    for row in rows[1:]:
        come = likely.copy()
        come[:, 1:] += likely[:, :-1]
        come[:, 2:] += likely[:, :-2] * may_skip[2:]
        likely = come * row
    return np.asarray(likely[:, -2:].sum(axis=1))


@lru_cache(4)
def load_model(path: str) -> ToolModel:
    """Read a model.

    Raises:
        ModelError: The file cannot be read, or is none.
    """
    try:
        with np.load(path) as file:
            weights = {name: file[name].astype(np.float32) for name in WEIGHTS}
            return ToolModel([str(each) for each in file['classes']], weights)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f'{path} cannot be read ({error}).', again=False) from error


def class_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the name of the class of a tool with these arguments."""
    return f'{tool} {json.dumps(arguments, sort_keys=True)}' if arguments else tool


def tool_of(name: str) -> str:
    """Return the tool of a class."""
    return name.partition(' ')[0]


def arguments_of(name: str) -> dict[str, Any]:
    """Return the arguments of a class."""
    text = name.partition(' ')[2]
    arguments: dict[str, Any] = json.loads(text) if text else {}
    return arguments
