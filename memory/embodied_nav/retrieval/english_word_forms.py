"""One form for the forms of an English word, and what may be a slip of the pen. Pure."""

from __future__ import annotations

from functools import lru_cache
import re
import unicodedata

from embodied_nav.embedding.bm25_words import stem

SHORTEST_MISSPELT = 6  # letters
SHORTEST_DENIED = 4  # letters that are left of a word without the prefix that denies it
_DENYING = ('non', 'un', 'dis', 'in')
_ACCENTS = re.compile('[\u0300-\u036f]')
_PARTS = ('rock', 'stone')  # at the end of a word: a sandstone is a stone


@lru_cache(maxsize=10_000)
def root(word: str) -> str:
    """Return a lower-case word without its endings: reddish and red, muddy and mud are one.

    Nor does an accent make another word: estación is written estacion, too.
    """
    base = stem(word if word.isascii() else without_accents(word))
    for ending, longer_than in (('ish', 5), ('en', 5), ('y', 3)):
        if base.endswith(ending) and len(base) > longer_than:
            base = base[: -len(ending)]
            break
    base = base[:-1] if base.endswith('e') and len(base) > 2 else base
    return base[:-1] if len(base) > 2 and base[-1] == base[-2] else base


def without_accents(word: str) -> str:
    """Return a word without the accents of Latin and Cyrillic letters."""
    return unicodedata.normalize('NFC', _ACCENTS.sub('', unicodedata.normalize('NFD', word)))


@lru_cache(maxsize=10_000)
def roots_of(word: str) -> frozenset[str]:
    """Return the roots of a word as it is said: its own, and that of the rock in bedrock."""
    return frozenset({root(word), *(root(part) for part in _PARTS if word.endswith(part))})


@lru_cache(maxsize=10_000)
def opposites_of(word: str) -> frozenset[str]:
    """Return what a word may deny: uncovered is not covered, leafless has no leaf."""
    rests = [word.removeprefix(each) for each in _DENYING if word.startswith(each)]
    rests += [word.removesuffix('less')] if word.endswith('less') else []
    return frozenset(each for each in rests if len(each) >= SHORTEST_DENIED)


def misspelt(word: str, meant: str) -> bool:
    """Return whether a vowel of a long word is left out, a letter doubled, or two changed places.

    Another letter makes another word (black, block; copper, chopper), and so does another first or
    last one.
    """
    short, long = sorted((word, meant), key=len)
    if len(short) < SHORTEST_MISSPELT or (short[0], short[-1]) != (long[0], long[-1]):
        return False
    if len(long) == len(short):
        wrong = [at for at, letter in enumerate(short) if letter != long[at]]
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and short[wrong[0]] + short[wrong[1]] == long[wrong[1]] + long[wrong[0]]
        )
    return any(
        long[:at] + long[at + 1 :] == short and (long[at] in 'aeiou' or long[at] == long[at - 1])
        for at in range(1, len(long))
    )
