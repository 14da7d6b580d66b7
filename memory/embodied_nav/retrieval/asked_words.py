"""A question as its parts: the words that say which thing is meant, and what it must not be. Pure.

What only frames a question ("where did you see", どこで見ましたか, 在哪里) is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import zip_longest
import re

from embodied_nav.retrieval.asked_needs import (
    may_be_need,
    says_need,
    says_what_lacks,
    subject_of_need,
)
from embodied_nav.retrieval.asked_time import AskedTime, asked_time
from embodied_nav.retrieval.denials_in_question import with_plain_denials
from embodied_nav.retrieval.synonyms import concepts_of, is_closed, is_kind, named_as
from embodied_nav.retrieval.words_of_text import Word, is_english, plain, words_of

MOST_COMPARED = 8  # words of a question of which is asked what each adds

_FRAME = frozenset(
    """
    about again ago all already also am another anywhere back being both but called came check
    come anything
    coordinates d detected earlier else encountered ever every everything exactly examine first
    get give go goes headed heard here if inspect instead just kind know known last lately lie
    let lies like ll located location look looked looking looks lying m may maybe might move must
    named navigate nearby noticed now observed once one ones only or passed sitting situated
    perhaps please position possible previously proceed put quite re really recently remembered
    return right s same saw say self send shall showed sit sits so sort spot spotted such
    stand standing stands still sure t take then think tour travel type us ve very
    equipment gear hurry quick quickly 设备 装置
    visible visit visited want went were whatever whether whichever while whoever
    whose wish won yes yet you yours object objects item items stuff could i'm there's hey hi
    hello made somebody someone anybody anyone people need needs want wants have nearly almost i
    he she it myself yourself itself themselves
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_CONTRACTED = re.compile(
    r"\b(?P<who>i|he|she|it|we|they|there|someone|somebody|everyone)'(?P<does>s|m|re)\b"
)
_IN_FULL = {'s': 'is', 'm': 'am', 're': 'are'}
_ARTICLE = re.compile(  # of the thing itself: not in "the rock with a flat top"
    r'(?<!\bwith )(?<!\bof )(?<!\blike )\b(?:(?P<any>an?|any|some|either|one of)(?= )'
    r'|the|this|that|these|those|my|our|your|its|his|her|their|which|what)\b'
    '|(?P<some>何か|なにか|どれか|どれでも|どこか|任[何意]|随便|一[个只辆把张台块座条根棵件艘])'
)
_PURPOSES = frozenset('sit lie stand send travel'.split())  # noqa: SIM905
_IS_KEPT = re.compile(  # says where a thing is, not which
    r'(?<=\w )(?:is|are|was|were) (?:being )?(?:kept|stored|parked|placed|put|hidden)(?=[?.!]*$)'
)
_HEAD_TO = re.compile(r'^head (?:over |back |on )?(?:to|for|towards?)\b', re.IGNORECASE)
_NO_WORDS = re.compile(r'\b(?:the |our |a )?(?:rover|robot)\b', re.IGNORECASE)
_FULL_OF = re.compile(r'\bfull of\b', re.IGNORECASE)
_MOST = re.compile(
    r'\w+est$|^most$|^least$|^second$|^third$|^(?:fourth|fifth|sixth|seventh|eighth|ninth|tenth)$'
    r'|^eleventh$|^twelfth$|\w+(?:teen|tie)th$'
)
_NO_MOST = frozenset('west forest nest test chest rest guest vest crest harvest'.split())  # noqa: SIM905
_ROMAN = re.compile('(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})')
_MOST_SIGNS = re.compile(
    '一番|最も|もっとも|另|别的|其他|其它|別の|他の|ほかの|最[大小高低長长古新深浅]|第[一二三四五六七八九十]|[二三四五]番目'
)


@dataclass(frozen=True)
class Asked:
    """A question for one thing.

    Attributes:
        text: As it was asked.
        words: It must be spoken of with each of these.
        excluded: It must not be spoken of with all the words of one of these groups.
        time: When it must have been seen.
        is_implied: The question says what the thing is good for, not what it is.
        subject: What does or lacks something, in one that is implied: the tractor that is out
            of fuel is not where to get some.
    """

    text: str
    words: tuple[Word, ...] = ()
    excluded: tuple[tuple[Word, ...], ...] = ()
    time: AskedTime = field(default_factory=AskedTime)
    is_implied: bool = False
    subject: str = ''

    @property
    def means_any(self) -> bool:
        """Whether each thing that fits is as good as another: "show me a bench", どれか."""
        first = _ARTICLE.search(plain(self.text))
        return self.is_implied or bool(first and (first['any'] or first['some']))

    @property
    def names_something(self) -> bool:
        """Whether anything could be told by it."""
        return bool(self.words)

    @property
    def core(self) -> str:
        """What its meaning is made of: the words that must be said, in their order."""
        return joined([word.text for word in self.words]) or self.text

    @property
    def meant(self) -> tuple[str, str]:
        """The texts whose meaning is its meaning: its words alone, and the whole of it."""
        return self.core, self.text

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The neighbours among the words that may be one name: "fire" and "extinguisher"."""
        return tuple(
            (at, at + 1)
            for at, (one, two) in enumerate(zip(self.words, self.words[1:], strict=False))
            if one.is_signs == two.is_signs and not two.begins
            if may_be_alike(one) and may_be_alike(two)
        )

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The groups that each pair is in as one name."""
        return tuple(map(named_as, map(self.pair, self.pairs)))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Its words, then its pairs, as they are compared by meaning."""
        return (*map(_best_known, self.words), *map(self.pair, self.pairs))

    @property
    def compared(self) -> tuple[str, ...]:
        """Its words as one text, that text without each of them, and each; empty for one word."""
        words = [word.text for word in self.words]
        if not 1 < len(words) <= MOST_COMPARED:
            return ()
        without = (joined(words[:at] + words[at + 1 :]) for at in range(len(words)))
        return (self.core, *without, *words)

    def pair(self, at: tuple[int, int]) -> str:
        """Two words as one name."""
        return joined([self.words[each].text for each in at])


@lru_cache(maxsize=500)
def asked_of(text: str, may_imply: bool = True, is_need: bool = False) -> Asked:
    """Return the parts of a question.

    Args:
        text: As it was asked.
        may_imply: It may say what a thing is good for.
        is_need: It says what is the matter, as far as its meaning tells.
    """
    rest, time = asked_time(with_plain_denials(text))
    rest = _HEAD_TO.sub('', _IS_KEPT.sub('', rest.rstrip()))
    flat = _CONTRACTED.sub(_in_full, plain(text))
    says_so = says_need(flat)
    is_known = is_english(text) or any(word.is_signs for word in words_of(text))
    implied = may_imply and ((is_need and may_be_need(text)) or (says_so and is_known))
    found = words_of(_NO_WORDS.sub(' ', rest) if implied else _FULL_OF.sub(' ', rest))
    spoken = [word for word, then in zip_longest(found, found[1:]) if _counts(word, then, implied)]
    groups: dict[int, list[Word]] = {}
    for word in spoken:
        if word.denied:
            groups.setdefault(word.group, []).append(word)
    if (
        groups and all(word.denied for word in spoken) and says_what_lacks(flat)
    ):  # what is lacking is wanted
        spoken, groups, implied = [replace(word, denied=False) for word in spoken], {}, True
    wanted = tuple(word for word in spoken if not word.denied)
    excluded = tuple(tuple(some) for some in groups.values())
    return Asked(text, wanted, excluded, time, implied, subject_of_need(flat) if implied else '')


def _in_full(found: re.Match[str]) -> str:
    return f'{found["who"]} {_IN_FULL[found["does"]]}'


def may_be_alike(word: Word) -> bool:
    """Return whether a word may be carried by one that is near in meaning: green is not red."""
    return _may_be_alike(word.text, word.tells)


def is_exact(word: Word) -> bool:
    """Return whether a word must be said as it stands: 7, B12, IV, first, biggest, A."""
    return _is_exact(word.text, word.tells)


@lru_cache(maxsize=20_000)
def _may_be_alike(text: str, tells: bool) -> bool:
    return not _is_exact(text, tells) and not is_closed(concepts_of(text))


@lru_cache(maxsize=20_000)
def _is_exact(text: str, tells: bool) -> bool:
    if Word(text).is_signs:
        return bool(_MOST_SIGNS.match(text))
    if tells or len(text) == 1 or any(map(str.isdigit, text)) or _ROMAN.fullmatch(text):
        return True
    return bool(_MOST.match(text)) and text not in _NO_MOST


def _best_known(word: Word) -> str:
    """Return a word as the encoder knows it best: a known thing by its English name."""
    concepts = concepts_of(word.text) if word.is_signs else ()
    return concepts[0] if is_kind(concepts) else word.text


def joined(texts: Sequence[str]) -> str:
    """Return words as a text; between Japanese or Chinese ones there are no spaces."""
    text = ''
    for each in texts:
        apart = text and (text[-1].isascii() or each[0].isascii())
        text += f' {each}' if apart else each
    return text


def _counts(word: Word, then: Word | None, implied: bool) -> bool:
    """Return whether a word says what is meant; one that else frames may begin a name."""
    is_denied = word.denied and word.text not in ('one', 'ones')
    if is_denied or word.text not in _FRAME or word.tells or (implied and word.text in _PURPOSES):
        return not (implied and word.text == 'down')
    return then is not None and bool(named_as(joined([word.text, then.text])))
