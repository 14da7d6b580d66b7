"""The terms of a query that a text does not support, and the exclusions that it violates. Pure.

One list: an answer names what is in it as unsupported, and a thing with an entry in it is the
answer only if it is surely meant, and the words may be lacking (`may_be_unstated`).
docs/decisions/0144-each-word-is-said-or-lacking.md, 0220-what-is-said-in-a-hurry.md

"The goal whose net is not ripped": a torn net is one. What would answer the query without its
negation does not answer the query with it; the more similar it is to that, the lower it ranks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import NAMED_PLACE
from embodied_nav.retrieval.negations_in_query import has_foreign_negation
from embodied_nav.retrieval.other_languages import translate_terms
from embodied_nav.retrieval.parsed_query import ParsedQuery, join_terms
from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_measured, is_quality
from embodied_nav.retrieval.term_support import (
    MATCHED,
    TermSupport,
    gains_of,
    supports_of,
    with_gains,
)
from embodied_nav.retrieval.terms_of_text import Term, is_english, normalise_text, terms_of
from embodied_nav.retrieval.terms_that_must_match_exactly import (
    allows_semantic_match,
    requires_exact_match,
)
from embodied_nav.retrieval.text_of_thing import Document, document_of
from rover_common.dataclass_replace import replace

_OF_IT = '(?:(?:の(?:ある|ついた|付いた)|のような|みたいな|がある|[のな的]) ?)?'
_ARTICLE = (
    r'\b(?:the|an?|my|our|your|his|her|their|this)'
    r' (?:(?!(?:that|which|who|to|i|we|you|they)\b)[\w-]+ ){0,2}'
)
# Support from which on a term of a tabled language counts as matched in other words, by whether
# query and text differ in script. Of 600 invented words, 1 has more in each case.
_MATCHED_IN_OTHER_WORDS = {False: 0.72, True: 0.65}


def unsupported_of(
    query: ParsedQuery, supports: Sequence[TermSupport], sure: float
) -> list[tuple[str, ...]]:
    """Return for each thing the terms of a query that nothing in its text supports.

    The term that names the thing may be matched in other words, from `sure` on. A term beside it
    may be matched by the whole text, but only in the languages with tables. Each such term
    distinguishes the thing: no text mentions a dinosaur, so no rock is "the dinosaur rock" nor
    "la roca del dinosaurio", however similar the rest is.

    The terms of a query that says what a thing is good for may describe the asker. Only what is
    measured must be in the text, and what qualifies a term that some text contains: neither
    another rock nor a boat answers "the haunted rock".
    """
    if not query.has_terms:
        return [(f'to tell {query.text!r} by',)] * len(supports)
    needed = {at for at, term in enumerate(query.terms) if is_required(term, query)}
    for at in range(len(query.terms)):
        if not query.is_implied:
            needed.add(at)
        elif any(_qualifies_contained_term(query, support, at) for support in supports):
            needed |= {at, at + 1}
    found = []
    for support in supports:
        name_at = _name_of_thing(support, sure)
        found.append(
            tuple(
                term.text
                for at, (term, value) in enumerate(support.terms)
                if at in needed and value < 1.0 and not _is_supported(query, support, at, name_at)
            )
        )
    return found


def _name_of_thing(support: TermSupport, sure: float) -> int:
    """Return the index of the term that names the thing: the best supported one; -1: none."""
    values = [value if allows_semantic_match(term) else 0.0 for term, value in support.terms]
    best = max(values, default=0.0)
    return values.index(best) if best >= sure else -1


def _is_supported(query: ParsedQuery, support: TermSupport, at: int, name_at: int) -> bool:
    term, value = support.terms[at]
    if not allows_semantic_match(term):
        return False
    if at == name_at or value >= MATCHED:
        return True
    if not (term.is_cjk or is_english(query.text)):  # a language without a table
        return False
    threshold = _MATCHED_IN_OTHER_WORDS[term.is_cjk != support.is_cjk]
    return value >= threshold or support.is_matched_by_whole_text(at)


def _qualifies_contained_term(query: ParsedQuery, support: TermSupport, at: int) -> bool:
    """Return whether a term qualifies the next one, which the text contains.

    In English a quality does so wherever it stands before it, and another word behind an article:
    not in "the thing that shoots samples".
    """
    term, following = support.terms[at][0], support.terms[at + 1 : at + 2]
    if not following or following[0][1] < 1.0 or not allows_semantic_match(following[0][0]):
        return False
    before = '' if term.is_cjk or is_quality(concepts_of(term.text)) else _ARTICLE
    between = _OF_IT if term.is_cjk else '[ -]+'
    pattern = f'{before}{re.escape(term.text)}{between}{re.escape(following[0][0].text)}'
    return bool(re.search(pattern, normalise_text(query.text)))


def may_be_unstated(query: ParsedQuery, support: TermSupport, lacking: Collection[str]) -> bool:
    """Return whether a thing that is surely meant answers although its text lacks these terms.

    None of them may tell it from others of its kind: a quality, a number, "other", what stands
    beside a word that its text contains (the borrowed boat), or any in a language without tables.
    """
    if query.excluded or support.violated:
        return False
    values = [value for _, value in support.terms]
    return all(
        allows_semantic_match(term)
        and (term.is_cjk or is_english(query.text))
        and not _qualifies_contained_term(query, support, at)
        and not (at and values[at - 1] == 1.0 and support.terms[at - 1][0].is_cjk == term.is_cjk)
        for at, (term, _) in enumerate(support.terms)
        if term.text in lacking
    )


def is_required(term: Term, query: ParsedQuery) -> bool:
    """Return whether a thing is no answer unless its text contains the term.

    A colour, a material or a number in each query; in one that says what a thing is good for,
    "dirty" or "cold" may describe the asker.
    """
    if allows_semantic_match(term):
        return False
    return (
        requires_exact_match(term) or is_measured(concepts_of(term.text)) or not query.is_implied
    )


def partial_name(
    query: ParsedQuery, node: Node, term_vectors: TermVectors, sure: float
) -> tuple[str, ...]:
    """Return a reason if a query has only a part of a named place's name; empty: it has enough.

    Of a place that somebody named nothing else is known. "The camp" may be the base camp; "base"
    and "the north" name no camp, and dock 1 is one of several docks.
    """
    if node.label != NAMED_PLACE or node.caption or node.attributes or query.is_implied:
        return ()
    name = terms_of(node.name)
    translated = translate_terms(ParsedQuery(node.name, name), term_vectors).terms
    document = document_of('. '.join((query.text, *(term.text for term in query.terms))))
    missing = [
        term
        for term, meant in zip(name, translated, strict=True)
        if not (document.contains(term) or document.contains(meant))
        and not allows_semantic_match(meant)
    ]
    heads = [
        term for term, meant in zip(name, translated, strict=True) if allows_semantic_match(meant)
    ][-1:]
    others = [term.text for term in query.terms if allows_semantic_match(term)]
    missing += [
        head
        for head in heads
        if not document.contains(head)
        and term_vectors.max_cosines(others, [[head.text]]).max(initial=0.0) < sure
    ]
    return (f'called only {query.core!r}',) if missing else ()


def with_exclusions(
    query: ParsedQuery,
    supports: Sequence[TermSupport],
    documents: Sequence[Document],
    rows: NDArray[np.float32],
    term_vectors: TermVectors,
    sure: float,
    max_new_vectors: int,
) -> list[TermSupport]:
    """Return supports with the exclusions that each thing violates, in whatever words.

    Args:
        query: The query.
        supports: Of its terms by each thing.
        documents: The texts of the things.
        rows: The vectors of the texts.
        term_vectors: Of single terms.
        sure: See `Calibration.sure`.
        max_new_vectors: That may be computed for this.
    """
    found = [*supports]
    if query.is_implied or has_foreign_negation(query.text):  # senza testa is near headless
        return found
    for group in query.excluded:
        affirmed = tuple(replace(term, negated=False) for term in group)
        positive = ParsedQuery(query.text, (*query.terms, *affirmed))
        term_vectors.learn_if_local(positive.ablations, max_new_vectors)
        gains = gains_of(positive, rows, term_vectors)
        positive_supports = with_gains(supports_of(positive, documents, term_vectors), gains, True)
        values = [[value for _, value in support.terms] for support in positive_supports]
        odds = (
            np.full((len(documents), len(positive.terms)), -np.inf)
            if gains is None
            else gains.odds(values)
        )
        chances = (1.0 / (1.0 + np.exp(-odds[:, len(query.terms) :]))).mean(axis=1).tolist()
        unsupported = unsupported_of(positive, positive_supports, sure)
        texts = {term.text for term in group}
        for at, (support, missing, document) in enumerate(
            zip(positive_supports, unsupported, documents, strict=True)
        ):
            if found[at].violated or any(map(document.contradicts, affirmed)):
                continue
            is_violated = support.has_match and texts.isdisjoint(missing)
            label = f'not {join_terms([term.text for term in group])}'
            found[at] = replace(
                found[at],
                violated=(label,) if is_violated else (),
                exclusion_similarity=max(found[at].exclusion_similarity, chances[at]),
            )
    return found
