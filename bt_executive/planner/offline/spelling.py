"""Mends slips of the keyboard: a letter too many, one that lacks, or two in the wrong order.

Only a word that the encoder does not know as a word is looked at, and only if one word of the
examples is so near. The last letter is left alone: in many languages it says who, or when. So is
the first one, which is hardly ever left out: a winch is no inch. In a short word a letter more or
less makes another word of it (bake and brake), unless it stands twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
import re

from bt_executive.planner.offline.function_words import kinds
from rover_common.llm.sentence_encoder import sentence_encoder

SHORTEST = 4  # letters
_LONG = 6
_WORD = re.compile(rf"(?<![\w/'’-])[a-zà-ÿ]{{{SHORTEST},}}(?![\w/'’-])")
_QUOTED = re.compile(r'[「『“"‘].*?[」』”"’]')


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a plain text that a slip could be meant for."""
    yield from _WORD.findall(text)


def corrected(text: str, words: Collection[str]) -> str:
    """Return a plain text without slips; what is quoted stays.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if _QUOTED.search(text):
        return text
    mended = _WORD.sub(lambda match: _meant(match[0], frozenset(words)), text)
    return mended if kinds(mended) == kinds(text) else text  # “kein” is no slip


@lru_cache(1024)
def _meant(word: str, words: frozenset[str]) -> str:
    if word in words or sentence_encoder().is_word(word):
        return word
    near = [each for each in words if _is_slip(word, each)]
    return near[0] if len(near) == 1 else word


def _is_slip(word: str, other: str) -> bool:
    """Return whether one becomes the other by one letter more, less, or by turning two round."""
    if word[-1] != other[-1] or abs(len(word) - len(other)) > 1:
        return False
    if len(word) == len(other):
        at = next((at for at in range(len(word)) if word[at] != other[at]), len(word))
        turned = word[at : at + 2][::-1]
        return turned == other[at : at + 2] and word[at + 2 :] == other[at + 2 :]
    longer, shorter = sorted((word, other), key=len, reverse=True)
    return any(
        longer[:at] + longer[at + 1 :] == shorter
        for at in range(1, len(longer) - 1)
        if len(longer) >= _LONG or longer[at] in (longer[at - 1], longer[at + 1])
    )
