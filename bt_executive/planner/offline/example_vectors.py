"""The examples as vectors, what tells their classes apart, and the match of a text with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
import re

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.asides import Asides, Rows, read_sentences
from bt_executive.planner.offline.clauses import bare
from bt_executive.planner.offline.example_table import MANY, NONE, OPPOSITE, POLITE, Said
from bt_executive.planner.offline.no_tool_examples import NO_TOOL
from bt_executive.planner.offline.opposites import Side, is_vague, opposes, sides
from bt_executive.planner.offline.text_arguments import with_one_name
from rover_common.llm.sentence_encoder import sentence_encoder

# Set on wordings of our own that are no examples: test/…/wordings.yaml.
SURE, MARGIN, MARGIN_OF_MOTION = 0.33, 0.05, 0.08  # a motion must be clearer than a reading
_GAMMA, _RIDGE, _WEIGHT = 5.0, 0.07, 0.7  # a class with more examples is held less closely to them
_SAME = 0.85  # similarity from which a general example of no tool is a tool's own example
_POLITE = 0.75  # least similarity of what is left out as polite
_NEAR = 0.5  # from which a request may be for a tool with few examples
REMEMBERED = 128  # texts of which is kept what they are like
_BOTH: frozenset[Side] = frozenset({('on', True), ('on', False)})  # a switch
_COVERED = 0.7  # similarity from which another tool does the opposite of a tool
# By how much a tool must be better than its opposite for a text without a word that parts them.
_MARGIN_OF_OPPOSITES = 0.15
# The same in a script in which examples are seldom written, where vectors are less certain.
_MARGIN_ELSEWHERE, _SCRIPT = 0.1, re.compile('[가-힣\u0600-\u06ff\u0e00-\u0e7fа-яё]')
_ASIDE, _NO_ASIDE = 0.25, 0.9  # least score of what is said around a wish, and no such example


@dataclass(frozen=True)
class Ranked:
    """A class (a tool's name, or NONE or POLITE) with its score for a text."""

    name: str
    score: float


@dataclass(frozen=True)
class Match:
    """What a text may ask for: all classes, the best first.

    Attributes:
        text: The text.
        ranked: The classes.
        similarity: Cosine to the nearest example of all.
        margin: By how much the best must be better than the next.
    """

    text: str
    ranked: tuple[Ranked, ...]
    similarity: float
    margin: float = MARGIN

    @property
    def best(self) -> Ranked:
        """Return the best class."""
        return self.ranked[0]

    @property
    def is_sure(self) -> bool:
        """Return whether the best class is far enough before the next."""
        ahead = self.best.score - self.ranked[1].score
        return self.best.score >= SURE and ahead >= self.margin

    @property
    def is_polite(self) -> bool:
        """Return whether it asks for nothing, and is only polite."""
        return self.best.name == POLITE and self.similarity >= _POLITE


class ExampleVectors:
    """The examples as vectors, and what tells their classes apart."""

    def __init__(
        self,
        said: Sequence[Said],
        classes: Sequence[str],
        switches: frozenset[str],
        moves: frozenset[str],
    ) -> None:
        self._moves = moves
        counts = Counter(each.name for each in said if each.name not in (NONE, POLITE))
        few = frozenset(name for name, count in counts.items() if count < MANY)
        general = list(dict.fromkeys(map(bare, NO_TOOL)))
        requests = read_sentences('requests.txt') if 2 * len(few) < len(counts) else ()
        none = list(dict.fromkeys([*general, *map(bare, requests)]))
        rows, further = _embedded_by_class(said), sentence_encoder().embed_lasting(none)
        kept = _not_covered(said, rows)
        said, rows = [each for each, keep in zip(said, kept, strict=True) if keep], rows[kept]
        names = [each.name for each in said]
        of_tools = rows[[each not in (NONE, POLITE) for each in names]]
        far = (further @ of_tools.T).max(axis=1, initial=0.0) < _SAME
        of_few = rows[[each in few for each in names]]  # one example says little of what is near
        far[len(general) :] &= (further[len(general) :] @ of_few.T).max(
            axis=1, initial=0.0
        ) < _NEAR
        names += [NONE] * int(far.sum())
        self._rows = np.concatenate([rows, further[far]])
        self._matches: dict[str, tuple[Match, Rows]] = {}
        self._asides = Asides(of_tools)
        self._classes = classes
        asking = {name for name in classes if _asks([each for each in said if each.name == name])}
        self._sides = [
            frozenset()
            if name in asking
            else frozenset(side for each in said if each.name == name for side in each.sides)
            | (_BOTH if name in switches else frozenset())
            for name in classes
        ]
        self._kept = _kept_sides(said, classes)
        self._of = np.array([classes.index(each) for each in names])
        wishes = {each.text for each in said if 'question' not in each.kinds}
        # Where examples of another class begin.
        self._begins = np.flatnonzero(np.diff(self._of, prepend=-1))
        self._is_wish = np.flatnonzero(
            [each.name not in (NONE, POLITE) and each.text in wishes for each in said]
            + [False] * int(far.sum())
        )
        self._count = np.bincount(self._of, minlength=len(classes))
        count = self._count[self._of]
        form = f'{_GAMMA} {_RIDGE} {_WEIGHT}'
        texts = [
            *(with_one_name(each.text) for each in said),
            *(text for text, keep in zip(none, far, strict=True) if keep),
        ]
        lasting = [f'{form} {name}: {text}' for name, text in zip(names, texts, strict=True)]
        self._weights = sentence_encoder().lasting(lasting, lambda _: self._regression(count))

    def _regression(self, count: NDArray[np.int64]) -> NDArray[np.float32]:
        kernel = self._rows @ self._rows.T
        kernel -= 1.0  # in place: it has 70 MB
        kernel *= _GAMMA
        np.exp(kernel, out=kernel)
        kernel[np.diag_indices_from(kernel)] += _RIDGE * count**_WEIGHT
        wanted = np.eye(len(self._classes), dtype=np.float32)[self._of]
        return np.linalg.solve(kernel, wanted).astype(np.float32)

    def match(self, texts: Sequence[str], also: Sequence[str] = ()) -> dict[str, Match]:
        """Return what each text may ask for; `also`: texts that are encoded with these."""
        return {text: match for text, (match, _) in self._found(texts, also).items()}

    def alike_to(self, text: str) -> Rows:
        """Return the cosine of a text to each example."""
        return self._found([text])[text][1]

    def alike_to_one(self, texts: Sequence[str], example: int) -> Rows:
        """Return the cosine of each text to one example."""
        return self._embedded(texts) @ self._rows[example]

    def _found(
        self, texts: Sequence[str], also: Sequence[str] = ()
    ) -> dict[str, tuple[Match, Rows]]:
        found = {each: self._matches[each] for each in texts if each in self._matches}
        lacking = [each for each in dict.fromkeys(texts) if each not in found]
        found |= self._match_all(lacking, also) if lacking else {}
        if len(self._matches) > REMEMBERED:
            self._matches.clear()
        self._matches |= found
        return found

    def _match_all(
        self, texts: Sequence[str], also: Sequence[str]
    ) -> dict[str, tuple[Match, Rows]]:
        alike = self._embedded([*texts, *also])[: len(texts)] @ self._rows.T
        regressed = np.exp(_GAMMA * (alike - 1.0)) @ self._weights
        nearest = np.zeros(regressed.T.shape, np.float32)
        best = np.maximum.reduceat(alike.T, self._begins)
        np.maximum.at(nearest, self._of[self._begins], best)
        scores = (regressed + nearest.T) / 2.0
        rows = zip(texts, scores, alike, strict=True)
        return {text: (self._match(text, *row), row[1]) for text, *row in rows}

    def _embedded(self, texts: Sequence[str]) -> Rows:
        return sentence_encoder().embed([*map(with_one_name, texts)])

    def asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is only said around a wish: no tool's example."""
        rows = sentence_encoder().embed(texts)
        near = (rows @ self._rows.T)[:, self._is_wish].max(axis=1, initial=0.0)
        are = (self._asides.scores(rows) >= _ASIDE) & (near < _NO_ASIDE)
        known = read_sentences('asides.txt')
        return [each in known or bool(is_so) for each, is_so in zip(texts, are, strict=True)]

    def _match(self, text: str, scores: NDArray[np.float64], alike: NDArray[np.float32]) -> Match:
        """Return the classes for a text, those last that it is the opposite of."""
        said = sides(text)
        turned_round = [bool(each) and opposes(said, each) for each in self._sides]
        for at, kept in self._kept.items():  # it says what was turned as the tool does
            turned_round[at] |= bool(kept) and kept <= said
        order = sorted(range(len(scores)), key=lambda at: (turned_round[at], -scores[at]))
        ranked = tuple(
            Ranked(self._classes[at], 0.0 if turned_round[at] else float(scores[at]))
            for at in order
        )
        best, second = self._sides[order[0]], self._sides[order[1]]
        margin = MARGIN_OF_MOTION if self._classes[order[0]] in self._moves else MARGIN
        few = self._count[order[0]] < MANY
        if few and opposes(best, second) and not said & best:
            margin = max(margin, _MARGIN_OF_OPPOSITES)
        if _SCRIPT.search(text) and not said & best:
            margin = max(margin, _MARGIN_ELSEWHERE)
        sided = frozenset(each for each in best if each[0] != 'on')
        if _is_both(said, best) or (sided and not said & sided and is_vague(text)):
            margin = 1.0  # never sure
        return Match(text, ranked, float(alike.max()), margin)


def _asks(said: Sequence[Said]) -> bool:
    """Return whether most examples of a class are questions, which have no opposite."""
    return 2 * sum('question' in each.kinds for each in said) > len(said)


def _is_both(said: frozenset[Side], tool: frozenset[Side]) -> bool:
    """Return whether a text names both sides of a pair of which a tool has one only."""
    both = {pair for pair, side in said if (pair, not side) in said}
    return any((pair, not side) not in tool for pair, side in tool if pair in both)


def _not_covered(said: Sequence[Said], rows: NDArray[np.float32]) -> list[bool]:
    """Return which examples to keep: no opposite of one tool that another tool does."""
    opposites = [at for at, each in enumerate(said) if each.name[:1] == OPPOSITE]
    covers = np.array(
        [each.name not in (NONE, POLITE) and each.name[:1] != OPPOSITE for each in said]
    )
    kept = [True] * len(said)
    for at, alike in zip(opposites, rows[opposites] @ rows.T, strict=True):
        kept[at] = not any(
            said[other].name != said[at].name[1:]
            and not opposes(said[at].sides, said[other].sides)
            for other in map(int, np.flatnonzero(covers & (alike >= _COVERED)))
        )
    return kept


def _embedded_by_class(said: Sequence[Said]) -> Rows:
    """Return the vectors of examples, which last whatever becomes of the other classes."""
    texts = (
        [with_one_name(each.text) for each in of_class]
        for _, of_class in groupby(said, key=lambda each: each.name)
    )
    return np.concatenate([sentence_encoder().embed_lasting(each) for each in texts])


def _kept_sides(said: Sequence[Said], classes: Sequence[str]) -> dict[int, frozenset[Side]]:
    """Return the sides that were turned in each class of opposites, by its place."""
    found: dict[int, frozenset[Side]] = {}
    for each in said:
        if each.turned:
            at = classes.index(each.name)
            found[at] = found.get(at, frozenset()) | {each.turned}
    return found
