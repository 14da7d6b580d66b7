"""Terms of other languages in terms that the tables have: verde is green, dónde a stop word. Pure.

English, Japanese and Chinese have tables of their own. The stop words of other languages are in
`stop_words.txt`; of what is left the encoder decides whether it is a quality, or distinguishes one
of several. docs/decisions/0144-each-word-is-said-or-lacking.md
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.parsed_query import ParsedQuery
from embodied_nav.retrieval.synonyms_and_dictionary import QUALITIES, concepts_of
from embodied_nav.retrieval.terms_of_text import Term, is_english
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match
from embodied_nav.retrieval.text_of_thing import Document

TRANSLATED = 0.75  # cosine from which on two words are the same word in two languages
_DISTINGUISHING = (
    *('first', 'second', 'third', 'fourth', 'fifth', 'last', 'next', 'other', 'another'),
    *('biggest', 'largest', 'smallest', 'tallest', 'nearest', 'best'),
)
TABLED = {'en', 'ja', 'zh'}  # languages whose stop words are in the code
TRANSLATIONS = (*_DISTINGUISHING, *QUALITIES)  # their vectors must have been computed


def without_stop_words(query: ParsedQuery) -> ParsedQuery:
    """Return a query without the stop words (la, dónde) and verbs that only connect.

    "With moss that grows on it" is matched by "moss on its roof".
    """
    if query.is_implied:
        return query
    terms = tuple(
        term for term in query.terms if term.is_distinguishing or not _is_stop_word(term, query)
    )
    if not terms and is_english(query.text):
        return query
    return replace(query, terms=terms)


def _is_stop_word(term: Term, query: ParsedQuery) -> bool:
    stop_words = _stop_words()
    if term.is_cjk:
        languages = ['ja', 'zh', 'ko']
    elif is_english(query.text):
        languages = ['en']
    else:
        languages = [language for language in stop_words if language not in TABLED]
    return any(term.text in stop_words[language] for language in languages)


def translate_terms(
    query: ParsedQuery, term_vectors: TermVectors, documents: Collection[Document] = ()
) -> ParsedQuery:
    """Return a query with each term that means a quality as that quality: verde as green.

    Qualities are matched by their words alone, so those of other languages must be translated.
    A query that says what a thing is good for is not changed: its terms may describe the asker.

    Args:
        query: The query.
        term_vectors: Of single terms.
        documents: Texts of things; a term that one of them contains stays as it is.
    """
    if query.is_implied:
        return query
    in_names = {  # the light of a street light is not bright
        query.terms[at].text
        for pair, concepts in zip(query.bigrams, query.bigram_concepts, strict=True)
        for at in pair
        if concepts
    }
    candidates = [
        term.text
        for group in (query.terms, *query.excluded)
        for term in group
        if term.text not in in_names
        if not term.is_cjk and allows_semantic_match(term) and not concepts_of(term.text)
        if not any(document.contains(term) for document in documents)
    ]
    if not candidates:
        return query
    targets = QUALITIES if is_english(query.text) else TRANSLATIONS
    cosines = term_vectors.cosines(candidates, targets)
    translations = {
        text: targets[int(column.argmax())]
        for text, column in zip(candidates, cosines.T, strict=True)
        if column.max() >= TRANSLATED
    }
    if not translations:
        return query

    def translated(group: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(
            replace(term, text=text, is_distinguishing=text in _DISTINGUISHING)
            if (text := translations.get(term.text))
            else term
            for term in group
        )

    return replace(
        query, terms=translated(query.terms), excluded=(*map(translated, query.excluded),)
    )


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    text = files('embodied_nav.retrieval').joinpath('stop_words.txt').read_text('utf-8')
    lines = (line.partition(': ') for line in text.splitlines() if not line.startswith('#'))
    return {language: frozenset(words.split()) for language, _, words in lines}
