"""Finds the tool that a part of a goal asks for, by examples.

A text that is an example is that tool's, at once. For others each example is a vector, and a
tool's score has two halves: its nearest example, and a ridge regression over all examples, which
knows what tells the tools apart. What no tool covers is a class like the tools, with examples of
its own; and so is the opposite of a tool, whether or not another tool does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
import re

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.amounts import plain
from bt_executive.planner.offline.asides import Asides, sentences
from bt_executive.planner.offline.goal_parts import bare, kinds_of
from bt_executive.planner.offline.no_tool import COURTESY, NO_TOOL
from bt_executive.planner.offline.opposites import Side, is_vague, opposes, sides, turned
from bt_executive.planner.offline.slots import is_a_thing, runs_of, with_one_name
from bt_executive.planner.offline.spelling import corrected, words_in
from bt_executive.planner.offline.toolbox import ENDINGS, OfflineTool, Tools, slot_of, spoken
from bt_executive.planner.offline.wording import language_of
from rover_common.config.settings.skills import SkillExample
from rover_common.llm.sentence_encoder import sentence_encoder

NONE, POLITE = '', ' '  # classes of what no tool covers, and of what is only polite
_OPPOSITE = '\N{NOT SIGN}'  # before the name of a tool: the class of its opposite
# Set on wordings of our own that are no examples: test/…/wordings.yaml.
SURE, MARGIN, MARGIN_OF_MOTION = 0.33, 0.05, 0.08  # a motion must be clearer than a reading
_GAMMA, _RIDGE, _WEIGHT = 5.0, 0.07, 0.7  # a class with more examples is held less closely to them
_SAME = 0.85  # similarity from which a general example of no tool is a tool's own example
_POLITE = 0.75  # least similarity of what is left out as polite
_NEAR = 0.5  # from which a request may be for a tool with few examples
_MANY = 8  # examples of a tool, which know of its opposite by themselves
_BOTH: frozenset[Side] = frozenset({('on', True), ('on', False)})  # a switch
_COVERED = 0.7  # similarity from which another tool does the opposite of a tool
_TURNED = 3  # opposites of a tool that are examples of a class
# By how much a tool must be better than its opposite for a text without a word that parts them.
_MARGIN_OF_OPPOSITES = 0.15
# The same in a script in which examples are seldom written, where vectors are less certain.
_MARGIN_ELSEWHERE, _SCRIPT = 0.1, re.compile('[가-힣\u0600-\u06ff\u0e00-\u0e7fа-яё]')
_NAMED = 0.6  # least similarity to an example with its own thing in the place of another
_FRAMED = 0.6  # score of a text that is an example with another thing in its braces
_LEAST = 1e-6
_ANY = 'zqx'  # stands for any thing
_ASIDE, _NO_ASIDE = 0.25, 0.9  # least score of what is said around a wish, and no such example
_FITS = 0.35  # least similarity of an example whose arguments are taken
OTHER_THINGS = 2  # with which an example with braces is repeated
_FAR_APART = 17  # in the list of all things
_MANY_THINGS = 20  # of a tool, which need no others


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


@dataclass(frozen=True)
class _Said:
    """An example as it is compared, and the class that it belongs to.

    Attributes:
        turned: Of an opposite, the side of the tool that was turned.
    """

    name: str
    example: SkillExample
    text: str
    turned: Side | None = None

    @cached_property
    def sides(self) -> frozenset[Side]:
        return sides(plain(spoken(self.example)))

    @cached_property
    def kinds(self) -> frozenset[str]:
        return kinds_of(spoken(self.example))


class Meanings:
    """The examples of a set of tools. The sentence encoder is loaded for the first other text."""

    def __init__(self, tools: Sequence[OfflineTool], no_tool: Sequence[str]) -> None:
        things = _things(tools)
        told = [(tool.name, each) for tool in tools for each in _varied(tool, things)]
        told += [(NONE, SkillExample(say=each)) for each in no_tool]
        told += [(POLITE, SkillExample(say=each)) for each in COURTESY]
        self._said = [_Said(name, each, bare(spoken(each))) for name, each in told]
        known = {each.text for each in self._said}
        opposites = [
            _Said(_OPPOSITE + tool.name, SkillExample(say=other), bare(other), side)
            for tool in tools
            for other, side in _opposites(tool)
        ]
        self._said += [each for each in opposites if each.text not in known]
        self._switches = frozenset(tool.name for tool in tools if tool.switch)
        self._moves = frozenset(tool.name for tool in tools if tool.parts)
        self._classes = sorted({each.name for each in self._said} | {NONE})
        own = [
            _Said(tool.name, each, bare(spoken(each))) for tool in tools for each in tool.examples
        ]
        self._exact = {each.text: each for each in reversed([*own, *self._said])}
        shared = {a.text for a in self._said if self._exact[a.text].name != a.name}
        self._exact = {text: each for text, each in self._exact.items() if text not in shared}

    def know(self, texts: Iterable[str]) -> bool:
        """Return whether each text is an example, so that no encoder is needed."""
        return all(each in self._exact for each in texts)

    def match(self, texts: Sequence[str]) -> list[Match]:
        """Return what each text may ask for.

        Raises:
            ModelError: The sentence encoder is needed, and is not there.
        """
        others = list(dict.fromkeys(each for each in texts if each not in self._exact))
        found = self._vectors.match(others) if others else {}
        framed = {text: self._framed(text, match) for text, match in found.items()}
        return [framed.get(each) or self._same(each) for each in texts]

    def _framed(self, text: str, match: Match) -> Match:
        """Return the match of a text that is an example but for the thing in its braces.

        What is named says nothing about the tool: “go to the north camp” is no “north camp here”.
        """
        fits = {
            name
            for name, before, after in self._frames
            if text.startswith(before)
            and text.endswith(after)
            and is_a_thing(text[len(before) : len(text) - len(after)], len(before + after))
        }
        first = [each for each in match.ranked if each.name in fits and each.score]
        if len(fits) != 1 or not first or (first[0] == match.best and match.is_sure):
            return match
        score = max(first[0].score, _FRAMED)
        others = (each for each in match.ranked if each.name not in fits)
        rest = (
            Ranked(each.name, min(each.score, score - match.margin - _LEAST)) for each in others
        )
        return replace(match, ranked=(Ranked(first[0].name, score), *rest))

    @cached_property
    def _frames(self) -> list[tuple[str, str, str]]:
        """Return the tool of each example with braces, and what it says before and after them."""
        found = []
        for each in self._said:
            slot = slot_of(each.example)
            if slot and not slot.startswith('/'):  # a ROS name is called so by its slash
                said = bare(each.example.say.replace(f'{{{slot}}}', _ANY))
                before, thing, after = said.partition(_ANY)
                if thing and _ANY not in after and before + after:
                    found.append((each.name, before, after))
        return found

    def corrected(self, text: str) -> str:
        """Return a plain text with slips of the keyboard as the examples have these words.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return corrected(text, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for each in self._said for word in words_in(plain(each.example.say)))

    def example_for(self, text: str, tool: str, said: frozenset[str]) -> SkillExample | None:
        """Return the tool's nearest example that says as much as the text does besides.

        None: a text that denies, asks or sets a condition is nothing that the tool has an example
        for.
        """
        exact = self._exact.get(text)
        if exact is not None and exact.name == tool:
            return exact.example
        alike = self._vectors.alike([text])[0]
        fits = [
            at
            for at, each in enumerate(self._said)
            if each.name == tool and said <= each.kinds and alike[at] >= _FITS
        ]
        return self._said[max(fits, key=lambda at: float(alike[at]))].example if fits else None

    def that_name_things(self, text: str, tool: str) -> list[str]:
        """Return the tool's examples with braces, the nearest to a text first."""
        alike = self._vectors.alike([text])[0]
        own = [
            at for at, each in enumerate(self._said) if each.name == tool and slot_of(each.example)
        ]
        frames = [(before, after) for name, before, after in self._frames if name == tool]
        fits = {each for each in frames if text.startswith(each[0]) and text.endswith(each[1])}
        own.sort(key=lambda at: (_frame_of(self._said[at]) not in fits, -float(alike[at])))
        return list(dict.fromkeys(self._said[at].example.say for at in own))

    def suggestion(self, text: str, tool: str) -> SkillExample | None:
        """Return the tool's example nearest to a text, in the text's language if it has one."""
        own = [at for at, each in enumerate(self._said) if each.name == tool]
        language = language_of(text)
        same = [at for at in own if language_of(self._said[at].example.say) == language]
        alike = self._vectors.alike([text])[0]
        best = max(same or own, key=lambda at: float(alike[at]), default=None)
        return None if best is None else self._said[best].example

    def named_in(self, text: str, tool: str) -> str:
        """Return what stands in a text where an example of the tool has braces; empty: not sure.

        Each run of words is tried: with the example's own in its place the text is most like the
        example.
        """
        slots = [(slot_of(each.example), each) for each in self._said if each.name == tool]
        named = [(slot, at) for at, (slot, _) in enumerate(slots) if slot]
        first = next(at for at, each in enumerate(self._said) if each.name == tool)
        runs = runs_of(text)
        if not named or not runs:
            return ''
        alike = self._vectors.alike([text])[0]
        slot, at = max(named, key=lambda each: float(alike[first + each[1]]))
        tried = [f'{text[:begin]} {slot} {text[end:]}' for begin, end in runs]
        fits = self._vectors.alike(tried)[:, first + at]
        best = int(fits.argmax())
        begin, end = runs[best]
        return text[begin:end] if fits[best] >= _NAMED else ''

    def _same(self, text: str) -> Match:
        own = self._exact[text].name
        others = (Ranked(each, 0.0) for each in self._classes if each != own)
        return Match(text, (Ranked(own, 1.0), *others), 1.0)

    @cached_property
    def _vectors(self) -> _Vectors:
        return _Vectors(self._said, self._classes, self._switches, self._moves)

    def asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is only said around a wish.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return self._vectors.asides(texts)


class _Vectors:
    """The examples as vectors, and what tells their classes apart."""

    def __init__(
        self,
        said: Sequence[_Said],
        classes: Sequence[str],
        switches: frozenset[str],
        moves: frozenset[str],
    ) -> None:
        self._moves = moves
        own = [with_one_name(each.text) for each in said]
        counts = Counter(each.name for each in said if each.name not in (NONE, POLITE))
        few = frozenset(name for name, count in counts.items() if count < _MANY)
        general = list(dict.fromkeys(map(bare, NO_TOOL)))
        requests = sentences('requests.txt') if 2 * len(few) < len(counts) else ()
        none = list(dict.fromkeys([*general, *map(bare, requests)]))
        both = sentence_encoder().embed_lasting([*own, *none])
        rows, further = both[: len(own)], both[len(own) :]
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
        self._is_wish = np.array(
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
        kernel = np.exp(_GAMMA * (self._rows @ self._rows.T - 1.0))
        kernel[np.diag_indices_from(kernel)] += _RIDGE * count**_WEIGHT
        wanted = np.eye(len(self._classes), dtype=np.float32)[self._of]
        return np.linalg.solve(kernel, wanted).astype(np.float32)

    def match(self, texts: Sequence[str]) -> dict[str, Match]:
        alike = self.alike(texts)
        regressed = np.exp(_GAMMA * (alike - 1.0)) @ self._weights
        columns = [alike[:, self._of == at] for at in range(len(self._classes))]
        nearest = np.stack([each.max(axis=1, initial=0.0) for each in columns], axis=1)
        scores = (regressed + nearest) / 2.0
        rows = zip(texts, scores, alike, strict=True)
        return {text: self._match(text, *row) for text, *row in rows}

    def alike(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text to each example."""
        return sentence_encoder().embed([*map(with_one_name, texts)]) @ self._rows.T

    def asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is only said around a wish: no tool's example."""
        rows = sentence_encoder().embed(texts)
        near = (rows @ self._rows.T)[:, self._is_wish].max(axis=1, initial=0.0)
        are = (self._asides.scores(rows) >= _ASIDE) & (near < _NO_ASIDE)
        known = sentences('asides.txt')
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
        few = self._count[order[0]] < _MANY
        if few and opposes(best, second) and not said & best:
            margin = max(margin, _MARGIN_OF_OPPOSITES)
        if _SCRIPT.search(text) and not said & best:
            margin = max(margin, _MARGIN_ELSEWHERE)
        sided = frozenset(each for each in best if each[0] != 'on')
        if _is_both(said, best) or (sided and not said & sided and is_vague(text)):
            margin = 1.0  # never sure
        return Match(text, ranked, float(alike.max()), margin)


def _frame_of(said: _Said) -> tuple[str, str]:
    """Return what an example with braces says before and after them."""
    text = bare(said.example.say.replace(f'{{{slot_of(said.example)}}}', _ANY))
    before, _, after = text.partition(_ANY)
    return before, after


def _asks(said: Sequence[_Said]) -> bool:
    """Return whether most examples of a class are questions, which have no opposite."""
    return 2 * sum('question' in each.kinds for each in said) > len(said)


def _is_both(said: frozenset[Side], tool: frozenset[Side]) -> bool:
    """Return whether a text names both sides of a pair of which a tool has one only."""
    both = {pair for pair, side in said if (pair, not side) in said}
    return any((pair, not side) not in tool for pair, side in tool if pair in both)


def _not_covered(said: Sequence[_Said], rows: NDArray[np.float32]) -> list[bool]:
    """Return which examples to keep: no opposite of one tool that another tool does."""
    alike = rows @ rows.T
    covers = [each.name not in (NONE, POLITE) and each.name[:1] != _OPPOSITE for each in said]
    return [
        each.name[:1] != _OPPOSITE
        or not any(
            covers[other]
            and said[other].name != each.name[1:]
            and alike[at, other] >= _COVERED
            and not opposes(each.sides, said[other].sides)
            for other in range(len(said))
        )
        for at, each in enumerate(said)
    ]


def meanings_of(tools: Tools, no_tool: tuple[str, ...] = ()) -> Meanings:
    """Return the meanings of these tools; those of the latest few sets are kept."""
    listed = (_Listed(tool) for name, tool in tools.items() if name not in ENDINGS)
    return _made(tuple(listed), no_tool)


@dataclass(frozen=True)
class _Listed:
    """A tool that can be looked up: a JSON Schema has no hash."""

    tool: OfflineTool

    def __hash__(self) -> int:
        return hash((self.tool.name, self.tool.description))


@lru_cache(4)
def _made(tools: tuple[_Listed, ...], no_tool: tuple[str, ...]) -> Meanings:
    return Meanings([each.tool for each in tools], no_tool)


def _opposites(tool: OfflineTool) -> list[tuple[str, Side]]:
    """Return the opposites of a tool with few examples, and what was turned in each.

    Another tool may do it, or none. A question has no opposite.
    """
    if len(tool.told) >= _MANY or tool.switch:
        return []
    wishes = [each for each in map(spoken, tool.examples) if 'question' not in kinds_of(each)]
    found = dict(other for each in wishes for other in turned(plain(each)))
    return list(found.items())[:_TURNED]


def _kept_sides(said: Sequence[_Said], classes: Sequence[str]) -> dict[int, frozenset[Side]]:
    """Return the sides that were turned in each class of opposites, by its place."""
    found: dict[int, frozenset[Side]] = {}
    for each in said:
        if each.turned:
            at = classes.index(each.name)
            found[at] = found.get(at, frozenset()) | {each.turned}
    return found


def _things(tools: Sequence[OfflineTool]) -> dict[str, list[str]]:
    """Return what all tools name, by language; of no names of ROS."""
    found: dict[str, list[str]] = {}
    for slot in dict.fromkeys(slot_of(each) for tool in tools for each in tool.examples):
        if slot and not slot.startswith('/'):
            found.setdefault(language_of(slot), []).append(slot)
    return found


def _varied(tool: OfflineTool, things: Mapping[str, Sequence[str]]) -> list[SkillExample]:
    """Return the examples of a tool, and those with braces with other things in them as well.

    What is named says nothing about the tool: of one with many examples each second one names
    what any tool does.
    """
    found = list(tool.examples)
    slots = list(dict.fromkeys(slot for each in tool.examples if (slot := slot_of(each))))
    for at, example in enumerate(tool.examples):
        slot = slot_of(example)
        alike = [each for each in slots if language_of(each) == language_of(example.say)]
        turned = alike[at % len(alike) :] + alike[: at % len(alike)] if alike else []
        most = 0 if len(slots) >= _MANY_THINGS else OTHER_THINGS
        pool = things.get(language_of(slot), ()) if slot and not most and at % 2 else ()
        if pool:
            found[at] = _with(example, slot, pool[at * _FAR_APART % len(pool)])
        others = [each for each in turned if each != slot][:most] if slot else []
        found += [_with(example, slot, each) for each in others]
    return found


def _with(example: SkillExample, slot: str, other: str) -> SkillExample:
    return example.model_copy(update={'say': example.say.replace(f'{{{slot}}}', f'{{{other}}}')})
