"""Judges whether hits answer a query, and says so or why not, with places and ages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
import math

from embodied_nav.nodes_of_forest import UNKNOWN_AGE_S, NodeState
from embodied_nav.query_and_recall_types import Hit, Query, Recall, RecallOutcome
from embodied_nav.retrieval.term_support import join_alternatives

MINUTE_S = 60.0
HOUR_S = 3600.0

AS_LIKELY = 0.9  # of the best probability: such a hit fits as well as the best one
APART_M = 1.0  # beyond their radii, two hits are two places
NAMED = 3  # places that a sentence names
AS_NEAR, AS_GOOD = 'Nearly as near', 'Fits as well'  # label of further hits


def duration(seconds: float) -> str:
    """Return a duration with its unit: seconds up to two minutes, minutes up to two hours."""
    if seconds < 2 * MINUTE_S:
        return f'{max(0.0, seconds):.0f} s'
    if seconds < 2 * HOUR_S:
        return f'{seconds / MINUTE_S:.0f} min'
    return f'{seconds / HOUR_S:.1f} h'


def ago(seconds: float) -> str:
    """Return an age as text: '90 s ago', or 'at an unknown time'."""
    return 'at an unknown time' if seconds >= UNKNOWN_AGE_S else f'{duration(seconds)} ago'


def judge(
    query: Query,
    hits: Sequence[Hit],
    elsewhere: Sequence[Hit],
    retracted: Sequence[Hit],
    is_implied: bool = False,
    also: str = '',
) -> Recall:
    """Return the outcome of a query with its sentence.

    Args:
        query: The query.
        hits: What fits it in its map and bounds, best first.
        elsewhere: What fits it in other maps or outside of the bounds.
        retracted: What fits it and was found to be gone.
        is_implied: The query says what a thing is good for, which captions rarely do.
        also: Label of further hits that fit as well; empty: one is meant, and the asker must say
            which.
    """
    fits_here = bool(hits) and not is_implied and not hits[0].unsupported
    any_is_meant = fits_here and query.near is not None  # the nearest, whichever else is gone
    is_gone = bool(retracted) and not any_is_meant
    if is_gone and _is_best(retracted[0], hits) and _is_best(retracted[0], elsewhere):
        best = retracted[0]
        reason = f'{best.name} was seen {ago(best.age_s)} and found to be gone since.'
        return Recall(RecallOutcome.ABSENT, reason)
    if elsewhere and not fits_here and _is_best(elsewhere[0], hits):
        best = elsewhere[0]
        reason = (
            f'{located(best)} fits, but lies outside of what was asked for: frame '
            f'{best.frame_id}, map {best.map_epoch}.'
        )
        return Recall(RecallOutcome.OUT_OF_MAP, reason, tuple(elsewhere))
    if not hits:
        reason = f'Nothing that is remembered is like {query.text[:120]!r}.'
        return Recall(RecallOutcome.ABSENT, reason)
    if query.kind != 'global' and hits[0].unsupported:  # the summary of an area supports few terms
        return _perhaps(hits, is_implied)
    fresh = [hit for hit in hits if query.max_age_s is None or hit.age_s <= query.max_age_s]
    if hits[0] not in fresh and _is_best(hits[0], fresh):
        return _stale(query, hits)
    if query.kind == 'explicit':
        return _one_place(query, fresh, also)
    return Recall(RecallOutcome.FOUND, _found(fresh[0]), tuple(fresh))


def if_fresh(query: Query, recall: Recall) -> Recall:
    """Return an answer, or STALE if its target was seen too long ago."""
    target = recall.target
    if target is None or query.max_age_s is None or target.age_s <= query.max_age_s:
        return recall
    return _stale(query, recall.hits)


def _stale(query: Query, hits: Sequence[Hit]) -> Recall:
    reason = (
        f'{hits[0].name} was seen last {ago(hits[0].age_s)}, but what was asked for is not older '
        f'than {duration(query.max_age_s or 0.0)}: look again.'
    )
    return Recall(RecallOutcome.STALE, reason, tuple(hits))


def _perhaps(hits: Sequence[Hit], is_implied: bool) -> Recall:
    """Return the offer of the best hit, of which a term is unsupported: the asker decides."""
    best = hits[0]
    label = f'{best.name}, {best.caption}' if best.caption else best.name
    x, y, _ = best.position
    there = f'{label}, at ({x:.1f}, {y:.1f}) m'
    if is_implied:
        reason = f'Perhaps {there}: nobody said whether it is good for that. Go there?'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(hits))
    supported = f'; it is {" and ".join(best.supported)}' if best.supported else ''
    unsupported = join_alternatives(best.unsupported)
    reason = f'Nothing {unsupported}; the nearest to it: {there}{supported}. Go there?'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(hits))


def _fits_as_well(hit: Hit, best: Hit) -> bool:
    """Return whether it is as probable, and supports all terms that the best one does."""
    return (
        hit.probability >= AS_LIKELY * best.probability
        and hit.score >= AS_LIKELY * best.score
        and {*hit.supported} >= {*best.supported}
    )


def _is_best(hit: Hit, others: Sequence[Hit]) -> bool:
    """Return whether none of the others, best first, fits as well."""
    return not others or not _fits_as_well(others[0], hit)


def _one_place(query: Query, hits: list[Hit], also: str) -> Recall:
    """Return the one place that is meant. Of several that fit, it is the nearest to the asker."""
    if query.near is not None:
        here = query.near
        ordered = sorted(
            hits, key=lambda hit: (bool(hit.unsupported), math.dist(hit.position, here))
        )
        return Recall(RecallOutcome.FOUND, _found(ordered[0], here), tuple(ordered))
    equal = [hit for hit in hits if _fits_as_well(hit, hits[0])]
    others = [hit for hit in equal[1:] if _apart(equal[0], hit)]
    if others and also:
        places = '; '.join(located(hit) for hit in others[:NAMED])
        return Recall(RecallOutcome.FOUND, f'{_found(hits[0])} {also}: {places}.', tuple(hits))
    if others:
        places = '; '.join(located(hit) for hit in [hits[0], *others][:NAMED])
        reason = f'{1 + len(others)} places fit equally well: {places}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(hits))
    return Recall(RecallOutcome.FOUND, _found(hits[0]), tuple(hits))


def _apart(one: Hit, other: Hit) -> bool:
    return math.dist(one.position, other.position) > APART_M + one.radius_m + other.radius_m


def _found(hit: Hit, near: tuple[float, float, float] | None = None) -> str:
    far = f', {math.dist(hit.position, near):.1f} m away' if near else ''
    sure = ' and confirmed on the spot' if hit.state is NodeState.CONFIRMED else ''
    lacking = f'; nothing there says {join_alternatives(hit.unstated)}' if hit.unstated else ''
    return f'{located(hit)}{far}, seen {ago(hit.age_s)}{sure}{lacking}.'


def located(hit: Hit) -> str:
    """Return the name of a hit and its place, as text."""
    x, y, _ = hit.position
    return f'{hit.name} at ({x:.1f}, {y:.1f}) m'


def named(fits: Sequence[Hit]) -> str:
    """Return the places of the first of some hits and the number of the others, as text."""
    places = '; '.join(located(hit) for hit in fits[:NAMED])
    more = f'; and {len(fits) - NAMED} more' if len(fits) > NAMED else ''
    return f'{places}{more}'
