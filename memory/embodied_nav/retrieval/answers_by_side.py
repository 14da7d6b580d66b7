"""Answers to what lies farthest to one side of the compass, from the things that fit. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from embodied_nav.nodes_of_forest import Node
from embodied_nav.question_and_outcome import Hit, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import APART_M, located, named
from embodied_nav.retrieval.asked_sides import along


def outermost_first(side: str, nodes: Iterable[Node]) -> list[Node]:
    """Return nodes, the farthest to a side first."""
    return sorted(nodes, key=lambda node: -along(side, node.position))


def outermost(side: str, fits: Sequence[Hit]) -> Recall:
    """The answer that lies farthest to a side; two as far, or of two maps, are a question."""
    ordered = sorted(fits, key=lambda hit: -along(side, hit.position))
    best = ordered[0]
    as_far = [
        hit
        for hit in ordered[1:]
        if (hit.frame_id, hit.map_epoch) != (best.frame_id, best.map_epoch)
        or along(side, best.position) - along(side, hit.position) < APART_M
    ]
    if as_far:
        reason = f'As far {side}: {named([best, *as_far])}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(ordered))
    reason = f'{located(best)}, the farthest {side} of {len(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))
