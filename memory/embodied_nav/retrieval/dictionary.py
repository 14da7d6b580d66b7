"""What a dictionary says of a word: in English, and which English words mean the same. Pure.

Japanese and Chinese words have their English ones, English words the meanings that another one
has, too. It is built by `python -m bench.models.dictionary_table`, see NOTICE.dictionary.txt.
docs/decisions/0191-what-a-dictionary-says.md
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cache, lru_cache
import lzma
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.english_word_forms import root

TABLE = Path(__file__).with_name('dictionary.xz')
FEWEST = 2  # of its English words have a meaning, if it has more than one: a lounge is no sofa
LONGEST = 8  # signs of a word
SHORTEST = 3  # letters of an English word that means something
# Endings of Japanese verbs and qualities as they are said, and in the dictionary.
_ENDINGS = [
    each.split('>')
    for each in """
    ている>る ていた>る てる>る た>る て>る っている>う っている>つ っている>る った>う った>る
    って>う って>る んでいる>む んでいる>ぶ んでいる>ぬ んだ>む
    んだ>ぶ んで>む んで>ぶ ん>む ん>ぶ ん>ぬ
    いている>く いた>く いて>く いでいる>ぐ いだ>ぐ している>す
    した>す して>す している> した> して> する>
    される> された> できる> かった>い くて>い く>い な> の> れる>る れた>る られた>る かれた>く
    まれた>む われた>う られる>る き>く み>む し>す り>る び>ぶ ち>つ い>う ける>く せる>す める>む
    べる>ぶ える>う げる>ぐ
    """.split()  # noqa: SIM905 - a page of words reads better than a list
]


@lru_cache(maxsize=20_000)
def meanings_of(word: str) -> frozenset[str]:
    """Return what a word means: roots of English words, and marks of meanings that words share."""
    if word.isascii():
        short = root(word)
        return frozenset((short, *_entry(short))) if len(word) >= SHORTEST else frozenset()
    found = _entry(word)
    for said, plain in _ENDINGS:
        if not found and word.endswith(said) and len(word) > len(said):
            found = _entry(word[: -len(said)] + plain)
    single = [each for each in found if '+' not in each]
    shared = Counter(mark for each in single for mark in _entry(each))
    sure = min(len(single), FEWEST)
    return frozenset((*found, *(mark for mark, times in shared.items() if times >= sure)))


@lru_cache(maxsize=20_000)
def ways_of(word: str) -> tuple[frozenset[str], tuple[tuple[str, ...], ...]]:
    """Return what a word means, and of each meaning of several words those words."""
    meanings = meanings_of(word)
    return meanings, tuple(tuple(each.split('+')) for each in meanings if '+' in each)


@lru_cache(maxsize=20_000)
def parts_of(word: str) -> tuple[str, ...]:
    """Return a word, or the words that make one up which stands in no dictionary: 燃气 and 炉."""
    if word.isascii() or meanings_of(word):
        return (word,)
    found, at = [], 0
    while at < len(word):
        ends = range(min(len(word), at + LONGEST), at, -1)
        end = next((each for each in ends if _entry(word[at:each])), 0)
        if not end:
            return (word,)
        found.append(word[at:end])
        at = end
    return tuple(found)


def _entry(word: str) -> tuple[str, ...]:
    text, begins = _table()
    key = f'{word}\t'.encode()
    at = bisect_left(begins, key, key=lambda begin: text[begin : begin + len(key)])
    begin = int(begins[at]) if at < len(begins) else len(text)
    if text[begin : begin + len(key)] != key:
        return ()
    end = text.index(b'\n', begin)
    return tuple(text[begin + len(key) : end].decode().split(' '))


@cache
def _table() -> tuple[bytes, NDArray[np.int64]]:
    """The lines, in the order of their bytes, and where each begins."""
    text = lzma.decompress(TABLE.read_bytes())
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord('\n'))
    return text, ends[:-1] + 1
