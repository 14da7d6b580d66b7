"""Corrects typing errors: one letter too many or missing, or two in the wrong order.

Only a word that the encoder does not know is corrected, and only if exactly one word of the
examples is that near. The last letter must agree: in many languages it marks person or tense. So
must the first one, which is rarely left out: a winch is no inch. In a short word one letter more
or less makes another word (bake and brake), unless it is doubled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
import re

from bt_executive.planner.offline.modifiers import find_modifiers
from rover_common.llm.sentence_encoder import sentence_encoder

SHORTEST = 4  # letters
_LONG = 6
_WORD = re.compile(rf"(?<![\w/'’-])[a-zà-ÿ]{{{SHORTEST},}}(?![\w/'’-])")
_QUOTED = re.compile(r'[「『“"‘].*?[」』”"’]')


def correctable_words(text: str) -> Iterator[str]:
    """Yield the words of a normalized text that a typing error may be corrected to."""
    yield from _WORD.findall(text)


def corrected(text: str, words: Collection[str]) -> str:
    """Return a normalized text without typing errors; a text with quotes stays as it is.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if _QUOTED.search(text):
        return text
    found = _WORD.sub(lambda match: _correction(match[0], frozenset(words)), text)
    return found if find_modifiers(found) == find_modifiers(text) else text  # “kein” is none


@lru_cache(1024)
def _correction(word: str, words: frozenset[str]) -> str:
    if word in words or sentence_encoder().is_word(word):
        return word
    near = [each for each in words if _is_typing_error(word, each)]
    return near[0] if len(near) == 1 else word


def _is_typing_error(word: str, other: str) -> bool:
    """Return whether two words differ by one inserted letter, or by two swapped ones."""
    if word[-1] != other[-1] or abs(len(word) - len(other)) > 1:
        return False
    if len(word) == len(other):
        at = next((at for at in range(len(word)) if word[at] != other[at]), len(word))
        swapped = word[at : at + 2][::-1]
        return swapped == other[at : at + 2] and word[at + 2 :] == other[at + 2 :]
    longer, shorter = sorted((word, other), key=len, reverse=True)
    return any(
        longer[:at] + longer[at + 1 :] == shorter
        for at in range(1, len(longer) - 1)
        if len(longer) >= _LONG or longer[at] in (longer[at - 1], longer[at + 1])
    )
