"""Whether what is said of a thing carries every word of a question. Pure.

A thing that is like a question is no answer to it while a word of the question stands alone: a
white rock is like "the green rock", and is not it.
docs/decisions/0085-every-word-is-carried.md
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
import re
import unicodedata

from embodied_nav.embedding.tokens import humps_apart
from embodied_nav.retrieval.asked_words import AskedWord, words_said
from embodied_nav.retrieval.synonyms import misspelt, root, roots_of, same, written

# Of one character, and often the whole of a word: colours and sizes.
_ALONE = frozenset('赤红紅青蓝藍緑绿綠黄黃白黒黑灰紫金银銀褐茶橙粉大小平圆円丸高低长長短')


class Said:
    """What is said of one thing: its name, class, attributes and caption."""

    def __init__(self, text: str) -> None:
        self._text = humps_apart(unicodedata.normalize('NFKC', text)).lower().replace('_', ' ')

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(words_said(self._text))

    @cached_property
    def _roots(self) -> frozenset[str]:
        """The roots of what is said, without what is denied."""
        return frozenset(each for word in self._words for each in roots_of(word))

    def says(self, word: AskedWord, *, by_synonyms: bool) -> bool:
        """Return whether it says a word, or one that means the same."""
        if word.how == 'exact':
            return word.text in self._text
        if word.how == 'kanji':
            return self._says_kanji(word.text)
        wanted = same(root(word.text)) if by_synonyms else {root(word.text)}
        if not self._roots.isdisjoint(wanted):
            return True
        return by_synonyms and any(misspelt(word.text, each) for each in self._words)

    def carries(self, word: AskedWord, *, by_synonyms: bool = True) -> bool:
        """Return whether it says what must be said, or does not say what must not be."""
        return self.says(word, by_synonyms=by_synonyms or word.excluded) is not word.excluded

    def _says_kanji(self, run: str) -> bool:
        """Return whether each sign is in a pair that is said, or beside one, or a colour."""
        pairs = [at for at in range(len(run) - 1) if run[at : at + 2] in self._text]
        paired = {each for at in pairs for each in (at, at + 1)}
        return all(
            at in paired
            or (sign in self._text and (bool(paired) or len(run) == 1 or sign in _ALONE))
            for at, sign in enumerate(run)
        )


def missing(
    words: Iterable[AskedWord], said: Said, around: Said | None = None, by_synonyms: bool = True
) -> tuple[str, ...]:
    """Return the words of a question that a thing does not carry, as they were asked.

    Args:
        words: Of the question.
        said: Of the thing.
        around: Of where it lies: its areas and its neighbours.
        by_synonyms: A word that means the same is enough.
    """
    return tuple(
        f'not {word.text}' if word.excluded else word.text
        for word in words
        if not said.carries(word, by_synonyms=by_synonyms)
        and not (
            around is not None
            and word.at_place
            and not word.excluded
            and around.says(word, by_synonyms=by_synonyms)
        )
    )


def in_their_words(words: Sequence[AskedWord], texts: Iterable[str]) -> str:
    """Return the question in the words of some texts: a stone becomes their rock."""
    known = [Said(text) for text in texts]
    found = []
    for word in words:
        if word.excluded:
            continue
        others = [word] if word.how != 'root' else [
            word, *(AskedWord(written(each)) for each in sorted(same(root(word.text))))
        ]  # fmt: skip
        literal = (
            each for each in others if any(said.says(each, by_synonyms=False) for said in known)
        )
        found.append(next(literal, word).text)
    return ' '.join(found)


def with_synonyms(words: Sequence[AskedWord]) -> str:
    """Return the words of a question with all that mean the same, to look for candidates."""
    wanted = [word for word in words if not word.excluded]
    roots = {each for word in wanted if word.how == 'root' for each in same(root(word.text))}
    return ' '.join([*(word.text for word in wanted), *map(written, sorted(roots))])


def joined(parts: Sequence[str]) -> str:
    """Return words as people say several: green, or hollow."""
    return re.sub(r', ([^,]+)$', r' or \1', ', '.join(parts))
