"""Whether hits are an answer, and if not, why not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
import math

from embodied_nav.age_in_words import ago, duration
from embodied_nav.nodes_of_forest import NodeState
from embodied_nav.question_and_outcome import Hit, Query, Recall, RecallOutcome
from embodied_nav.retrieval.word_support import listed

AS_LIKELY = 0.9  # of the best probability: such a hit fits as well as the best one
APART_M = 1.0  # beyond their radii, two hits are two places
NAMED = 3  # places that a sentence names
AS_NEAR, AS_GOOD = 'Nearly as near', 'Fits as well'  # of what is not the answer


def judge(
    query: Query,
    hits: Sequence[Hit],
    elsewhere: Sequence[Hit],
    gone: Sequence[Hit],
    is_implied: bool = False,
    also: str = '',
) -> Recall:
    """The outcome of a question with its sentence.

    Args:
        query: The question.
        hits: What fits it in the asked map and bounds, best first.
        elsewhere: What fits it in other maps or outside of the bounds.
        gone: What fitted it and was found to be gone.
        is_implied: The question says what a thing is good for, which is seldom said of one.
        also: How others that fit as well are named beside the answer; empty: one is meant, and
            whoever asked must say which.
    """
    if gone and _is_best(gone[0], hits) and _is_best(gone[0], elsewhere):
        reason = f'{gone[0].name} was seen {ago(gone[0].age_s)} and found to be gone since.'
        return Recall(RecallOutcome.ABSENT, reason)
    if elsewhere and _is_best(elsewhere[0], hits):
        best = elsewhere[0]
        reason = (
            f'{located(best)} fits, but lies outside of what was asked for: frame '
            f'{best.frame_id}, map {best.map_epoch}.'
        )
        return Recall(RecallOutcome.OUT_OF_MAP, reason, tuple(elsewhere))
    if not hits:
        reason = f'Nothing that is remembered is like {query.text[:120]!r}.'
        return Recall(RecallOutcome.ABSENT, reason)
    if query.kind != 'global' and hits[0].lacking:  # an area is said to be little
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
    """A question of which a word is said of nothing: whoever asked says whether this is meant."""
    best = hits[0]
    what = f'{best.name}, {best.caption}' if best.caption else best.name
    x, y, _ = best.position
    there = f'{what}, at ({x:.1f}, {y:.1f}) m'
    if is_implied:
        reason = f'Perhaps {there}: nobody said whether it is good for that. Go there?'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(hits))
    speaks_for = f'; it is {" and ".join(best.carried)}' if best.carried else ''
    reason = f'Nothing {listed(best.lacking)}; the nearest to it: {there}{speaks_for}. Go there?'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(hits))


def _fits_as_well(hit: Hit, best: Hit) -> bool:
    """Whether it is as probable, and is said to be all that the best one is."""
    return (
        hit.probability >= AS_LIKELY * best.probability
        and hit.score >= AS_LIKELY * best.score
        and {*hit.carried} >= {*best.carried}
    )


def _is_best(hit: Hit, others: Sequence[Hit]) -> bool:
    """Whether none of the others, best first, fits as well."""
    return not others or not _fits_as_well(others[0], hit)


def _one_place(query: Query, hits: list[Hit], also: str) -> Recall:
    """Explicit questions mean one place. From several that fit, the asker's nearest is meant."""
    equal = [hit for hit in hits if _fits_as_well(hit, hits[0])]
    if query.near is not None:
        here = query.near
        equal.sort(key=lambda hit: math.dist(hit.position, here))
        ordered = [*equal, *(hit for hit in hits if hit not in equal)]
        return Recall(RecallOutcome.FOUND, _found(ordered[0], here), tuple(ordered))
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
    return f'{located(hit)}{far}, seen {ago(hit.age_s)}{sure}.'


def located(hit: Hit) -> str:
    """Return a hit with its place, in words."""
    x, y, _ = hit.position
    return f'{hit.name} at ({x:.1f}, {y:.1f}) m'


def named(fits: Sequence[Hit]) -> str:
    """Return where the first of some hits are, and how many more there are, in words."""
    places = '; '.join(located(hit) for hit in fits[:NAMED])
    more = f'; and {len(fits) - NAMED} more' if len(fits) > NAMED else ''
    return f'{places}{more}'
