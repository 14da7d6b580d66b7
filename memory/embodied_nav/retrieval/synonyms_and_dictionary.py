"""Synonyms by tables of concepts, and senses by a dictionary: English, Japanese, Chinese. Pure.

A sentence encoder knows that a boulder is a rock, but gives red and green, deep and shallow, north
and south nearly the same similarity. So qualities are compared by `qualities.txt` alone. Kinds of
things may also be compared by their vectors, unless `kinds.txt` has both words: a gate is similar
to a door, and is none. docs/decisions/0085-every-word-is-carried.md

The dictionary has the English words of Japanese and Chinese ones, with the first meaning as it is
written, and of English words the senses that they share with another one. It is built by
`python -m bench.models.dictionary_table`, see NOTICE.dictionary.txt.
docs/decisions/0191-what-a-dictionary-says.md
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
import lzma
from pathlib import Path
import re

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


MOST_CUT = 2  # letters that a word's root may lack: a kitten is no kit
_OTHER_COMPOUNDS = frozenset(  # start with a character of the table and mean something else
    """
    木材 石油 石炭 石灰 石けん 石膏 白板 黑板 黒板 红绿灯 大人 大学 大学生 大使馆 小学 小学校
    小学生 小麦 金庫 金网
    金魚 金鱼 金具 银行 銀行 铁路 鉄道 鉄橋 青年 黄昏 三角 三角形 三脚 四角 四角形 五金 六角 八角
    十字 十字架 土砂 西红柿 西兰花 西葫芦
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_NAME_PARTS = frozenset(  # part of a word of two signs more often than not: 小屋, 東京
    ['big', 'small', 'new', 'north', 'south', 'east', 'west', 'left', 'right']
)
# No heads of longer words: a Japanese desk is a Chinese machine (制冰机).
_NO_HEADS = frozenset('机')
_CJK = re.compile('[぀-ヿ㐀-鿿豈-﫿々ー]')
_PARTICLE_PREFIX = re.compile('^[いなの的]')
FEWEST_BEFORE = 2  # characters before a noun that qualify it: 電車 is one word
_ENDING = re.compile(
    '(?:[ぁ-ん]+|色[のいな的]?|製の?|造り?の?|质的?|型の?|中の?|的|掉|开|了|着|个|個|条|本|枚|台|只|块)*'
)


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


@lru_cache(maxsize=20_000)
def gloss_of(word: str, is_japanese: bool) -> str:
    """Return the first meaning of a Japanese or Chinese word, as it stands; empty: none."""
    _, *glosses = _fields(word) or ('',)
    return glosses[0 if is_japanese else -1] if glosses else ''


def _entry(word: str) -> tuple[str, ...]:
    """Return the senses of a word, English roots and ids; empty: it is not in the dictionary."""
    fields = _fields(word)
    return tuple(fields[0].split(' ')) if fields else ()


def _fields(word: str) -> Sequence[str]:
    """Return the senses of a word, and its first meaning in Japanese and in Chinese."""
    text, starts = _lines()
    key = f'{word}\t'.encode()
    at = bisect_left(starts, key, key=lambda start: text[start : start + len(key)])
    start = int(starts[at]) if at < len(starts) else len(text)
    if text[start : start + len(key)] != key:
        return ()
    end = text.index(b'\n', start)
    return text[start + len(key) : end].decode().split('\t')


@cache
def _lines() -> tuple[bytes, NDArray[np.int64]]:
    """Return the lines, sorted by their bytes, and the offset of each."""
    text = lzma.decompress(TABLE.read_bytes())
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord('\n'))
    return text, ends[:-1] + 1


def _file(name: str) -> str:
    return files('embodied_nav.retrieval').joinpath(name).read_text('utf-8')


def _table(text: str) -> list[list[str]]:
    lines = (line for line in text.strip().splitlines() if not line.startswith('#'))
    return [[each.replace('_', ' ') for each in line.split()] for line in lines]


def _concepts_by_word(groups: Iterable[list[str]]) -> dict[str, tuple[str, ...]]:
    """Return the concepts of each word, and of each root that is no other concept's word."""
    found: dict[str, list[str]] = {}
    for group in groups:
        for each in group:
            found.setdefault(each, []).append(group[0])
    roots = {
        short: names
        for each, names in found.items()
        if not _CJK.match(each) and len(short := root(each)) >= len(each) - MOST_CUT
    }
    return {each: tuple(names) for each, names in (roots | found).items()}


_IMPLIED = {
    each.replace('_', ' '): name
    for name, _, some in (
        line.partition(': ') for line in _file('general_kinds.txt').splitlines() if ': ' in line
    )
    for each in some.split()
}
_QUALITIES = _table(_file('qualities.txt'))
_GROUPS = [*_QUALITIES, *_table(_file('kinds.txt'))]
_CONCEPTS = _concepts_by_word(_GROUPS)
_QUALITY_CONCEPTS = frozenset(group[0] for group in _QUALITIES)
_WORDS_OF_CONCEPT = {group[0]: tuple(group) for group in _GROUPS}
_LONGEST_FIRST = sorted((each for each in _CONCEPTS if _CJK.match(each)), key=len, reverse=True)
_CONCEPT_NAMES = [group[0] for group in _GROUPS]
QUALITIES = tuple(group[0] for group in _QUALITIES)
_COLOURS = frozenset(_CONCEPT_NAMES[: _CONCEPT_NAMES.index('wood')])
_MATERIALS = frozenset(_CONCEPT_NAMES[_CONCEPT_NAMES.index('wood') : _CONCEPT_NAMES.index('big')])
_ALWAYS_SPLIT = frozenset(  # colours, materials and numbers
    (
        *_CONCEPT_NAMES[: _CONCEPT_NAMES.index('big')],
        *_CONCEPT_NAMES[_CONCEPT_NAMES.index('two') : _CONCEPT_NAMES.index('rock') + 1],
        'old',
    )
)


@lru_cache(maxsize=20_000)
def concepts_of(word: str) -> tuple[str, ...]:
    """Return the concepts of a word, named after their first words; most words have none."""
    if found := exact_concepts(word):
        return found
    if not _CJK.match(word):
        return ()
    if kinds := _kinds_of_first_meaning(word):
        return kinds
    concepts, remainder = _split_prefix(word)
    if concepts and _ENDING.fullmatch(remainder):
        return concepts
    ends = map(_kinds_of_head, (word[at:] for at in range(1, len(word))))  # 移动起重机
    head = next(filter(None, ends), ())
    return head if not head or _fits_dictionary(word, head) else ()


def _kinds_of_first_meaning(word: str) -> tuple[str, ...]:
    """Return the kinds that the first meaning of a word names in either language: 郵便受け."""
    meanings = {gloss_of(word, True), gloss_of(word, False)} if len(word) > 1 else set()
    found = exact_concepts(meanings.pop()) if len(meanings) == 1 else ()
    return () if is_quality(found) else found


def _fits_dictionary(word: str, head: Sequence[str]) -> bool:
    """Return whether the dictionary does not contradict that a word is what its head is.

    隕石 ends like a stone, 除湿机 like the Japanese word for a desk; neither is one.
    """
    senses = {part for each in senses_of(word) for part in each.split('+')}
    return not senses or any(
        not senses.isdisjoint(senses_of(other))
        for concept in head
        for other in words_of_concept(concept)
        if other.isascii()
    )


def exact_concepts(text: str) -> tuple[str, ...]:
    """Return the concepts that have a word, or a name of two words, literally."""
    return _CONCEPTS.get(text) or (() if _CJK.match(text) else _CONCEPTS.get(root(text), ()))


def cjk_names() -> Iterator[str]:
    """Yield the Japanese and Chinese words of the concepts that have several characters."""
    return (each for each in _LONGEST_FIRST if len(each) > 1)


@lru_cache(maxsize=20_000)
def split_compound(word: str) -> tuple[str, str]:
    """Return the quality that a Japanese or Chinese word starts with, and the rest of it.

    木长椅 is wood and 长椅; both are empty for a word that is no such compound.
    """
    if not _CJK.match(word) or word in _OTHER_COMPOUNDS or exact_concepts(word):
        return '', ''
    concepts, remainder = _split_prefix(word)
    if remainder and not _ENDING.fullmatch(remainder):
        if any(
            each in _ALWAYS_SPLIT or (each in _NAME_PARTS and len(remainder) > 1)
            for each in concepts
        ):
            return word[: -len(remainder)], remainder
        head = _PARTICLE_PREFIX.sub('', remainder)
        if is_quality(concepts) and is_kind(exact_concepts(head)):  # 丸い岩, 空心石头
            return word[: -len(head)], head
    return _split_head(word)


def _split_head(word: str) -> tuple[str, str]:
    """Return what precedes the noun that a word ends with, and the noun: 恐竜 and 岩."""
    for at in range(FEWEST_BEFORE, len(word)):
        if _kinds_of_head(word[at:]):
            return word[:at], word[at:]
    return '', ''


def _kinds_of_head(end: str) -> tuple[str, ...]:
    """Return the kinds of a thing whose word ends so; empty: it is no head."""
    found = () if end in _NO_HEADS else _CONCEPTS.get(end, ())
    return found if is_kind(found) else ()


def is_quality(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a quality, which only its own words match."""
    return any(each in _QUALITY_CONCEPTS for each in concepts)


def is_measured(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a colour, material or number."""
    return any(each in _ALWAYS_SPLIT for each in concepts)


def alternatives_to(concepts: Iterable[str]) -> frozenset[str]:
    """Return the other colours of a colour, or materials of a material: no blue one is red."""
    same = with_implied(concepts)  # what is of metal may be of steel
    return frozenset().union(*(each for each in (_COLOURS, _MATERIALS) if each & same)) - same


def is_kind(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a kind of thing; no thing is of two kinds."""
    return any(each not in _QUALITY_CONCEPTS for each in concepts)


def with_implied(concepts: Iterable[str]) -> frozenset[str]:
    """Return concepts with those that they imply: what is of steel is of metal."""
    found = new = {*concepts}
    while new := {_IMPLIED[each] for each in new if each in _IMPLIED} - found:
        found = found | new
    return frozenset(found)


def words_of_concept(concept: str) -> tuple[str, ...]:
    """Return the words of a concept."""
    return _WORDS_OF_CONCEPT.get(concept, ())


def _split_prefix(word: str) -> tuple[tuple[str, ...], str]:
    for each in _LONGEST_FIRST:
        if word.startswith(each) and word not in _OTHER_COMPOUNDS:
            return _CONCEPTS[each], word[len(each) :]
    return (), ''
