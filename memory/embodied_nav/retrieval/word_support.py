"""How far what is said of a thing carries each word of a question.

A thing that is like a question is no answer to it while a word of the question stands alone: a
white rock is like "the green rock", and is not it.
docs/decisions/0085-every-word-is-carried.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.analysed_description import Said, has_kind
from embodied_nav.retrieval.asked_words import Asked, joined, may_be_alike
from embodied_nav.retrieval.synonyms import (
    QUALITIES,
    is_kind,
)
from embodied_nav.retrieval.word_gains import WordGains
from embodied_nav.retrieval.words_of_text import Word
from rover_common.dataclass_replace import replace

SAID = 0.75  # support from which on a word counts as said
SAME, GUESSED = 0.8, 0.4  # cosines: as good as said; at most, of a word that others say
AS_NEAR = 0.05  # of cosine, by which a likeness may be less and is the same
RIVALS = 0.7  # support from which on a word is of what it is nearest to
QUALIFIES = 0.7  # support from which on a word counts that tells a thing from others
LIKELY_QUALITY = 0.6  # cosine: perhaps one


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
    kinds = [has_kind(unit) for unit in asked.units]
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
        if values[at] is None and found[at] < SAME and not has_kind(word.text):
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
