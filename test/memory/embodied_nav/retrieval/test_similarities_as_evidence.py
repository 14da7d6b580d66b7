"""The evidence of many things at once is that of each thing computed by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from embodied_nav.config import RetrievalConfig
from embodied_nav.embodied_retriever import BELOW, normalise_scores
from embodied_nav.retrieval.candidate_ranking import (
    AS_LIKELY,
    ScoredNode,
    tied_chances,
)
from embodied_nav.retrieval.parsed_query import ParsedQuery, parse_query
from embodied_nav.retrieval.similarities_as_evidence import (
    BARE,
    MAX_GAIN,
    OTHER_KIND,
    Evidence,
    Similarities,
    evidence_of,
)
from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_kind
from embodied_nav.retrieval.term_support import MATCHED, TermSupport
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match

QUERIES = ('rock', 'the green rock', 'the dinosaur', 'shelf 7', 'where is it?', 'a bright lamp',
           'somewhere to sit in the shade', 'my hands are dirty', '赤い岩')  # fmt: skip
SUPPORT = st.sampled_from((0.0, 0.4, 0.69, 0.7, 0.74, 0.75, 0.8, 1.0))
CHANCES = st.lists(st.floats(0.0, 1.0) | st.sampled_from((0.1, 0.09, 0.081, 1.0)), max_size=30)


def term_evidence(query: ParsedQuery, support: TermSupport) -> dict[Evidence, float]:
    """The columns that the terms decide, of one thing, term by term."""
    semantic = [pair for pair in support.terms if allows_semantic_match(pair[0])]
    values = [value for _, value in support.terms]
    lacks = any(value < MATCHED for pair in support.terms if pair not in semantic
                for value in pair[1:])  # fmt: skip
    unmatched = [value for _, value in semantic if value < MATCHED]
    other_kind = any(value < OTHER_KIND and is_kind(concepts_of(term.text))
                     for term, value in semantic)  # fmt: skip
    gains = [max(-MAX_GAIN, min(MAX_GAIN, gain)) for gain in support.gains]
    open_gains = [gain for gain, (term, value) in zip(gains, support.terms, strict=bool(gains))
                  if allows_semantic_match(term) and value < MATCHED]  # fmt: skip
    return {
        Evidence.MEAN: support.mean,
        Evidence.LEAST: min((value for _, value in semantic), default=float(bool(values))),
        Evidence.ALL_MATCHED: bool(values) and not lacks and not unmatched,
        Evidence.MATCHED_SHARE: values.count(1.0) / max(1, len(values)),
        Evidence.LACKS_QUALITY: lacks and not query.is_implied,
        Evidence.LACKS_CONDITION: lacks and query.is_implied,
        Evidence.OTHER_KIND: other_kind,
        Evidence.OTHER_KIND_OF_NEED: other_kind and query.is_implied,
        Evidence.BARE: len(values) <= BARE and bool(unmatched) and not query.is_implied,
        Evidence.GAINS: 5.0 * sum(gains),
        Evidence.LEAST_GAIN: 10.0 * min(open_gains, default=0.0),
    }


@given(st.data(), st.sampled_from(QUERIES), st.integers(0, 5), st.booleans())
@pytest.mark.slow
def test_of_many_things_it_is_that_of_each(
    data: st.DataObject, text: str, count: int, has_gains: bool
) -> None:
    query = parse_query(text)
    supports = [
        TermSupport(
            tuple((term, data.draw(SUPPORT)) for term in query.terms),
            gains=tuple(data.draw(st.floats(-0.3, 0.3)) for _ in query.terms if has_gains),
        )
        for _ in range(count)
    ]
    cosines = np.linspace(0.1, 0.9, count)
    needs = np.zeros(count, np.float32)
    rows = evidence_of(query, supports, Similarities(cosines, cosines, cosines, needs, needs))
    assert rows.shape == (count, len(Evidence))
    for row, support in zip(rows, supports, strict=True):
        for column, expected in term_evidence(query, support).items():
            assert row[column] == pytest.approx(float(expected)), column.name


@given(CHANCES)
def test_ties_are_those_of_a_comparison_with_each(chances: list[float]) -> None:
    expected = [
        sum(other for other in chances if other >= AS_LIKELY * each and AS_LIKELY * other <= each)
        for each in chances
    ]
    assert tied_chances(np.array(chances)) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(st.floats(0.0, 1.5), st.booleans()), min_size=1), st.integers(1, 9))
@pytest.mark.slow
def test_the_best_k_are_the_first_of_all(scores: list[tuple[float, bool]], k: int) -> None:
    found = {
        str(at): ScoredNode(str(at), score, score, unsupported=('red',) if is_partial else ())
        for at, (score, is_partial) in enumerate(scores)
    }
    by_id = {str(at): score for at, (score, _) in enumerate(scores)}
    everything = normalise_scores(found, by_id, 0.3, len(scores), RetrievalConfig())
    assert normalise_scores(found, by_id, 0.3, k, RetrievalConfig()) == everything[:k]
    fits = [each.score for each in everything if not each.unsupported]
    partial = [each.score for each in everything if each.unsupported]
    assert everything == sorted(everything, key=lambda each: (bool(each.unsupported), -each.score))
    if fits and partial and max(partial) > 0.0:
        assert max(partial) <= BELOW * min(fits) + 1e-9
