"""Words of other languages as the tables know them: verde is green, dónde only asks. Pure.

English, Japanese and Chinese have tables of their own. What frames a question in another language
stands in `framing.txt`; of what is left the encoder says whether it means a quality, or tells one
of several from the others. docs/decisions/0144-each-word-is-said-or-lacking.md
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.analysed_description import Said
from embodied_nav.retrieval.asked_words import Asked, may_be_alike
from embodied_nav.retrieval.synonyms import QUALITIES, concepts_of
from embodied_nav.retrieval.words_of_text import Word, is_english

TRANSLATED = 0.75  # cosine: the same word in another language
_TELLING = (
    *('first', 'second', 'third', 'fourth', 'fifth', 'last', 'next', 'other', 'another'),
    *('biggest', 'largest', 'smallest', 'tallest', 'nearest', 'best'),
)
TABLED = {'en', 'ja', 'zh'}  # languages of which the code knows what frames a question
KNOWN = (*_TELLING, *QUALITIES)  # their vectors must be known


def without_framing(asked: Asked) -> Asked:
    """Return a question without the words that only frame it (la, dónde) or tie a thing to others.

    "With moss that grows on it" is said by "moss on its roof".
    """
    if asked.is_implied:
        return asked
    words = tuple(word for word in asked.words if word.tells or not _frames(word, asked))
    if not words and is_english(asked.text):
        return asked
    return replace(asked, words=words)


def _frames(word: Word, asked: Asked) -> bool:
    framing = _framing()
    if word.is_signs:
        spoken = ['ja', 'zh', 'ko']
    elif is_english(asked.text):
        spoken = ['en']
    else:
        spoken = [each for each in framing if each not in TABLED]
    return any(word.text in framing[each] for each in spoken)


def in_known_words(asked: Asked, meanings: Meanings, said: Collection[Said] = ()) -> Asked:
    """Return a question with each word that means a quality as that quality: verde as green.

    What a thing is like is compared by words alone, so those of other languages must be known.
    One that says what a thing is good for is not changed: its words may be of whoever asks.

    Args:
        asked: The question.
        meanings: Of single words.
        said: What is said of things; a word that one of them says stays as it is.
    """
    if asked.is_implied:
        return asked
    unknown = [
        word.text
        for group in (asked.words, *asked.excluded)
        for word in group
        if not word.is_signs and may_be_alike(word) and not concepts_of(word.text)
        if not any(mine.says(word) for mine in said)
    ]
    if not unknown:
        return asked
    wanted = QUALITIES if is_english(asked.text) else KNOWN
    alike = meanings.cosines(unknown, wanted)
    meant = {
        text: wanted[int(column.argmax())]
        for text, column in zip(unknown, alike.T, strict=True)
        if column.max() >= TRANSLATED
    }

    def known(group: Sequence[Word]) -> tuple[Word, ...]:
        return tuple(
            replace(word, text=meant[word.text], tells=meant[word.text] in _TELLING)
            if word.text in meant
            else word
            for word in group
        )

    if not meant:
        return asked
    return replace(asked, words=known(asked.words), excluded=(*map(known, asked.excluded),))


@cache
def _framing() -> dict[str, frozenset[str]]:
    text = files('embodied_nav.retrieval').joinpath('framing.txt').read_text('utf-8')
    lines = (line.partition(': ') for line in text.splitlines() if not line.startswith('#'))
    return {language: frozenset(words.split()) for language, _, words in lines}
