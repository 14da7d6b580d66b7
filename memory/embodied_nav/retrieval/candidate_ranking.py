"""Ranks the candidates of a query by the evidence that each is meant: SEMANTIC before its boosts.

The similarity has three parts: the cosine of query and text, the support of each term, and BM25,
which selects candidates only. A candidate that only the vectors find is as eligible as one that
shares words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
import math

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.forest.neighbours_and_directions import BESIDE_M
from embodied_nav.nodes_of_forest import Node, age_s
from embodied_nav.retrieval.calibration import Calibration, probabilities
from embodied_nav.retrieval.other_languages import translate_terms, without_stop_words
from embodied_nav.retrieval.parsed_query import ParsedQuery, parse_query
from embodied_nav.retrieval.similarities_as_evidence import (
    evidence_of,
    null_evidence,
    similarities_of,
    terms_matched_anywhere,
)
from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_kind, words_of_concept
from embodied_nav.retrieval.term_support import TermSupport, gains_of, supports_of, with_gains
from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match
from embodied_nav.retrieval.text_of_thing import Document, document_of, has_kind
from embodied_nav.retrieval.unsupported_and_excluded_terms import (
    may_be_unstated,
    partial_name,
    unsupported_of,
    with_exclusions,
)
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.dataclass_replace import replace
from rover_common.llm.sentence_encoder import MODEL as OWN

CANDIDATES = 2  # times k; only these go through the later stages
FEWEST_CANDIDATES = 30
LIKELY = 0.35  # probability from which on a thing is the answer that other words describe
OFFERED = 0.65  # probability, at most, of one that is only offered: as many are right then
POSSIBLE = 0.2  # similarity from which on a thing may be offered
AS_LIKELY = 0.9  # of a probability: as good as it
SURELY = 0.9  # probability from which on a thing answers although its text lacks a word
NEVER = -20.0  # log-odds of what violates an exclusion
MAX_NEW_VECTORS = 64  # terms that one query embeds; the others wait for the upkeep


@dataclass(frozen=True)
class ScoredNode:
    """A candidate with its evidence.

    Attributes:
        similarity: Before the boosts: the probability that it is meant, against nothing at all.
        score: After them, normalised; for the ranking.
        probability: That it is what was asked for.
        supported: Terms of the query that its text supports.
        unsupported: Why it is no answer: terms of the query that nothing in its text supports.
        unstated: Such terms of a thing that is the answer all the same.
        is_plausible: It may be offered as a guess.
    """

    node_id: str
    similarity: float
    score: float
    probability: float = 0.0
    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    is_plausible: bool = True
    unstated: tuple[str, ...] = ()

    @property
    def has_only_supported(self) -> bool:
        """Whether each term is supported; how probable the thing is does not matter."""
        return not self.unsupported or {*self.unsupported} <= {*self.supported}


@dataclass(frozen=True)
class EncodedQuery:
    """A query with its vector and its scope.

    Attributes:
        vector: Empty where no model gave one; then the terms decide alone.
        k: How many hits are wanted.
        names_thing: It names things, and does not say what they are good for.
        is_need: It states a need.
    """

    text: str
    vector: Vector
    scope: Scope
    k: int
    names_thing: bool = False
    is_need: bool = False

    @cached_property
    def parsed(self) -> ParsedQuery:
        """Its parts."""
        return parse_query(self.text, not self.names_thing, self.is_need)


def rank_candidates(
    store: MemoryStore,
    query: EncodedQuery,
    calibration: Calibration,
    term_vectors: TermVectors,
    now: float | None = None,
) -> list[ScoredNode]:
    """Return the candidates, fully supported ones first, then by similarity.

    Args:
        store: Has the things.
        query: The query.
        calibration: Of the embedding model's scores.
        term_vectors: Of single terms.
        now: ROS time in s, for constraints on when a thing was seen; None: they do not apply.
    """
    limit = max(FEWEST_CANDIDATES, CANDIDATES * query.k)
    cosines = dict(store.nearest(query.vector, query.scope, limit))
    stopped = without_stop_words(query.parsed)
    translated = translate_terms(stopped, term_vectors)
    lexical = store.lexical(expand_terms(translated), query.scope, limit)
    cosines |= cosines_of(store, query, [each for each in lexical if each not in cosines])
    nodes = store.get(cosines)
    documents = [document_of(node.text) for node in nodes.values()]
    parsed = (
        stopped if translated is stopped else translate_terms(stopped, term_vectors, documents)
    )
    term_vectors.learn_if_local(
        chain.from_iterable(document.comparable_terms for document in documents), MAX_NEW_VECTORS
    )
    around = _surroundings(store, nodes, parsed)
    supports = supports_of(parsed, documents, term_vectors, [around.get(each) for each in nodes])
    rows = store.vectors(list(nodes))
    supports = with_exclusions(
        parsed, supports, documents, rows, term_vectors, calibration.sure, MAX_NEW_VECTORS
    )
    term_vectors.learn_if_local(stopped.ablations, MAX_NEW_VECTORS)
    gains = gains_of(stopped, rows, term_vectors)
    supports = with_gains(supports, gains, calibration.model == OWN)
    classes = [node.label for node in nodes.values()]
    term_vectors.learn_if_local(classes, MAX_NEW_VECTORS)
    similarities = similarities_of(
        query.text,
        np.array([cosines[each] for each in nodes], np.float64),
        query.vector,
        rows,
        classes,
        supports,
        term_vectors,
    )
    log_odds = calibration.odds(evidence_of(parsed, supports, similarities), null_evidence(parsed))
    is_in_time = [_matches_time(parsed, node, now) for node in nodes.values()]
    log_odds += [NEVER * (bool(support.violated) or not in_time)
                 for support, in_time in zip(supports, is_in_time, strict=True)]  # fmt: skip
    chances = probabilities(log_odds)
    matched_anywhere = terms_matched_anywhere(parsed, supports)
    texts = tuple(term.text for term in parsed.terms)
    found = []
    for node, support, unmatched, in_time, chance, shared, odds in zip(
        nodes.values(),
        supports,
        unsupported_of(parsed, supports, calibration.sure),
        is_in_time,
        chances.tolist(),
        _shared_chances(
            chances, supports, calibration.sure, classes if parsed.is_implied else ()
        ).tolist(),
        log_odds.tolist(),
        strict=True,
    ):
        unsupported = (
            *unmatched,
            *support.violated,
            *(() if in_time else (parsed.time.text,)),
            *_subject_of_query(parsed, node),
            *partial_name(parsed, node, term_vectors, calibration.sure),
            *(() if support.has_match else matched_anywhere),
        )
        unsupported = tuple(dict.fromkeys(unsupported)) if unsupported else ()
        if not unsupported and shared < LIKELY and (parsed.is_implied or support.mean < 1.0):
            unsupported = support.weakest
        is_sure = chance >= SURELY and calibration.samples and {*unsupported} == {*unmatched}
        unstated = unsupported if is_sure and may_be_unstated(parsed, support, unmatched) else ()
        unsupported = () if unstated else unsupported
        similarity = (1.0 - support.exclusion_similarity) / (1.0 + math.exp(-odds))
        is_plausible = similarity >= POSSIBLE or support.kind >= calibration.near
        supported = (
            support.supported(calibration.sure)
            if parsed.is_implied
            else texts
            if not unmatched
            else tuple(text for text in texts if text not in unmatched)
        )
        found.append(
            ScoredNode(
                node.node_id,
                similarity,
                similarity,
                chance,
                supported,
                unsupported,
                is_plausible,
                unstated,
            )
        )
    found = _prefer_stated_exclusions(parsed, found, supports)
    found = _prefer_class_matches(parsed, found, nodes, supports)
    return sorted(found, key=lambda each: (bool(each.unsupported), -each.similarity))


def tied_chances(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each chance the sum of those that are as likely, itself included."""
    ordered = np.sort(chances)
    sums = np.concatenate(([0.0], np.cumsum(ordered)))
    first = np.searchsorted(ordered, AS_LIKELY * chances, 'left')
    end = np.searchsorted(AS_LIKELY * ordered, chances, 'right')
    found: NDArray[np.float64] = sums[end] - sums[first]
    return found


def _shared_chances(
    chances: NDArray[np.float64],
    supports: Sequence[TermSupport],
    sure: float,
    classes: Sequence[str],
) -> NDArray[np.float64]:
    """Return the chance that each thing, or one that fits as well, is meant.

    `classes`: of the things, if one of a class is as good as another: whoever wants to sit down
    needs no certain bench. Empty: it is not.
    """
    is_complete = np.array([support.least >= sure for support in supports], np.bool_)
    shared = np.where(is_complete, tied_chances(chances), chances)
    is_exact = np.array([support.mean == 1.0 for support in supports], np.bool_)
    is_allowed = np.array([not support.violated for support in supports], np.bool_)
    exact = float(chances[is_exact & is_allowed].sum())
    found: NDArray[np.float64] = np.where(is_exact, np.maximum(shared, exact), shared)
    if classes:
        numbers = np.unique(classes, return_inverse=True)[1]
        found = np.maximum(found, np.bincount(numbers, chances * is_allowed)[numbers])
    return found


def _prefer_stated_exclusions(
    parsed: ParsedQuery, found: Sequence[ScoredNode], supports: Sequence[TermSupport]
) -> list[ScoredNode]:
    """Mark as unsupported what does not state that it is without what the query excludes.

    The tree without leaves is preferred to one whose text does not mention them. "The bench that
    is not red" is the other one where one is red. Where no text mentions it, it is not known which
    one is meant.
    """
    has_contrast = any(
        support.violated and {*each.unsupported} <= {*support.violated, *support.texts}
        and support.has_match
        for each, support in zip(found, supports, strict=True)
    )  # fmt: skip
    counts = [0 if each.unsupported else support.exclusions_met
              for each, support in zip(found, supports, strict=True)]  # fmt: skip
    most = max(counts, default=0)
    names_thing = not parsed.is_implied or any(
        is_kind(concepts_of(term.text)) for term in parsed.terms
    )
    if not most and not has_contrast and parsed.excluded and names_thing:
        most = 1
    unsupported = tuple(f'without {term.text}' for group in parsed.excluded for term in group)
    return [
        replace(each, unsupported=unsupported) if not each.unsupported and count < most else each
        for each, count in zip(found, counts, strict=True)
    ]


def _prefer_class_matches(
    parsed: ParsedQuery,
    found: Sequence[ScoredNode],
    nodes: Mapping[str, Node],
    supports: Sequence[TermSupport],
) -> list[ScoredNode]:
    """Prefer a thing whose class matches to one whose caption only mentions it.

    A chair by the lift is no lift, and the statue of a lion no animal, where there is one. With a
    class of no known kind, the name counts, too.
    """
    if parsed.is_implied:
        return [*found]
    semantic = [term for term in parsed.terms if allows_semantic_match(term)]
    terms_in: dict[str, frozenset[Term]] = {}
    has_known_kind = {label: has_kind(label) for label in {each.label for each in nodes.values()}}
    in_class = []
    for each, support in zip(found, supports, strict=True):
        node = nodes[each.node_id]
        name = node.label if has_known_kind[node.label] else node.called
        if name not in terms_in:
            terms_in[name] = frozenset(filter(document_of(name).contains, semantic))
        in_class.append(tuple(term.text for term, value in support.terms
                              if value == 1.0 and term in terms_in[name]))  # fmt: skip
    most = max((len(terms) for each, terms in zip(found, in_class, strict=True)
                if each.has_only_supported), default=0)  # fmt: skip
    if not most:
        return [*found]
    best = {text for terms in in_class if len(terms) == most for text in terms}
    return [
        each
        if not each.has_only_supported or len(terms) == most
        else _without_support(each, best.difference(terms))
        for each, terms in zip(found, in_class, strict=True)
    ]


def _without_support(scored: ScoredNode, terms: Collection[str]) -> ScoredNode:
    """Return it with these terms unsupported."""
    supported = tuple(each for each in scored.supported if each not in terms)
    unsupported = tuple(each for each in scored.supported if each in terms)
    return replace(scored, supported=supported, unsupported=unsupported)


def _subject_of_query(parsed: ParsedQuery, node: Node) -> tuple[str, ...]:
    """Return the subject of a query that does not ask for it, if the thing is of that class.

    A boot dryer is a dryer, and no boot.
    """
    if not parsed.subject:
        return ()
    subject, (*_, head) = Term(parsed.subject), ('', *node.label.split())
    return (subject.text,) if document_of(head).contains(subject) else ()


def expand_terms(parsed: ParsedQuery) -> str:
    """Return the terms of a query with all of their synonyms, to search for candidates."""
    synonyms = (
        word
        for term in parsed.terms
        for concept in concepts_of(term.text)
        for word in words_of_concept(concept)
    )
    return ' '.join(dict.fromkeys((*(term.text for term in parsed.terms), *synonyms)))


def _matches_time(parsed: ParsedQuery, node: Node, now: float | None) -> bool:
    """Return whether it was seen at the time that was asked for."""
    if now is None or not parsed.time.text:
        return True
    return parsed.time.matches(age_s(node.last_seen, now))


def _surroundings(
    store: MemoryStore, nodes: Mapping[str, Node], parsed: ParsedQuery
) -> dict[str, Document]:
    """Return the texts of the neighbours and areas of things, for terms in place phrases.

    The template of an area mentions its kind only, so it is left out.
    """
    if not any(term.in_place_phrase for term in parsed.terms):
        return {}
    neighbour_ids = store.neighbours(list(nodes), BESIDE_M)
    neighbours = store.get({each for ids in neighbour_ids.values() for each in ids})
    areas = ancestors_of(store, nodes.values())
    found = {}
    for node_id, node in nodes.items():
        near = (neighbours[each] for each in neighbour_ids.get(node_id, ()) if each in neighbours)
        texts = [f'{each.name}, {each.label}' for each in near]
        parent = node.parent
        while parent in areas:
            if areas[parent].summary_by != 'template':
                texts += [areas[parent].name, areas[parent].summary]
            parent = areas[parent].parent
        found[node_id] = document_of('. '.join(texts))
    return found


def ancestors_of(store: MemoryStore, nodes: Iterable[Node]) -> dict[str, Node]:
    """Return the clusters above some nodes, by id."""
    ancestors: dict[str, Node] = {}
    wanted = {node.parent for node in nodes if node.parent}
    while wanted:
        found = store.get(wanted)
        ancestors |= found
        wanted = {node.parent for node in found.values() if node.parent} - ancestors.keys()
    return ancestors


def cosines_of(store: MemoryStore, query: EncodedQuery, ids: Sequence[str]) -> dict[str, float]:
    """Return the cosines of nodes with a query; 0 where one of the two has no vector."""
    if not ids or not len(query.vector):
        return dict.fromkeys(ids, 0.0)
    rows = store.vectors(ids)
    if rows.shape[1] != len(query.vector):
        return dict.fromkeys(ids, 0.0)
    return dict(zip(ids, map(float, rows @ query.vector), strict=True))
