"""Roots, opposites and misspellings of English words. Pure."""

from __future__ import annotations

from functools import lru_cache
import re
import unicodedata

from embodied_nav.embedding.bm25_tokens import stem

SHORTEST_MISSPELT = 6  # letters
SHORTEST_NEGATED = 4  # letters that remain of a word without its negating prefix
_NEGATING = ('non', 'un', 'dis', 'in')
_ACCENTS = re.compile('[\u0300-\u036f]')
_PARTS = ('rock', 'stone')  # at the end of a word: a sandstone is a stone


@lru_cache(maxsize=10_000)
def root(word: str) -> str:
    """Return a lower-case word without endings and accents: red for reddish, mud for muddy.

    Spanish estación is written estacion, too.
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
    """Return the root of a word, and that of a noun at its end: the rock in bedrock."""
    return frozenset({root(word), *(root(part) for part in _PARTS if word.endswith(part))})


@lru_cache(maxsize=10_000)
def opposites_of(word: str) -> frozenset[str]:
    """Return what a word may negate: uncovered is not covered, leafless has no leaf."""
    stems = [word.removeprefix(each) for each in _NEGATING if word.startswith(each)]
    stems += [word.removesuffix('less')] if word.endswith('less') else []
    return frozenset(each for each in stems if len(each) >= SHORTEST_NEGATED)


def misspelt(word: str, meant: str) -> bool:
    """Return whether a long word lacks a vowel, has a doubled letter, or two swapped ones.

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
