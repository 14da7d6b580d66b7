"""The gain of a term: a thing that matches it is more similar with it than without."""

from __future__ import annotations

import pytest

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.document import document_of
from embodied_nav.retrieval.parsed_query import MAX_ABLATED, parse_query
from embodied_nav.retrieval.term_support import gains_of, supports_of
from rover_common.llm.sentence_encoder import sentence_encoder


def is_matched(text: str, term: str, caption: str) -> bool:
    query, document, encoder = parse_query(text), document_of(caption), sentence_encoder()
    term_vectors = TermVectors(encoder)
    terms = (*query.units, *query.ablations, *document.comparable_terms)
    term_vectors.learn(term_vectors.missing(terms))
    gains = gains_of(query, encoder.embed([caption]), term_vectors)
    assert gains is not None
    (support,) = supports_of(query, [document], term_vectors)
    matches = gains.matches([[value for _, value in support.terms]])
    return bool(matches[0][support.texts.index(term)])


@pytest.mark.parametrize(
    ('text', 'term', 'caption'),
    [
        ('装土豆的拖车', '装土豆', 'trailer, a flat trailer loaded with sacks of potatoes'),
        ('挖出来的土堆', '挖出来', 'spoil heap, a hill of earth that was dug out'),
    ],
)
def test_the_whole_text_matches_it_in_other_words(text: str, term: str, caption: str) -> None:
    assert is_matched(text, term, caption)


@pytest.mark.parametrize(
    ('text', 'term'),
    [
        ('the robot trolley', 'robot'),
        ('the musical trolley', 'musical'),
        ('恐竜のトロリー', '恐竜'),
        ('恐龙的手推车', '恐龙'),
    ],
)
def test_what_is_not_in_the_caption_is_not_matched(text: str, term: str) -> None:
    assert not is_matched(text, term, 'trolley, a row of luggage trolleys pushed together')


def test_a_single_term_and_a_long_query_have_no_gains() -> None:
    no_vectors = TermVectors(None)
    for text in ('rock', ' '.join(f'thing{at}' for at in range(MAX_ABLATED + 1))):
        assert parse_query(text).ablations == ()
        assert gains_of(parse_query(text), sentence_encoder().embed(['rock']), no_vectors) is None


def test_without_vectors_there_are_no_gains() -> None:
    rows = sentence_encoder().embed(['rock, a red rock'])
    assert gains_of(parse_query('the striped rock'), rows, TermVectors(None)) is None
