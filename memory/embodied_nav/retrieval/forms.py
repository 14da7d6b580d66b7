"""Answers to how many, first, last, before and after, from the things that fit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from embodied_nav.ages import ago
from embodied_nav.memory_values import Hit, Node, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import NAMED, located
from embodied_nav.retrieval.asked_form import Form
from embodied_nav.retrieval.support import listed

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
        return _counted(fits, hits, when)
    if not fits:
        return _absent(f'Nothing{when} is remembered{_lacks(hits)}')
    if form.order:
        return _extreme(form, fits, nodes, now)
    if len(fits) == 1:
        return Recall(RecallOutcome.FOUND, f'{located(fits[0])}{when}.', tuple(fits))
    reason = f'{len(fits)} remembered{when}: {_named(fits)}. Say which one is meant.'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))


def is_such(hit: Hit) -> bool:
    """Return whether each word is carried; how probable it is that one is meant says nothing."""
    return {*hit.lacking} <= {*hit.carried}


def _counted(fits: Sequence[Hit], hits: Sequence[Hit], when: str) -> Recall:
    if not fits:
        return replace(_absent(f'None{when} is remembered{_lacks(hits)}'), count=0)
    fits = sorted(fits, key=lambda hit: hit.name)
    as_what = f' as {" and ".join(fits[0].carried)}' if fits[0].carried else ''
    more = ' or more' if len(fits) >= MOST_COUNTED else ''
    reason = f'{len(fits)}{more} remembered{as_what}{when}: {_named(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(fits), count=len(fits))


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


def _named(fits: Sequence[Hit]) -> str:
    places = '; '.join(located(hit) for hit in fits[:NAMED])
    more = f'; and {len(fits) - NAMED} more' if len(fits) > NAMED else ''
    return f'{places}{more}'
