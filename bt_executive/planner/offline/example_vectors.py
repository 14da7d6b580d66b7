"""Classifies texts by the vectors of labelled examples: the tools' own, their opposites, no tool.

What no tool covers has a label like the tools, and so has the opposite of a tool, whether or not
another tool does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.antonyms import Side, is_vague, opposes, sides
from bt_executive.planner.offline.candidate_names_for_slots import with_one_name
from bt_executive.planner.offline.clause_parsing import bare
from bt_executive.planner.offline.courtesy_and_asides import Asides, Rows, read_sentences
from bt_executive.planner.offline.table_of_examples import (
    MANY,
    NONE,
    OPPOSITE,
    POLITE,
    LabelledExample,
)
from rover_common.llm.sentence_encoder import sentence_encoder

# Tuned on test/…/wordings.yaml, which are no examples.
SURE, MARGIN, MARGIN_OF_MOTION = 0.33, 0.05, 0.08  # a motion takes more than a question
_GAMMA, _RIDGE, _WEIGHT = 5.0, 0.07, 0.7  # of the ridge regression
_SAME = 0.85  # similarity at which a general example of no tool equals a tool's own
_POLITE = 0.75  # least similarity of a courtesy
_NEAR = 0.5  # similarity at which a request may be for a tool with few examples
CACHED_TEXTS = 128
_BOTH: frozenset[Side] = frozenset({('on', True), ('on', False)})  # a switch
_COVERED = 0.7  # similarity at which another tool does the opposite of a tool
# Over the opposite, for a text without a word that distinguishes them.
_MARGIN_OF_OPPOSITES = 0.15
# In scripts with few examples, where vectors are less reliable.
_MARGIN_ELSEWHERE, _SCRIPT = 0.1, re.compile('[가-힣\u0600-\u06ff\u0e00-\u0e7fа-яё]')
_ASIDE, _NO_ASIDE = 0.25, 0.9  # least score of an aside; similarity to a command that is none


class Ranked(NamedTuple):
    """A label (a tool's name, NONE or POLITE) with its score for a text."""

    name: str
    score: float


@dataclass(frozen=True)
class Match:
    """The classification of a text.

    Attributes:
        text: The text.
        ranked: All labels, the best first.
        similarity: Cosine to the nearest of all examples.
        margin: Least distance of the best score to the next.
    """

    text: str
    ranked: tuple[Ranked, ...]
    similarity: float
    margin: float = MARGIN

    @property
    def best(self) -> Ranked:
        """Return the best label."""
        return self.ranked[0]

    @property
    def is_sure(self) -> bool:
        """Return whether the best label is far enough ahead of the next."""
        ahead = self.best.score - self.ranked[1].score
        return self.best.score >= SURE and ahead >= self.margin

    @property
    def is_polite(self) -> bool:
        """Return whether the text is only polite."""
        return self.best.name == POLITE and self.similarity >= _POLITE


class ExampleVectors:
    """Kernel ridge regression over the vectors of examples, and their nearest neighbours.

    Args:
        examples: With their labels, grouped by label.
        labels: Of the regression.
        switches: Tools that can be switched on and off.
        moves: Tools that move the robot.
    """

    def __init__(
        self,
        examples: Sequence[LabelledExample],
        labels: Sequence[str],
        switches: frozenset[str],
        moves: frozenset[str],
    ) -> None:
        self._moves = moves
        counts = Counter(each.name for each in examples if each.name not in (NONE, POLITE))
        few = frozenset(name for name, count in counts.items() if count < MANY)
        general = list(dict.fromkeys(map(bare, read_sentences('no_tool.txt'))))
        requests = read_sentences('requests.txt') if 2 * len(few) < len(counts) else ()
        none = list(dict.fromkeys([*general, *map(bare, requests)]))
        rows, further = _embedded_by_label(examples), sentence_encoder().embed_lasting(none)
        is_kept = _not_covered(examples, rows)
        examples = [each for each, keep in zip(examples, is_kept, strict=True) if keep]
        rows = rows[is_kept]
        names = [each.name for each in examples]
        of_tools = rows[[each not in (NONE, POLITE) for each in names]]
        far = (further @ of_tools.T).max(axis=1, initial=0.0) < _SAME
        of_few = rows[[each in few for each in names]]  # one example covers little
        far[len(general) :] &= (further[len(general) :] @ of_few.T).max(
            axis=1, initial=0.0
        ) < _NEAR
        names += [NONE] * int(far.sum())
        self._rows = np.concatenate([rows, further[far]])
        self._matches: dict[str, tuple[Match, Rows]] = {}
        self._asides = Asides(of_tools)
        self._labels = labels
        of_labels: dict[str, list[LabelledExample]] = {name: [] for name in labels}
        for each in examples:
            of_labels[each.name].append(each)
        self._sides = [
            frozenset()
            if _asks(own)
            else frozenset(side for each in own for side in each.sides)
            | (_BOTH if name in switches else frozenset())
            for name, own in of_labels.items()
        ]
        self._reversed_sides = _reversed_sides(examples, labels)
        self._label_of = np.array([labels.index(each) for each in names])
        commands = {each.text for each in examples if not each.asks}
        # Where the examples of another label start.
        self._starts = np.flatnonzero(np.diff(self._label_of, prepend=-1))
        self._commands = np.flatnonzero(
            [each.name not in (NONE, POLITE) and each.text in commands for each in examples]
            + [False] * int(far.sum())
        )
        self._count = np.bincount(self._label_of, minlength=len(labels))
        count = self._count[self._label_of]
        parameters = f'{_GAMMA} {_RIDGE} {_WEIGHT}'
        texts = [
            *(with_one_name(each.text) for each in examples),
            *(text for text, keep in zip(none, far, strict=True) if keep),
        ]
        keys = [f'{parameters} {name}: {text}' for name, text in zip(names, texts, strict=True)]
        self._weights = sentence_encoder().lasting(keys, lambda _: self._regression(count))

    def _regression(self, count: NDArray[np.int64]) -> NDArray[np.float32]:
        kernel = self._rows @ self._rows.T
        kernel -= 1.0  # in place: it has 70 MB
        kernel *= _GAMMA
        np.exp(kernel, out=kernel)
        kernel[np.diag_indices_from(kernel)] += _RIDGE * count**_WEIGHT
        targets = np.eye(len(self._labels), dtype=np.float32)[self._label_of]
        return np.linalg.solve(kernel, targets).astype(np.float32)

    def match(self, texts: Sequence[str], also: Sequence[str] = ()) -> dict[str, Match]:
        """Return the match of each text; `also`: texts that are encoded in the same batch."""
        return {text: match for text, (match, _) in self._cached(texts, also).items()}

    def similarities(self, text: str) -> Rows:
        """Return the cosine of a text to each example."""
        return self._cached([text])[text][1]

    def similarities_to(self, texts: Sequence[str], example: int) -> Rows:
        """Return the cosine of each text to one example."""
        return self._embedded(texts) @ self._rows[example]

    def _cached(
        self, texts: Sequence[str], also: Sequence[str] = ()
    ) -> dict[str, tuple[Match, Rows]]:
        found = {each: self._matches[each] for each in texts if each in self._matches}
        missing = [each for each in dict.fromkeys(texts) if each not in found]
        found |= self._match_all(missing, also) if missing else {}
        if len(self._matches) > CACHED_TEXTS:
            self._matches.clear()
        self._matches |= found
        return found

    def _match_all(
        self, texts: Sequence[str], also: Sequence[str]
    ) -> dict[str, tuple[Match, Rows]]:
        # In this order BLAS copies the few texts, and not the thousands of examples.
        by_example = self._rows @ self._embedded([*texts, *also])[: len(texts)].T
        similarities = by_example.T
        regressed = np.exp(_GAMMA * (similarities - 1.0)) @ self._weights
        nearest = np.zeros(regressed.T.shape, np.float32)
        best = np.maximum.reduceat(by_example, self._starts)
        np.maximum.at(nearest, self._label_of[self._starts], best)
        scores = ((regressed + nearest.T) / 2.0).tolist()
        highest = best.max(axis=0).tolist()
        rows = zip(texts, scores, highest, similarities, strict=True)
        return {text: (self._match(text, *row), each) for text, *row, each in rows}

    def _embedded(self, texts: Sequence[str]) -> Rows:
        return sentence_encoder().embed([*map(with_one_name, texts)])

    def are_asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is an aside: near to no command among the examples."""
        rows = sentence_encoder().embed(texts)
        near = (self._rows @ rows.T)[self._commands].max(axis=0, initial=0.0)
        is_aside = (self._asides.scores(rows) >= _ASIDE) & (near < _NO_ASIDE)
        examples = read_sentences('asides.txt')
        return [text in examples or bool(is_) for text, is_ in zip(texts, is_aside, strict=True)]

    def _match(self, text: str, scores: Sequence[float], similarity: float) -> Match:
        """Return the match of a text; labels of which it is the opposite come last."""
        its_sides = sides(text)
        is_opposite = [opposes(its_sides, each) for each in self._sides]
        for at, reversed_ in self._reversed_sides.items():  # it has the tool's side itself
            is_opposite[at] |= bool(reversed_) and reversed_ <= its_sides
        order = sorted(range(len(scores)), key=lambda at: (is_opposite[at], -scores[at]))
        ranked = tuple(
            Ranked(self._labels[at], 0.0 if is_opposite[at] else scores[at]) for at in order
        )
        best, second = self._sides[order[0]], self._sides[order[1]]
        margin = MARGIN_OF_MOTION if self._labels[order[0]] in self._moves else MARGIN
        has_few = self._count[order[0]] < MANY
        if has_few and opposes(best, second) and not its_sides & best:
            margin = max(margin, _MARGIN_OF_OPPOSITES)
        if _SCRIPT.search(text) and not its_sides & best:
            margin = max(margin, _MARGIN_ELSEWHERE)
        directed = frozenset(each for each in best if each[0] != 'on')
        is_undirected = directed and not its_sides & directed and is_vague(text)
        if _is_both(its_sides, best) or is_undirected:
            margin = 1.0  # never sure
        return Match(text, ranked, similarity, margin)


def _asks(examples: Sequence[LabelledExample]) -> bool:
    """Return whether most examples are questions, which have no opposite."""
    return 2 * sum(each.asks for each in examples) > len(examples)


def _is_both(text: frozenset[Side], tool: frozenset[Side]) -> bool:
    """Return whether a text has both sides of a pair of which the tool has only one."""
    both = {pair for pair, side in text if (pair, not side) in text}
    return any((pair, not side) not in tool for pair, side in tool if pair in both)


def _not_covered(examples: Sequence[LabelledExample], rows: NDArray[np.float32]) -> list[bool]:
    """Return which examples to keep: not the opposite of a tool that another tool does."""
    opposites = [at for at, each in enumerate(examples) if each.name[:1] == OPPOSITE]
    is_of_tool = np.array(
        [each.name not in (NONE, POLITE) and each.name[:1] != OPPOSITE for each in examples]
    )
    is_kept = [True] * len(examples)
    for at, similarities in zip(opposites, rows[opposites] @ rows.T, strict=True):
        is_kept[at] = not any(
            examples[other].name != examples[at].name[1:]
            and not opposes(examples[at].sides, examples[other].sides)
            for other in map(int, np.flatnonzero(is_of_tool & (similarities >= _COVERED)))
        )
    return is_kept


def _embedded_by_label(examples: Sequence[LabelledExample]) -> Rows:
    """Return the vectors of examples; those of a label are stored by themselves."""
    texts = (
        [with_one_name(each.text) for each in of_label]
        for _, of_label in groupby(examples, key=lambda each: each.name)
    )
    return np.concatenate([sentence_encoder().embed_lasting(each) for each in texts])


def _reversed_sides(
    examples: Sequence[LabelledExample], labels: Sequence[str]
) -> dict[int, frozenset[Side]]:
    """Return by the index of an opposite's label the sides that are reversed in its examples."""
    found: dict[int, frozenset[Side]] = {}
    for each in examples:
        if each.reversed_side:
            at = labels.index(each.name)
            found[at] = found.get(at, frozenset()) | {each.reversed_side}
    return found
