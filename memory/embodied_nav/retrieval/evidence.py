"""What speaks for the thing that is meant by a question, and against it, in numbers. Pure.

The same numbers are made of the examples that ship with the memory, from which is learned what
they are worth, and of every question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.asked_words import Asked, may_be_alike
from embodied_nav.retrieval.synonyms import concepts_of, is_kind
from embodied_nav.retrieval.word_support import SAID, Support
from embodied_nav.retrieval.words_of_text import Word
from rover_common.dataclass_replace import replace

STRANGE = 0.7  # support below which a known kind is that of another thing
COMPARED = 15  # things with which the best one is compared
SPREAD = 0.03  # of cosines, at least: a few texts may be equally far
FEW = 0.3  # by which the spread of a single thing is larger
MOST_GAINED = 0.15  # of cosine; more of it means no more
BARE = 2  # words, at most, of a question that is only a name


@dataclass(frozen=True)
class Evidence:
    """Numbers for a thing. Those in deviations say how far it is above most others.

    Attributes:
        cosine: Of the question with the text of the thing, or with its class where that is nearer.
        cosine_out: The same, in deviations.
        class_cosine: With its class alone.
        likeness: Cosine and support of the words together.
        likeness_out: The same, in deviations.
        mean: Support of the words.
        least: Support of the word that is carried least, of those that meaning may carry.
        all_said: 1: each word is said of it.
        said: Share of the words that are said of it as they stand.
        lacks_quality: 1: a colour, size or number is not said of it.
        lacks_condition: The same, where it may be said of whoever asks: "my hands are dirty".
        strange: 1: the question names a known kind of thing which nothing said of it is.
        strange_need: The same, where the question says what a thing is good for.
        bare: 1: the question is a name only, and a part of it is not said of the thing.
        gains: By how much the words bring the question nearer, together.
        gained: By how much the word does that adds least, of those that are not said.
        helps: How much it helps whoever asks, see `Needs.helping`.
        helps_out: The same over all needs, in deviations.
    """

    cosine: float = 0.0
    cosine_out: float = 0.0
    class_cosine: float = 0.0
    likeness: float = 0.0
    likeness_out: float = 0.0
    mean: float = 0.0
    least: float = 0.0
    all_said: float = 0.0
    said: float = 0.0
    lacks_quality: float = 0.0
    lacks_condition: float = 0.0
    strange: float = 0.0
    strange_need: float = 0.0
    bare: float = 0.0
    gains: float = 0.0
    gained: float = 0.0
    helps: float = 0.0
    helps_out: float = 0.0

    def values(self) -> NDArray[np.float64]:
        """Return them in their order."""
        return np.array([*vars(self).values()], np.float64)  # astuple copies each deeply


def of_none(asked: Asked) -> NDArray[np.float64]:
    """Return the numbers of a question that say how probable it is that nothing is meant."""
    words = len(asked.words)
    return np.array([1.0, asked.is_implied, words / 3.0, words == 1, words == 0], np.float64)


NUMBERS = len(Evidence().values())
OF_NONE = len(of_none(Asked('')))


@dataclass(frozen=True)
class Compared:
    """What a question is compared with: of each thing one number, in their order.

    Attributes:
        cosines: See `Evidence.cosine`.
        classes: See `Evidence.class_cosine`.
        likenesses: See `Evidence.likeness`.
        helps: See `Evidence.helps`.
        helps_all: Over all needs.
    """

    cosines: Sequence[float]
    classes: Sequence[float]
    likenesses: Sequence[float]
    helps: Sequence[float]
    helps_all: Sequence[float]


def evidence_of(asked: Asked, supports: Sequence[Support], compared: Compared) -> list[Evidence]:
    """Return what speaks for each of some things.

    Args:
        asked: The question.
        supports: How far each thing carries its words.
        compared: What else the question is compared with.
    """
    columns = zip(
        *(compared.cosines, above(compared.cosines), compared.classes),
        *(compared.likenesses, above(compared.likenesses)),
        *(compared.helps, above(compared.helps_all)),
        strict=True,
    )
    return [
        replace(_by_words(asked, support), cosine=cosine, cosine_out=cosine_out, class_cosine=kind,
                likeness=likeness, likeness_out=likeness_out, helps=helps, helps_out=helps_out)
        for support, (cosine, cosine_out, kind, likeness, likeness_out, helps, helps_out)
        in zip(supports, columns, strict=True)
    ]  # fmt: skip


def _by_words(asked: Asked, support: Support) -> Evidence:
    open_words = [(word, value) for word, value in support.words if may_be_alike(word)]
    lacks = any(not may_be_alike(word) and value < SAID for word, value in support.words)
    unsaid = any(value < SAID for _, value in open_words)
    strange = float(any(value < STRANGE and _is_kind(word) for word, value in open_words))
    values = [value for _, value in support.words]
    return Evidence(
        mean=support.mean,
        least=min((value for _, value in open_words), default=float(bool(values))),
        all_said=float(bool(values) and not lacks and not unsaid),
        said=sum(value == 1.0 for value in values) / max(1, len(values)),
        lacks_quality=float(lacks and not asked.is_implied),
        lacks_condition=float(lacks and asked.is_implied),
        strange=strange,
        strange_need=strange * asked.is_implied,
        bare=float(len(values) <= BARE and unsaid and not asked.is_implied),
        gains=5.0 * sum(map(_bounded, support.gains)),
        gained=10.0 * _bounded(_least_gain(support)),
    )


def _bounded(gain: float) -> float:
    return max(-MOST_GAINED, min(MOST_GAINED, gain))


def _least_gain(support: Support) -> float:
    """Return what the word adds that adds least, of those that nobody has said."""
    gains = (support.gain(at) for at, (word, value) in enumerate(support.words)
             if may_be_alike(word) and value < SAID)  # fmt: skip
    return min(gains, default=0.0)


def above(values: Sequence[float]) -> list[float]:
    """Return by how many deviations each value is above the highest but the first of them.

    Of a few, no deviation is known well.
    """
    array = np.array(values, np.float64)
    rest = np.sort(array)[::-1][1 : COMPARED + 1]
    if not len(rest):
        return [0.0] * len(array)
    found: list[float] = ((array - rest.mean()) / (rest.std() + SPREAD + FEW / len(rest))).tolist()
    return found


def said_of_others(asked: Asked, supports: Sequence[Support]) -> tuple[str, ...]:
    """Return the words that are said of some thing: nothing is meant of which none is said.

    Not for what a thing is good for: its words may be of whoever asks.
    """
    if asked.is_implied:
        return ()
    columns = zip(*(each.words for each in supports), strict=True)
    return tuple(
        column[0][0].text
        for column in columns
        if may_be_alike(column[0][0]) and any(value == 1.0 for _, value in column)
    )


def _is_kind(word: Word) -> bool:
    return is_kind(concepts_of(word.text))
