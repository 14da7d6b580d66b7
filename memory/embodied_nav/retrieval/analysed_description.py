"""What is said of a thing, analysed: its words, what they mean, deny and exclude; kept a while."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
import re

from embodied_nav.retrieval.asked_words import is_exact, joined, may_be_alike
from embodied_nav.retrieval.dictionary import meanings_of, parts_of, ways_of
from embodied_nav.retrieval.english_word_forms import (
    SHORTEST_MISSPELT,
    misspelt,
    opposites_of,
    root,
    roots_of,
)
from embodied_nav.retrieval.synonyms import (
    concepts_of,
    is_kind,
    named_as,
    others_like,
    with_implied,
)
from embodied_nav.retrieval.words_of_text import Word, plain, words_of

_ENDING = re.compile('[ぁ-ん]+$')
SHORTEST_STEM = 2  # signs that are left of a Japanese word without its ending
MOST_TEXTS = 5000  # of which is kept what they say: 6 kB each
MOST_ANSWERS = 50  # words of which a text keeps whether it says them: a question asks repeatedly


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
            (joined([one.text, two.text]), has_kind(one.text) or has_kind(two.text))
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


def has_kind(text: str) -> bool:
    """Return whether a word is of a known kind."""
    return is_kind(concepts_of(text))
