"""How far what is said of a thing carries each word of a question.

A thing that is like a question is no answer to it while a word of the question stands alone: a
white rock is like "the green rock", and is not it.
docs/decisions/0085-every-word-is-carried.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.asked_words import Asked, is_exact, joined, may_be_alike
from embodied_nav.retrieval.dictionary import meanings_of, parts_of, ways_of
from embodied_nav.retrieval.english_word_forms import (
    SHORTEST_MISSPELT,
    misspelt,
    opposites_of,
    root,
    roots_of,
)
from embodied_nav.retrieval.synonyms import (
    QUALITIES,
    concepts_of,
    is_kind,
    named_as,
    others_like,
    with_implied,
)
from embodied_nav.retrieval.word_gains import WordGains
from embodied_nav.retrieval.words_of_text import Word, plain, words_of
from rover_common.dataclass_replace import replace

_ENDING = re.compile('[ぁ-ん]+$')
SAID = 0.75  # support from which on a word counts as said
SAME, GUESSED = 0.8, 0.4  # cosines: as good as said; at most, of a word that others say
AS_NEAR = 0.05  # of cosine, by which a likeness may be less and is the same
RIVALS = 0.7  # support from which on a word is of what it is nearest to
QUALIFIES = 0.7  # support from which on a word counts that tells a thing from others
LIKELY_QUALITY = 0.6  # cosine: perhaps one
MOST_TEXTS = 5000  # of which is kept what they say: 6 kB each
MOST_ANSWERS = 50  # words of which a text keeps whether it says them: a question asks repeatedly
SHORTEST_STEM = 2  # signs that are left of a Japanese word without its ending


@dataclass(frozen=True)
class Support:
    """How far each word of a question is carried: 1: it is said; less: how alike the nearest is.

    Attributes:
        words: The words, and how far each is carried.
        unmet: What the thing must not be and is said to be, as it was asked.
        denied: How much of what it must not be it is said not to be.
        gains: By how much each word brings the question nearer to it, see `gains_of`; empty:
            not known.
        said_by_all: Whether its whole text says each word, in whatever words; empty: not known.
        nears_denied: How near in meaning it is to what it must not be, from 0 to 1.
        in_signs: It is spoken of in Japanese or Chinese signs, besides its class.
    """

    words: tuple[tuple[Word, float], ...] = ()
    unmet: tuple[str, ...] = ()
    denied: int = 0
    gains: tuple[float, ...] = ()
    said_by_all: tuple[bool, ...] = ()
    nears_denied: float = 0.0
    in_signs: bool = False

    def gain(self, at: int) -> float:
        """Return by how much a word brings the question nearer to it; 0: not known."""
        return self.gains[at] if self.gains else 0.0

    def is_said_by_all(self, at: int) -> bool:
        """Return whether its whole text says a word, though no word of it does."""
        return bool(self.said_by_all) and self.said_by_all[at]

    @property
    def texts(self) -> tuple[str, ...]:
        """The words, as they were asked."""
        return tuple(word.text for word, _ in self.words)

    @cached_property
    def mean(self) -> float:
        """Over the words; 0 for a question without any."""
        return sum(value for _, value in self.words) / len(self.words) if self.words else 0.0

    @cached_property
    def least(self) -> float:
        """Of the word that is carried least; 0 if it is what it must not be."""
        return min((value for _, value in self.words), default=0.0) if not self.unmet else 0.0

    @property
    def kind(self) -> float:
        """How far it is carried what the thing is, whatever it is like."""
        what = [value for word, value in self.words if may_be_alike(word)]
        return max(what or [value for _, value in self.words], default=0.0)

    @property
    def says_something(self) -> bool:
        """Whether what some word names is said of it, or nearly."""
        return any(value >= QUALIFIES and may_be_alike(word) for word, value in self.words)

    def carried(self, sure: float) -> tuple[str, ...]:
        """The words that are carried, as they were asked."""
        return tuple(word.text for word, value in self.words if value >= sure)

    @property
    def weakest(self) -> tuple[str, ...]:
        """The word that is carried least."""
        return (min(self.words, key=lambda each: each[1])[0].text,) if self.words else ()

    def lacking(self, sure: float) -> tuple[str, ...]:
        """The words that are not carried, as they were asked."""
        weak = tuple(word.text for word, value in self.words if value < sure)
        return (*weak, *self.unmet)


class Said:
    """What is said of one thing: its name, class, attributes and caption."""

    def __init__(self, text: str) -> None:
        self._text = plain(text)
        self._answers: dict[tuple[str, bool], bool] = {}

    @cached_property
    def _words(self) -> tuple[Word, ...]:
        return tuple(word for word in words_of(self._text) if not word.denied)

    @cached_property
    def _latin(self) -> tuple[str, ...]:
        return tuple(word.text for word in self._words if not word.is_signs)

    @cached_property
    def _roots(self) -> frozenset[str]:
        """The roots of what is said, without what is denied."""
        return frozenset(each for word in self._latin for each in roots_of(word))

    @cached_property
    def _denied(self) -> tuple[str, ...]:
        return tuple(word.text for word in words_of(self._text) if word.denied)

    @cached_property
    def _pairs(self) -> tuple[tuple[str, bool], ...]:
        """Each two words that may be one name, and whether one of them is of a known kind."""
        return tuple(
            (joined([one.text, two.text]), _has_kind(one.text) or _has_kind(two.text))
            for one, two in pairwise(self._words)
            if not two.begins and one.is_signs == two.is_signs
        )

    @cached_property
    def _concepts(self) -> frozenset[str]:
        words = (*(word.text for word in self._words), *self._roots)
        names = (named_as(pair) for pair, _ in self._pairs)
        found = (*map(concepts_of, words), *names)
        return with_implied(each for some in found for each in some)

    @cached_property
    def _opposites(self) -> frozenset[str]:
        """The roots of what its words deny."""
        return frozenset(root(each) for word in self._latin for each in opposites_of(word))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its words that meaning may compare, and each two of all that may be one name."""
        words = (word.text for word in self._words if may_be_alike(word))
        return tuple(dict.fromkeys((*words, *(pair for pair, _ in self._pairs))))

    @cached_property
    def free_terms(self) -> tuple[str, ...]:
        """Those that are of no known group."""
        words = (word.text for word in self._words
                 if may_be_alike(word) and not concepts_of(word.text))  # fmt: skip
        return tuple(dict.fromkeys((*words, *(pair for pair, known in self._pairs if not known))))

    @property
    def in_signs(self) -> bool:
        """Whether some of it is said in Japanese or Chinese signs."""
        return any(word.is_signs for word in self._words)

    @cached_property
    def _meant(self) -> frozenset[str]:
        """What its words mean, by the dictionary."""
        parts = (part for word in self._words for part in parts_of(word.text))
        return frozenset(each for part in parts for each in meanings_of(part))

    def means(self, word: Word) -> bool:
        """Return whether a dictionary says that its words mean the same, or each of its parts."""
        return all(map(self._means, parts_of(word.text)))

    def _means(self, text: str) -> bool:
        ways, of_several = ways_of(text)
        return not ways.isdisjoint(self._meant) or any(map(self._meant.issuperset, of_several))

    def denies(self, word: Word) -> bool:
        """Return whether it says that it is not so."""
        return any(
            root(word.text) == root(each)
            or not {*concepts_of(word.text)}.isdisjoint(concepts_of(each))
            for each in self._denied
        )

    def says_opposite(self, word: Word) -> bool:
        """Return whether it says what a word denies, or what denies the word."""
        said = any(self.says(Word(each)) for each in opposites_of(word.text))
        return said or root(word.text) in self._opposites

    def excludes(self, word: Word) -> bool:
        """Return whether it cannot be so: denied, or said to be the opposite or another colour."""
        others = others_like(concepts_of(word.text))
        return self.denies(word) or self.says_opposite(word) or self.says_one_of([*others])

    def says(self, word: Word) -> bool:
        """Return whether it says a word, or one that means the same."""
        asked = word.text, word.tells
        known = self._answers.get(asked)
        if known is None:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            known = self._answers[asked] = self._says(word)
        return known

    def _says(self, word: Word) -> bool:
        if self._says_as_it_stands(word) or self.says_one_of(concepts_of(word.text)):
            return True
        if any(self.denies(Word(each)) for each in opposites_of(word.text)):
            return True
        if word.is_signs or len(word.text) < SHORTEST_MISSPELT - 1 or is_exact(word):
            return False
        return any(misspelt(word.text, each) for each in self._latin if each[0] == word.text[0])

    def says_one_of(self, concepts: Sequence[str]) -> bool:
        """Return whether it says a word of one of these groups."""
        return not self._concepts.isdisjoint(concepts)

    def _says_as_it_stands(self, word: Word) -> bool:
        if not word.is_signs:
            return root(word.text) in self._roots
        if concepts_of(word.text):
            return False  # 大 stands in 大理石, too
        stem = _ENDING.sub('', word.text)
        stem = stem if len(stem) >= SHORTEST_STEM else word.text
        return stem in self._text and not any(stem in each for each in self._denied)


@lru_cache(maxsize=MOST_TEXTS)
def said_of(text: str) -> Said:
    """Return what a text says; the words of the last texts are kept."""
    return Said(text)


def supports_of(
    asked: Asked, said: Sequence[Said], meanings: Meanings, around: Sequence[Said | None] = ()
) -> list[Support]:
    """Return how far each of some things carries each word of a question.

    Args:
        asked: The question.
        said: What is said of each thing.
        meanings: Of single words.
        around: What is said of where each thing lies: its areas and its neighbours.
    """
    places = around or [None] * len(said)
    by_words = [
        [_carried(word, mine, place) for word in asked.words]
        for mine, place in zip(said, places, strict=True)
    ]
    kinds = [_has_kind(unit) for unit in asked.units]
    spoken = [mine.terms for mine in said]
    free = [mine.free_terms for mine in said] if any(kinds) else []
    alike = meanings.alike(asked.units, [*spoken, *free])
    if free:
        alike[: len(said), kinds] = alike[len(said) :, kinds]
    alike = _without_likely_qualities(
        asked, alike, meanings.cosines(asked.units, QUALITIES).max(axis=0)
    )
    found = [
        _with_meaning(asked, values, row, mine)
        for mine, values, row in zip(said, by_words, alike[: len(said)].tolist(), strict=True)
    ]
    own = meanings.cosines(asked.units, asked.units)[: len(asked.words)]
    for values in found:
        _without_likeness_to_said(values, own.tolist())
    for at in range(len(asked.words)):  # not guessed of what others say, or nearly
        best = max((values[at] for values in found), default=0.0)
        if best >= RIVALS:
            for values in found:
                values[at] = values[at] if values[at] >= SAME * best else min(values[at], GUESSED)
    return [
        Support(
            tuple(zip(asked.words, values, strict=True)),
            _unmet(asked, mine),
            sum(mine.excludes(word) for group in asked.excluded for word in group),
            in_signs=mine.in_signs,
        )
        for mine, values in zip(said, found, strict=True)
    ]


def with_gains(
    supports: Sequence[Support], gains: WordGains | None, may_say: bool = False
) -> list[Support]:
    """Return supports with what each word adds to the whole.

    Args:
        supports: Without it.
        gains: What each word adds; None: nothing is known.
        may_say: The gains are of the model from which `WordGains.says` was learned.
    """
    if gains is None:
        return [*supports]
    found = [replace(each, gains=tuple(row))
             for each, row in zip(supports, gains.gains.tolist(), strict=True)]  # fmt: skip
    if not may_say:
        return found
    said = gains.says([[value for _, value in each.words] for each in supports])
    return [replace(each, said_by_all=tuple(row))
            for each, row in zip(found, said.tolist(), strict=True)]  # fmt: skip


def _without_likeness_to_said(values: list[float], own: Sequence[Sequence[float]]) -> None:
    """Do not carry a word that is only as near as it is to another word of the question.

    Lichen is near to rock, so it is near to each thing that is said to be one.
    """
    said = [at for at, value in enumerate(values) if value == 1.0]
    for at, value in enumerate(values):
        if GUESSED < value < 1.0 and any(own[each][at] >= value - AS_NEAR for each in said):
            values[at] = GUESSED


def _without_likely_qualities(
    asked: Asked, alike: NDArray[np.float32], quality: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the cosines, 0 for what is more like some quality, and for pairs with such a word.

    It may be that quality in other words, and what a thing is like is not carried by meaning.
    """
    if asked.is_implied:
        return alike
    other = (alike < quality) & (quality >= LIKELY_QUALITY)
    for at, (one, two) in enumerate(asked.pairs, len(asked.words)):
        other[:, at] |= other[:, one] | other[:, two]
    return np.where(other, np.float32(0.0), alike)


def _with_meaning(
    asked: Asked, values: Sequence[float | None], alike: Sequence[float], said: Said
) -> list[float]:
    """Fill in what words do not decide; two that are both undecided may be one name."""
    found = [near if value is None else value
             for value, near in zip(values, alike, strict=False)]  # fmt: skip
    likely = zip(asked.pairs, asked.names, alike[len(asked.words) :], strict=True)
    for (one, two), name, near in likely:
        if said.says_one_of(name):
            found[one] = found[two] = 1.0
        elif is_kind(name):  # a swimming pool is not every pool
            found[one], found[two] = min(found[one], GUESSED), min(found[two], GUESSED)
        elif values[one] is None and values[two] is None and near > max(alike[one], alike[two]):
            found[one], found[two] = max(found[one], near), max(found[two], near)
    for at, word in enumerate(asked.words):
        if values[at] is None and found[at] < SAME and not _has_kind(word.text):
            found[at] = SAME if said.means(word) else found[at]
    return found


def _unmet(asked: Asked, said: Said) -> tuple[str, ...]:
    return tuple(
        f'not {joined([word.text for word in group])}'
        for group in asked.excluded
        if all(said.says(word) for word in group)
    )


def _carried(word: Word, said: Said, around: Said | None) -> float | None:
    """1 or 0 where words decide; None where meaning may."""
    if said.says(word) or (around is not None and word.at_place and around.says(word)):
        return 1.0
    return None if may_be_alike(word) and not said.says_opposite(word) else 0.0


def listed(parts: Sequence[str]) -> str:
    """Return words as people say several: green, or hollow."""
    return re.sub(r', ([^,]+)$', r' or \1', ', '.join(parts))


def _has_kind(text: str) -> bool:
    return is_kind(concepts_of(text))
