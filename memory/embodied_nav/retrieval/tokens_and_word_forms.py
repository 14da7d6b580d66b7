"""Tokens for BM25, and the stems, roots, opposites and misspellings of English words. Pure.

Japanese and Chinese have no spaces, so their runs become overlapping bigrams of characters (a
trigram would miss every word of two characters).
"""

from __future__ import annotations

from functools import lru_cache
import re
import unicodedata

_CJK_RANGE = '぀-ヿㇰ-ㇿ㐀-鿿豈-﫿々ー'  # of Japanese and Chinese
_RUNS = re.compile(rf'[{_CJK_RANGE}]+|(?:(?![{_CJK_RANGE}])[^\W_])+')
_CJK = re.compile(f'[{_CJK_RANGE}]')
_CAMEL_CASE = re.compile(r'(?<=[a-z])(?=[A-Z])')
STOP_WORDS = frozenset(
    """
    a an and any are as at be been by can could did do does for from go had has have he her here
    his how i in into is it its me my near of on or our please s saw see seen she should show so
    some something t tell that the their them there these they this those to us was we were what
    when where which who will with would you your find take drive bring lead somewhere around
    close not no without before after sol day nearest closest next number beside locate recall
    remember way know area place thing many much count total
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
HIRAGANA = re.compile(r'[ぁ-ん]+')  # grammar is written in hiragana, nouns rarely are


SHORTEST_MISSPELT = 6  # letters
SHORTEST_NEGATED = 4  # letters that remain of a word without its negating prefix
_NEGATING = ('non', 'un', 'dis', 'in')
_ACCENTS = re.compile('[\u0300-\u036f]')
_PARTS = ('rock', 'stone')  # at the end of a word: a sandstone is a stone


def tokens(text: str) -> list[str]:
    """Return the stemmed tokens of a text in their order, without stop words."""
    found: list[str] = []
    normalised = split_camel_case(unicodedata.normalize('NFKC', text))
    for run in _RUNS.findall(normalised.lower()):
        if _CJK.match(run):
            for part in HIRAGANA.sub(' ', run).split() or [run]:
                found += _bigrams(part)
        elif run not in STOP_WORDS:
            found.append(stem(run))
    return found


def split_camel_case(text: str) -> str:
    """Return the text with camel case split: receptionDesk is two words."""
    return _CAMEL_CASE.sub(' ', text)


def stem(word: str) -> str:
    """Return an English word without the commonest endings: rocks → rock, layered → layer."""
    if len(word) > 4 and word.endswith('ies'):
        return word[:-3] + 'y'
    if len(word) > 4 and word.endswith(('ches', 'shes', 'sses', 'xes')):
        return word[:-2]
    if len(word) > 3 and word.endswith('s') and not word.endswith(('ss', 'us', 'is')):
        word = word[:-1]
    for ending in ('ing', 'ed'):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] != 'l' else word
    return word


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]


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
