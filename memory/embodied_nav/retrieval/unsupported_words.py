"""What a question asks for that nothing said of a thing carries. Pure.

One list: what stands in it is what an answer names as not said, and a thing of which something
stands in it is never the answer. docs/decisions/0144-each-word-is-said-or-lacking.md
"""

from __future__ import annotations

from collections.abc import Sequence
import re

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import NAMED_PLACE
from embodied_nav.retrieval.analysed_description import said_of
from embodied_nav.retrieval.asked_words import Asked, is_exact, may_be_alike
from embodied_nav.retrieval.other_languages import in_known_words
from embodied_nav.retrieval.synonyms import concepts_of, is_closed, is_measured
from embodied_nav.retrieval.word_support import SAID, Support
from embodied_nav.retrieval.words_of_text import Word, is_english, plain, words_of

_OF_IT = '(?:(?:の(?:ある|ついた|付いた)|のような|みたいな|がある|[のな的]) ?)?'
_ARTICLE = (
    r'\b(?:the|an?|my|our|your|his|her|their|this)'
    r' (?:(?!(?:that|which|who|to|i|we|you|they)\b)[\w-]+ ){0,2}'
)
# Support from which on a word that a table knows is said in other words: of the same writing, of
# the other. In each 1 of 600 invented words has more.
_SAID_AS_WELL = {False: 0.72, True: 0.65}


def unsupported_of(
    asked: Asked, supports: Sequence[Support], sure: float
) -> list[tuple[str, ...]]:
    """Return for each thing the words of a question that nothing said of it carries.

    What a thing is may be said in other words, and is carried from `sure` on. A word beside it may
    be said by the whole text, but only in the languages that are cut by tables. Each such word
    tells the thing from others of its kind: nobody spoke of a dinosaur, so no rock is "the
    dinosaur rock" nor "la roca del dinosaurio", however like the rest is.

    The words of a question that says what a thing is good for may be of whoever asks. Only what
    is measured must be said of the thing, and what qualifies a word that is said of some thing:
    whoever wants "the haunted rock" wants neither another rock nor a boat.
    """
    if not asked.names_something:
        return [(f'to tell {asked.text!r} by',)] * len(supports)
    needed = {at for at, word in enumerate(asked.words) if is_required(word, asked)}
    for at in range(len(asked.words)):
        if not asked.is_implied:
            needed.add(at)
        elif any(_stands_before_said(asked, each, at) for each in supports):
            needed |= {at, at + 1}
    found = []
    for support in supports:
        names = _names(support, sure)
        found.append(
            tuple(
                word.text
                for at, (word, value) in enumerate(support.words)
                if at in needed and value < 1.0 and not _is_supported(asked, support, at, names)
            )
        )
    return found


def _names(support: Support, sure: float) -> int:
    """Return which word names what the thing is: the one that is carried best; -1: none is."""
    values = [value if may_be_alike(word) else 0.0 for word, value in support.words]
    best = max(values, default=0.0)
    return values.index(best) if best >= sure else -1


def _is_supported(asked: Asked, support: Support, at: int, names: int) -> bool:
    word, value = support.words[at]
    if not may_be_alike(word):
        return False
    if at == names or value >= SAID:
        return True
    if not (word.is_signs or is_english(asked.text)):  # cut without a table
        return False
    return value >= _SAID_AS_WELL[word.is_signs != support.in_signs] or support.is_said_by_all(at)


def _stands_before_said(asked: Asked, support: Support, at: int) -> bool:
    """Return whether a word qualifies one behind it that is said of the thing.

    In English a quality does wherever it stands there, and another word behind an article: not in
    "the thing that shoots samples".
    """
    word, then = support.words[at][0], support.words[at + 1 : at + 2]
    if not then or then[0][1] < 1.0 or not may_be_alike(then[0][0]):
        return False
    before = '' if word.is_signs or is_closed(concepts_of(word.text)) else _ARTICLE
    between = _OF_IT if word.is_signs else '[ -]+'
    pattern = f'{before}{re.escape(word.text)}{between}{re.escape(then[0][0].text)}'
    return bool(re.search(pattern, plain(asked.text)))


def is_required(word: Word, asked: Asked) -> bool:
    """Return whether nothing is the answer that is not said to be so.

    A colour, a material or a number in each question; in one that says what a thing is good for,
    "dirty" or "cold" may be said of whoever asks.
    """
    if may_be_alike(word):
        return False
    return is_exact(word) or is_measured(concepts_of(word.text)) or not asked.is_implied


def part_of_name(asked: Asked, node: Node, meanings: Meanings, sure: float) -> tuple[str, ...]:
    """Return that a place was asked for by a part of its name only; empty: by enough of it.

    Of a place that somebody named nothing else is known. "The camp" may be the base camp; "base"
    and "the north" name no camp, and dock 1 is one of several docks.
    """
    if node.label != NAMED_PLACE or node.caption or node.attributes or asked.is_implied:
        return ()
    name = words_of(node.name)
    known = in_known_words(Asked(node.name, name), meanings).words
    said = said_of('. '.join((asked.text, *(word.text for word in asked.words))))
    lacking = [
        word
        for word, meant in zip(name, known, strict=True)
        if not (said.says(word) or said.says(meant)) and not may_be_alike(meant)
    ]
    heads = [word for word, meant in zip(name, known, strict=True) if may_be_alike(meant)][-1:]
    others = [word.text for word in asked.words if may_be_alike(word)]
    lacking += [
        head
        for head in heads
        if not said.says(head) and meanings.alike(others, [[head.text]]).max(initial=0.0) < sure
    ]
    return (f'called only {asked.core!r}',) if lacking else ()
