"""Fits the offline model's `ToolModel` to examples and to wordings by many authors.

A linear ridge regression for each class, over the encoder's vectors and the pieces of the texts.
In its dual form the model without all sentences of one author follows from the same matrix, so
each author is judged by a model that has not seen him.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
import random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
import scipy.linalg
import scipy.optimize
import scipy.sparse
import yaml

from bt_executive.planner.offline.asides import sentences
from bt_executive.planner.offline.function_words import in_order
from bt_executive.planner.offline.goal_parts import GoalPart, bare, read_goal
from bt_executive.planner.offline.model_reading import Runs, best_path, runs_of_parts
from bt_executive.planner.offline.no_tool_examples import NO_TOOL as NO_TOOL_AT_ALL
from bt_executive.planner.offline.numbers_with_units import plain
from bt_executive.planner.offline.offered_tools import Tools, slot_of, spoken
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.text_arguments import with_one_name
from bt_executive.planner.offline.tool_model import (
    ASIDE,
    BUCKETS,
    NO_TOOL,
    ToolModel,
    class_of,
    pieces_of,
    weight_of,
)
from rover_common.llm.sentence_encoder import sentence_encoder

FOLDER = Path(__file__).parent
_RIDGE, _BIAS = 0.3, 0.15
_LEAST_OF_A_CLASS = 8  # examples with the same arguments, which are a class of their own
_OF_A_WHOLE, _OF_A_MADE_UP = 1.5, 0.6  # weights of a wording, and of one that was put together
_MADE_UP = 300  # of examples; of an author's a fifth of his
_ALIGNED, _NOT_ASKED = 0.02, 0.6  # least for a part that is taken for a wish, most for an aside
_TRIES = 12
_JOINS = {
    'ja': ('、', '。', '、それから', 'て、', '、次に'),
    'zh': ('，', '。', '，然后', '然后', '再', '，接着', ''),
    'en': (', then ', ' and ', ', ', '. ', ' and then ', '; ', ' then ', ' '),
}
Rows: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True)
class Wording:
    """What an author has written, and the calls that it amounts to."""

    author: str
    lang: str
    text: str
    calls: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Labelled:
    """A text to learn from: its classes, how much it counts, and whose it is (empty: ours)."""

    text: str
    classes: frozenset[str]
    weight: float = 1.0
    author: str = ''


def wordings(folder: Path = FOLDER) -> list[Wording]:
    """Return all wordings of a folder, each once, by file."""
    found: dict[str, Wording] = {}
    for file in sorted(folder.glob('wordings_*.yaml')):
        for each in yaml.safe_load(file.read_text(encoding='utf-8')):
            calls = tuple(each.get('calls') or ())
            found.setdefault(
                each['text'], Wording(file.stem, each.get('lang', ''), each['text'], calls)
            )
    return list(found.values())


class Fitting:
    """What there is to learn from, for one set of tools.

    Args:
        tools: With their examples.
        no_tool: Examples of what none of them does.
        said: Wordings by authors.
    """

    def __init__(self, tools: Tools, no_tool: Sequence[str], said: Sequence[Wording]) -> None:
        self._tools, self._said = tools, said
        self._arguments = {name for tool in tools.values() for name in tool.properties}
        self._variants = _variants(tools)
        names = [name for tool in sorted(tools) for name in (tool, *self._variants.get(tool, ()))]
        self.classes = [*names, NO_TOOL, ASIDE]
        self._ours = list(self._of_examples(no_tool))
        self._wholes = [
            Labelled(self._whole(each), self._classes_of(each), _OF_A_WHOLE, each.author)
            for each in said
        ]

    def models(self) -> tuple[ToolModel, dict[str, ToolModel]]:
        """Return the model of all there is, and for each author the one without what he wrote.

        They know the tools that authors ask for: of others too little is known to speak against.
        """
        asked = {call['tool'] for each in self._said for call in each.calls}
        first = self._regression([])
        full, without = self._regression(self._aligned(first.model(None))).models()
        return full.only(asked), {author: each.only(asked) for author, each in without.items()}

    def parts_of(self, text: str) -> tuple[GoalPart, list[GoalPart]]:
        """Return a goal as one part, and its parts."""
        for name, tool in self._tools.items():
            text = text.replace(name, tool.spaced)
        whole, parts = read_goal(in_order(plain(text)), self._arguments)
        return whole, [each for each in parts if each.text or each.amounts]

    def _whole(self, wording: Wording) -> str:
        return with_one_name(self.parts_of(wording.text)[0].text)

    def _classes_of(self, wording: Wording) -> frozenset[str]:
        return frozenset(self._asked(wording)) or frozenset((NO_TOOL,))

    def _asked(self, wording: Wording) -> list[str]:
        """Return the classes of a wording's calls, in their order."""
        found = []
        for call in wording.calls:
            given = dict(call.get('arguments') or call.get('args') or {})
            fits = [
                name
                for name, arguments in self._variants.get(call['tool'], {}).items()
                if {**arguments, **given} == given or _says(given, arguments)
            ]
            found.append(fits[-1] if fits else call['tool'])
        return found

    def _of_examples(self, no_tool: Sequence[str]) -> Iterator[Labelled]:
        dice = random.Random(1)
        things: dict[str, list[str]] = {}
        for slot in dict.fromkeys(
            slot_of(each) for tool in self._tools.values() for each in tool.examples
        ):
            if slot and not slot.startswith('/'):
                things.setdefault(language_of(slot), []).append(slot)
        for name, tool in self._tools.items():
            for each in tool.examples:
                made = class_of(name, each.args)
                own = frozenset((made if made in self.classes else name,))
                yield Labelled(with_one_name(bare(spoken(each))), own)
                slot = slot_of(each)
                if slot and not slot.startswith('/'):
                    other = dice.choice(things[language_of(slot)])
                    yield Labelled(bare(each.say.replace(f'{{{slot}}}', other)), own)
        for text in (*no_tool, *NO_TOOL_AT_ALL, *sentences('requests.txt')):
            yield Labelled(bare(text), frozenset((NO_TOOL,)))
        for text in sentences('asides.txt'):
            yield Labelled(bare(text), frozenset((ASIDE,)))

    def _aligned(self, model: ToolModel) -> list[Labelled]:
        """Return the parts of wordings with the class that each asks for, by a first model."""
        found: list[Labelled] = []
        for each in self._said:
            _, parts = self.parts_of(each.text)
            if each.calls and 1 < len(parts) <= _TRIES:
                wanted = [model.classes.index(name) for name in self._asked(each)]
                found += _of_parts(parts, wanted, model, each.author)
        return found

    def _regression(self, further: Sequence[Labelled]) -> _Regression:
        rows = [*self._ours, *self._wholes, *further]
        made_up = [
            each for author in {row.author: 0 for row in rows} for each in _made_up(rows, author)
        ]
        return _Regression([*rows, *made_up], self.classes, self._wholes)


class _Regression:
    """Ridge regressions in their dual form."""

    def __init__(
        self, rows: Sequence[Labelled], classes: Sequence[str], wholes: Sequence[Labelled]
    ) -> None:
        rows = list({(each.text, each.classes, each.author): each for each in rows}.values())
        self._classes, self._wholes = classes, wholes
        self._authors = np.array([each.author for each in rows])
        self._vectors, self._pieces = _features([each.text for each in rows])
        kernel = self._vectors @ self._vectors.T + _BIAS
        kernel += (self._pieces @ self._pieces.T).toarray()
        weights = np.array([each.weight for each in rows], np.float32)
        kernel[np.diag_indices_from(kernel)] += _RIDGE / weights
        factor, _ = scipy.linalg.cho_factor(kernel, lower=True, overwrite_a=True)
        inverse, _ = scipy.linalg.lapack.spotri(factor, lower=1, overwrite_c=1)
        self._inverse = np.tril(inverse) + np.tril(inverse, -1).T
        self._dual = self._inverse @ _wanted(rows, classes)
        self._scale = self._calibrated()

    def models(self) -> tuple[ToolModel, dict[str, ToolModel]]:
        authors = sorted({each.author for each in self._wholes})
        return self.model(None), {author: self.model(author) for author in authors}

    def model(self, without: str | None) -> ToolModel:
        """Return the model of all rows but those of an author."""
        slope, offset = self._scale
        of_vectors, of_pieces, biases = self._weights(without)
        return ToolModel(
            self._classes,
            (of_vectors * slope).astype(np.float32),
            (of_pieces * slope).astype(np.float16),
            (biases * slope + offset).astype(np.float32),
        )

    def _weights(self, without: str | None) -> tuple[Rows, Rows, Rows]:
        dual = self._dual.copy()
        own = np.flatnonzero(self._authors == without)
        if without is not None and len(own):
            inner = self._inverse[np.ix_(own, own)]
            dual -= self._inverse[:, own] @ np.linalg.solve(inner, dual[own])
            dual[own] = 0.0
        return self._vectors.T @ dual, self._pieces.T @ dual, _BIAS * dual.sum(axis=0)

    def _calibrated(self) -> tuple[Rows, Rows]:
        """Return for each class what makes a likelihood of what others' models say of a text."""
        scores = []
        for author in dict.fromkeys(each.author for each in self._wholes):
            own = [each.text for each in self._wholes if each.author == author]
            vectors, pieces = _features(own)
            of_vectors, of_pieces, biases = self._weights(author)
            scores.append(vectors @ of_vectors + pieces @ of_pieces + biases)
        by_author = [
            each
            for author in dict.fromkeys(row.author for row in self._wholes)
            for each in self._wholes
            if each.author == author
        ]
        return _logistic(np.concatenate(scores), _wanted(by_author, self._classes))


def _logistic(scores: Rows, wanted: Rows) -> tuple[Rows, Rows]:
    """Return slopes and offsets of logistic regressions of one variable each."""
    count = scores.shape[1]

    def loss(both: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, offset = both[:count], both[count:]
        at = scores * slope + offset
        off = 1.0 / (1.0 + np.exp(-at)) - wanted
        total = float((np.logaddexp(0.0, at) - wanted * at).sum())
        total += float(((slope - 10.0) ** 2).sum() / 50.0 + ((offset + 5.0) ** 2).sum() / 18.0)
        of_slope = (off * scores).sum(axis=0) + (slope - 10.0) / 25.0
        return total, np.concatenate([of_slope, off.sum(axis=0) + (offset + 5.0) / 9.0])

    first = np.concatenate([np.full(count, 10.0), np.full(count, -5.0)])
    found = scipy.optimize.minimize(loss, first, jac=True, method='L-BFGS-B').x
    return found[:count], found[count:]


def _features(texts: Sequence[str]) -> tuple[Rows, scipy.sparse.csr_matrix]:
    rows, columns, values = [], [], []
    for at, text in enumerate(texts):
        pieces = pieces_of(text)
        rows += [at] * len(pieces)
        columns += list(pieces)
        values += [weight_of(len(pieces))] * len(pieces)
    shape = (len(texts), BUCKETS)
    found = scipy.sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape)
    return sentence_encoder().embed(texts), found


def _wanted(rows: Sequence[Labelled], classes: Sequence[str]) -> Rows:
    wanted = np.zeros((len(rows), len(classes)), np.float32)
    for at, row in enumerate(rows):
        wanted[at, [classes.index(each) for each in row.classes]] = 1.0
    return wanted


def _variants(tools: Tools) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the classes of tools with arguments that many of their examples have."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, tool in tools.items():
        made = [(class_of(name, each.args), each.args) for each in tool.examples if each.args]
        names = [each for each, _ in made]
        often: dict[str, Mapping[str, Any]] = {
            each: args for each, args in made if names.count(each) >= _LEAST_OF_A_CLASS
        }
        if often:
            found[name] = often
    return found


def _says(given: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments say the same as those of a class, but for a switch that is on."""
    known = {name: each for name, each in arguments.items() if each is not True}
    return bool(known) and known.items() <= given.items()


def _of_parts(
    parts: Sequence[GoalPart], wanted: Sequence[int], model: ToolModel, author: str
) -> Iterator[Labelled]:
    runs: Runs = runs_of_parts(parts)
    texts = [with_one_name(each.text) for each in runs.values()]
    likely = dict(zip(runs, model.likely(texts), strict=True))
    for run, at in best_path(parts, likely, model, wanted=wanted):
        text, tools = with_one_name(runs[run].text), likely[run][: len(model.tool_classes)]
        if text and at >= 0 and likely[run][at] > _ALIGNED:
            yield Labelled(text, frozenset((model.classes[at],)), author=author)
        elif text and at < 0 and tools.max() < _NOT_ASKED:
            yield Labelled(text, frozenset((ASIDE,)), author=author)


def _made_up(rows: Sequence[Labelled], author: str) -> Iterator[Labelled]:
    """Yield wordings that are put together of an author's, or of ours: sequences, and asides."""
    dice = random.Random(author)
    beside = {NO_TOOL, ASIDE}
    ours = [each for each in rows if not each.author]
    own = [each for each in rows if each.author == author]
    single = [each for each in own if len(each.classes) == 1 and not each.classes & beside]
    if author and single:
        more = [each for each in ours if len(each.classes) == 1 and not each.classes & beside]
        single += dice.sample(more, min(len(more), len(single)))
    asides = [each for each in (*ours, *own, *own) if each.classes == {ASIDE}]
    none = [each for each in ours if each.classes == {NO_TOOL}]
    count = len(single) // 10 if author else _MADE_UP
    for _ in range(count):
        yield _together(dice, [single] * dice.choice((2, 2, 3)), author)
        yield _together(dice, dice.sample([single, asides], 2), author, {ASIDE})
    for _ in range(count // 4):
        yield _together(dice, dice.sample([single, none], 2), author)


def _together(
    dice: random.Random,
    pools: Iterable[Sequence[Labelled]],
    author: str,
    left_out: Iterable[str] = (),
) -> Labelled:
    chosen: list[Labelled] = []
    for pool in pools:
        tried = [dice.choice(pool) for _ in range(_TRIES)]
        same = [each for each in tried if not chosen or _same_language(each, chosen[0])]
        chosen.append((same or tried)[0])
    joins = _JOINS[language_of(chosen[0].text)]
    text = chosen[0].text
    for each in chosen[1:]:
        text += dice.choice(joins) + each.text
    classes = frozenset().union(*(each.classes for each in chosen)) - frozenset(left_out)
    return Labelled(text, classes, _OF_A_MADE_UP, author)


def _same_language(one: Labelled, other: Labelled) -> bool:
    return language_of(one.text) == language_of(other.text)
