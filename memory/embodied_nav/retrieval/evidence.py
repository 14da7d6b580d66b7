"""What speaks for the thing that is meant by a question, and against it, in numbers. Pure.

The same numbers are made of the examples that ship with the memory, from which is learned what
they are worth, and of every question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.asked_words import Asked, is_exact, may_be_alike
from embodied_nav.retrieval.lexicon import concepts_of, is_kind, is_measured
from embodied_nav.retrieval.support import QUALIFIES, Support
from embodied_nav.retrieval.wording import Word, plain

SAID = 0.75  # support from which on a word counts as said
STRANGE = 0.7  # support below which a known kind is that of another thing
COMPARED = 15  # things with which the best one is compared
SPREAD = 0.03  # of cosines, at least: a few texts may be equally far
FEW = 0.3  # by which the spread of a single thing is larger
_WITH = r'(?<!-)\b(?:with|of|like|called|named)(?: (?:a|an|the|some|its|his|her|my|our))? '
_THAT = (  # which is said of the thing before it: the rock that is hollow, that we painted
    r',? (?:that|which|who)(?: (?:is|are|was|were|be|been|has|have|had|looks?|seems?|appears?|can'
    r'|could|will|would|does|do|did|always|also|really|very|still|once|an?|the|some|i|you|we|they'
    r'|he|she|it|nobody|somebody|someone|people))* '
)
_OF_IT = '(?:(?:の(?:ある|ついた|付いた)|のような|みたいな|がある|[のな的]) ?)?'
_JAPANESE_VERB = re.compile('.*[一-鿿々][ぁ-ん]*(?:[るうくすつぬむぶぐただて]|たい)')
_VERB = re.compile(r'\b(?:is|are|was|were|do|does|did|can|could|has|have)\b', re.IGNORECASE)
DOES = -0.03  # gain from which on a verb may only say what is done there
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


def is_required(word: Word, asked: Asked) -> bool:
    """Return whether nothing is the answer that is not said to be so.

    A colour, a material or a number in each question; in one that says what a thing is good for,
    "dirty" or "cold" may be said of whoever asks.
    """
    if may_be_alike(word):
        return False
    return is_exact(word) or is_measured(concepts_of(word.text)) or not asked.is_implied


def distinguishes(asked: Asked, support: Support, sure: float) -> tuple[str, ...]:
    """Return the words that tell what is meant from a thing that only the other words fit.

    The thing is said to be a rock, and nobody spoke of a dinosaur: it is not "the dinosaur rock",
    nor "the rock with a dinosaur", nor "a rock, dinosaur", nor "a rock that roars". What is done
    there ("where do the chickens live") tells no thing from others.
    """
    if asked.is_implied or not any(value == 1.0 for _, value in support.words):
        return ()
    text, marks = plain(asked.text), [value == 1.0 for _, value in support.words]
    said = [word if mark else None for (word, _), mark in zip(support.words, marks, strict=True)]
    around = zip([None, *said], support.words, [*said[1:], None], strict=False)
    following = [*(word for word, _ in support.words[1:]), None]
    found = []
    for at, ((word, value), (before, _, after), then) in enumerate(
        zip(support.words, around, following, strict=False)
    ):
        is_said = value >= max(sure, QUALIFIES) or support.is_gained(at)
        if is_said or support.is_foreign(at) or _is_part(text, before, word):
            continue
        only_does = _does(word) and support.gain(at) > DOES
        if support.is_opposed(at) or (
            not only_does and _tells_apart(asked, said, (before, word, after), then)
        ):
            found.append(word.text)
    return tuple(found)


def _tells_apart(
    asked: Asked,
    said: Sequence[Word | None],
    around: tuple[Word | None, Word, Word | None],
    then: Word | None,
) -> bool:
    """Return whether a word tells one thing from others, by where it stands in the question.

    Args:
        asked: The question.
        said: Its words, None for each that is not said of the thing.
        around: The word between those beside it, as far as they are said.
        then: The word behind it, said or not.
    """
    text, (before, word, after) = plain(asked.text), around
    return (
        word.at_place
        or _is_with(text, word)
        or (before is not None and _is_apart(word, then))
        or (before is not None and _is_thing(text, before, word))
        or (before is not None and _is_told_of(text, before, word))
        or (before is not None and len(said) <= BARE and _is_of_name(asked.text, before, word))
        or (after is not None and _qualifies(text, before, word, after))
    )


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


def _does(word: Word) -> bool:
    """Return whether it is a Japanese verb."""
    return bool(_JAPANESE_VERB.fullmatch(word.text))


def _is_with(text: str, word: Word) -> bool:
    """Return whether something is said to be with it, or like it, or called so."""
    return not word.is_signs and bool(re.search(_WITH + re.escape(word.text), text))


def _is_part(text: str, before: Word | None, word: Word) -> bool:
    """Return whether it only ends a word of two parts, of which the first is said: six-wheeled."""
    return before is not None and f'{before.text}-{word.text}' in text


def _is_apart(word: Word, then: Word | None) -> bool:
    """Return whether it stands alone after a pause: a rock, striped."""
    return word.begins and (then is None or then.begins)


def _is_thing(text: str, before: Word, word: Word) -> bool:
    """Return whether it is the thing that is said to be green, or of wood."""
    return not may_be_alike(before) and _stands_before(text, before, word)


def _is_told_of(text: str, before: Word, word: Word) -> bool:
    """Return whether it is told of a thing behind it: a rock that glows, a rock glowing.

    In a whole sentence ("where are the children playing") it may say what is done there.
    """
    if word.is_signs:
        return False
    if re.search(re.escape(before.text) + _THAT + re.escape(word.text) + r'\b', text):
        return True
    is_doing = word.text.endswith('ing') and _stands_before(text, before, word)
    return is_doing and not _VERB.search(text)


def _is_of_name(text: str, before: Word, word: Word) -> bool:
    """Return whether it goes on with a name: Bishop Junior, not "where are the tools kept"."""
    is_written_so = re.search(rf'\b{re.escape(word.text)}\b', text) is None  # with a capital
    return _stands_before(plain(text), before, word) and (is_written_so or not _VERB.search(text))


def _qualifies(text: str, before: Word | None, word: Word, thing: Word) -> bool:
    """Return whether it qualifies a thing. Between two that are said, it may only join them."""
    joins = word.is_signs and before is not None and may_be_alike(before)
    return not joins and _stands_before(text, word, thing)


def _stands_before(text: str, word: Word, thing: Word) -> bool:
    """Return whether nothing but a mark of that stands between a quality and a thing."""
    between = _OF_IT if word.is_signs else '[ -]+'
    return bool(re.search(f'{re.escape(word.text)}{between}{re.escape(thing.text)}', text))


def _is_kind(word: Word) -> bool:
    return is_kind(concepts_of(word.text))
