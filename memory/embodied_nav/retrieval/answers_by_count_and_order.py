"""Answers to how many, first, last, before and after, from the things that fit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from embodied_nav.age_in_words import ago
from embodied_nav.nodes_of_forest import Node
from embodied_nav.question_and_outcome import Hit, Query, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import if_fresh, judge, located, named
from embodied_nav.retrieval.answers_by_side import along, outermost
from embodied_nav.retrieval.asked_form import Form
from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.semantic_search import LIKELY
from embodied_nav.retrieval.word_support import listed

MOST_COUNTED = 500  # things that are counted, or compared by when they were seen


def answer_of(
    form: Form, hits: Sequence[Hit], nodes: Mapping[str, Node], landmark: Node | None, now: float
) -> Recall:
    """Return the answer to a question of such a form.

    Args:
        form: What was asked.
        hits: What is like the things that are meant, best first, with what they lack.
        nodes: The nodes of the hits.
        landmark: What `form.mark` means; None: nothing like it is known.
        now: s.
    """
    if form.mark and landmark is None:
        return _absent(
            f'Nothing that is remembered is {form.mark!r}, so nothing is {form.side} it'
        )
    fits = [hit for hit in hits if is_such(hit)]
    when = ''
    if landmark is not None:
        when = f' first seen {form.side} {landmark.name}'
        fits = [
            hit
            for hit in fits
            if hit.node_id != landmark.node_id
            and _is_on_side(nodes[hit.node_id], landmark, form.side == 'before')
        ]
    if form.counts:
        return _counted(form.text, fits, hits, when)
    is_guess = sum(hit.probability for hit in fits) < LIKELY
    if is_guess and form.toward and hits:  # what is meant is told by what is nearest to it
        alike = [hit for hit in hits if _told(hit) == _told(hits[0])]
        others = [hit for hit in hits if hit not in alike]
        alike.sort(key=lambda hit: -along(form.toward, hit.position))
        return judge(Query(text=form.text), [*alike, *others], [], [])
    if not fits:
        return _absent(f'Nothing{when} is remembered{_lacks(hits)}')
    if form.toward and form.of_several and len(fits) == 1:  # the others may be called otherwise
        reason = f'Of several such only {located(fits[0])} is known. Go there?'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))
    if form.toward:
        return outermost(form.toward, fits)
    if form.order:
        return _extreme(form, fits, nodes, now)
    if len(fits) == 1:
        return Recall(RecallOutcome.FOUND, f'{located(fits[0])}{when}.', tuple(fits))
    reason = f'{len(fits)} remembered{when}: {named(fits)}. Say which one is meant.'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))


def final_answer(query: Query, recall: Recall, around_m: float) -> Recall:
    """Return an answer as it is given: STALE if it is too old, and of no more hits than asked for.

    `around_m`: how far from the asker it was looked for, if the asker is somewhere.
    """
    if query.near is not None:
        only = f'{recall.reason} Only what lies within {around_m:.0f} m of here is meant.'
        recall = replace(recall, reason=only)
    return replace(
        if_fresh(query, recall), hits=recall.hits if recall.count else recall.hits[: query.k]
    )


def is_such(hit: Hit) -> bool:
    """Return whether each word is carried; how probable it is that one is meant says nothing."""
    return {*hit.lacking} <= {*hit.carried}


def _told(hit: Hit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return hit.carried, hit.lacking


def _counted(text: str, fits: Sequence[Hit], hits: Sequence[Hit], when: str) -> Recall:
    if not fits and (anywhere := _with_place_unsaid(text, hits)):
        found = _counted('', anywhere, hits, when)
        unsaid = listed([each for each in anywhere[0].lacking if each not in anywhere[0].carried])
        reason = f'{found.reason} Of none it is said that it is there: {unsaid}.'
        return replace(found, outcome=RecallOutcome.AMBIGUOUS, reason=reason)
    if not fits:
        return replace(_absent(f'None{when} is remembered{_lacks(hits)}'), count=0)
    fits = sorted(fits, key=lambda hit: hit.name)
    as_what = f' as {" and ".join(fits[0].carried)}' if fits[0].carried else ''
    more = ' or more' if len(fits) >= MOST_COUNTED else ''
    reason = f'{len(fits)}{more} remembered{as_what}{when}: {named(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(fits), count=len(fits))


def _with_place_unsaid(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return what lacks only the place where it was counted, if nothing is said to be there.

    Of the castle that a rover drives in nobody says that things are in it.
    """
    places = {word.text for word in asked_of(text, may_imply=False).words if word.at_place}
    if any(not places.isdisjoint(hit.carried) for hit in hits):
        return []
    missing = [{*hit.lacking} - {*hit.carried} for hit in hits]
    return [hit for hit, words in zip(hits, missing, strict=True) if words and words <= places]


def _extreme(form: Form, fits: Sequence[Hit], nodes: Mapping[str, Node], now: float) -> Recall:
    def seen(hit: Hit) -> float:
        node = nodes[hit.node_id]
        return node.first_seen if form.order == 'first' else -node.last_seen

    ordered = sorted(fits, key=seen)
    stamp = abs(seen(ordered[0]))
    reason = f'{located(ordered[0])}, seen {form.order} of {len(fits)}, {ago(now - stamp)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))


def _is_on_side(node: Node, landmark: Node, before: bool) -> bool:
    gap = node.first_seen - landmark.first_seen
    return gap < 0.0 if before else gap > 0.0


def _absent(reason: str) -> Recall:
    return Recall(RecallOutcome.ABSENT, f'{reason}.')


def _lacks(hits: Sequence[Hit]) -> str:
    """What the nearest one lacks, in words."""
    best = next((hit for hit in hits if hit.lacking), None)
    return f': {best.name} is the nearest, but not {listed(best.lacking)}' if best else ''
