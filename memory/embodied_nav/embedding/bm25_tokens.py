"""Tokenizes texts for BM25. Pure.

English words are stemmed by a few rules; Japanese and Chinese have no spaces, so their runs become
overlapping bigrams of characters (a trigram would miss every word of two characters).
"""

from __future__ import annotations

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
