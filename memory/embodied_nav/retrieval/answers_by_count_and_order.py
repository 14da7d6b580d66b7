"""Answers to how many, first, last, before and after, from the hits of a query. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from embodied_nav.age_in_words import ago
from embodied_nav.nodes_of_forest import Node
from embodied_nav.question_and_outcome import Hit, Query, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import if_fresh, judge, located, named
from embodied_nav.retrieval.answers_by_direction import distance_along, farthest_hit
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.query_form import QueryForm
from embodied_nav.retrieval.semantic_search import LIKELY
from embodied_nav.retrieval.term_support import join_alternatives

MAX_COUNTED = 500  # things that are counted, or compared by when they were seen


def answer_of(
    form: QueryForm,
    hits: Sequence[Hit],
    nodes: Mapping[str, Node],
    landmark: Node | None,
    now: float,
) -> Recall:
    """Return the answer to a query of such a form.

    Args:
        form: Of the query.
        hits: What is similar to the things that are meant, best first, with unsupported terms.
        nodes: The nodes of the hits.
        landmark: The node that `form.landmark` means; None: there is none.
        now: s.
    """
    if form.landmark and landmark is None:
        return _absent(
            f'Nothing that is remembered is {form.landmark!r}, so nothing is {form.when} it'
        )
    fits = [hit for hit in hits if hit.has_only_supported]
    condition = ''
    if landmark is not None:
        condition = f' first seen {form.when} {landmark.name}'
        fits = [
            hit
            for hit in fits
            if hit.node_id != landmark.node_id
            and _was_seen(nodes[hit.node_id], landmark, form.when == 'before')
        ]
    if form.is_count:
        return _count(form.text, fits, hits, condition)
    is_guess = sum(hit.probability for hit in fits) < LIKELY
    if is_guess and form.direction and hits:  # the best hit shows which things are meant
        similar = [hit for hit in hits if _matched_terms(hit) == _matched_terms(hits[0])]
        others = [hit for hit in hits if hit not in similar]
        similar.sort(key=lambda hit: -distance_along(form.direction, hit.position))
        return judge(Query(text=form.text), [*similar, *others], [], [])
    if not fits:
        return _absent(f'Nothing{condition} is remembered{_nearest_miss(hits)}')
    if form.direction and form.among_several and len(fits) == 1:  # others may have other names
        reason = f'Of several such only {located(fits[0])} is known. Go there?'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))
    if form.direction:
        return farthest_hit(form.direction, fits)
    if form.order:
        return _first_or_last(form, fits, nodes, now)
    if len(fits) == 1:
        return Recall(RecallOutcome.FOUND, f'{located(fits[0])}{condition}.', tuple(fits))
    reason = f'{len(fits)} remembered{condition}: {named(fits)}. Say which one is meant.'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))


def final_answer(query: Query, recall: Recall, around_m: float) -> Recall:
    """Return the answer for the asker: STALE if it is too old, and with `query.k` hits at most.

    `around_m`: how far from the asker was searched, if the asker's place is known.
    """
    if query.near is not None:
        only = f'{recall.reason} Only what lies within {around_m:.0f} m of here is meant.'
        recall = replace(recall, reason=only)
    return replace(
        if_fresh(query, recall), hits=recall.hits if recall.count else recall.hits[: query.k]
    )


def _matched_terms(hit: Hit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return hit.supported, hit.unsupported


def _count(text: str, fits: Sequence[Hit], hits: Sequence[Hit], condition: str) -> Recall:
    if not fits and (anywhere := _with_place_unsupported(text, hits)):
        found = _count('', anywhere, hits, condition)
        best = anywhere[0]
        places = join_alternatives([each for each in best.unsupported
                                    if each not in best.supported])  # fmt: skip
        reason = f'{found.reason} Of none it is said that it is there: {places}.'
        return replace(found, outcome=RecallOutcome.AMBIGUOUS, reason=reason)
    if not fits:
        return replace(_absent(f'None{condition} is remembered{_nearest_miss(hits)}'), count=0)
    fits = sorted(fits, key=lambda hit: hit.name)
    label = f' as {" and ".join(fits[0].supported)}' if fits[0].supported else ''
    more = ' or more' if len(fits) >= MAX_COUNTED else ''
    reason = f'{len(fits)}{more} remembered{label}{condition}: {named(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(fits), count=len(fits))


def _with_place_unsupported(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that lack only the place where they were counted, if no hit supports it.

    No caption says that a thing is in the castle that the rover drives in.
    """
    places = {
        term.text for term in parse_query(text, may_imply=False).terms if term.in_place_phrase
    }
    if any(not places.isdisjoint(hit.supported) for hit in hits):
        return []
    missing = [{*hit.unsupported} - {*hit.supported} for hit in hits]
    return [hit for hit, terms in zip(hits, missing, strict=True) if terms and terms <= places]


def _first_or_last(
    form: QueryForm, fits: Sequence[Hit], nodes: Mapping[str, Node], now: float
) -> Recall:
    def sort_key(hit: Hit) -> float:
        node = nodes[hit.node_id]
        return node.first_seen if form.order == 'first' else -node.last_seen

    ordered = sorted(fits, key=sort_key)
    stamp = abs(sort_key(ordered[0]))
    reason = f'{located(ordered[0])}, seen {form.order} of {len(fits)}, {ago(now - stamp)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))


def _was_seen(node: Node, landmark: Node, before: bool) -> bool:
    """Return whether it was first seen before, or after, the landmark."""
    difference = node.first_seen - landmark.first_seen
    return difference < 0.0 if before else difference > 0.0


def _absent(reason: str) -> Recall:
    return Recall(RecallOutcome.ABSENT, f'{reason}.')


def _nearest_miss(hits: Sequence[Hit]) -> str:
    """Return the nearest hit with its unsupported terms, in words."""
    best = next((hit for hit in hits if hit.unsupported), None)
    if best is None:
        return ''
    return f': {best.name} is the nearest, but not {join_alternatives(best.unsupported)}'
