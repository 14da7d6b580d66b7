"""Looks up the senses of a word: its translations, and the words with the same sense. Pure.

Japanese and Chinese words have their English ones, English words the senses that they share with
another one. It is built by `python -m bench.models.dictionary_table`, see NOTICE.dictionary.txt.
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

from embodied_nav.retrieval.tokens_and_word_forms import root

TABLE = Path(__file__).with_name('dictionary.xz')
FEWEST = 2  # translations that share a sense, if there is more than one: a lounge is no sofa
LONGEST = 8  # characters of a word
SHORTEST = 3  # letters of an English word that has a sense
# Inflected endings of Japanese verbs and adjectives, and those in the dictionary.
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
def senses_of(word: str) -> frozenset[str]:
    """Return the senses of a word: roots of English words, and ids of shared senses."""
    if word.isascii():
        short = root(word)
        return frozenset((short, *_entry(short))) if len(word) >= SHORTEST else frozenset()
    found = _entry(word)
    for inflected, base in _ENDINGS:
        if not found and word.endswith(inflected) and len(word) > len(inflected):
            found = _entry(word[: -len(inflected)] + base)
    single = [each for each in found if '+' not in each]
    shared = Counter(sense for each in single for sense in _entry(each))
    fewest = min(len(single), FEWEST)
    return frozenset((*found, *(sense for sense, times in shared.items() if times >= fewest)))


@lru_cache(maxsize=20_000)
def alternative_senses(word: str) -> tuple[frozenset[str], tuple[tuple[str, ...], ...]]:
    """Return the senses of a word, and the words of each sense of several words."""
    senses = senses_of(word)
    return senses, tuple(tuple(each.split('+')) for each in senses if '+' in each)


@lru_cache(maxsize=20_000)
def parts_of(word: str) -> tuple[str, ...]:
    """Return a word, or the words of a compound that is not in the dictionary: 燃气 and 炉."""
    if word.isascii() or senses_of(word):
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
    text, starts = _table()
    key = f'{word}\t'.encode()
    at = bisect_left(starts, key, key=lambda start: text[start : start + len(key)])
    start = int(starts[at]) if at < len(starts) else len(text)
    if text[start : start + len(key)] != key:
        return ()
    end = text.index(b'\n', start)
    return tuple(text[start + len(key) : end].decode().split(' '))


@cache
def _table() -> tuple[bytes, NDArray[np.int64]]:
    """Return the lines, sorted by their bytes, and the offset of each."""
    text = lzma.decompress(TABLE.read_bytes())
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord('\n'))
    return text, ends[:-1] + 1
