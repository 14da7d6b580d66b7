"""Summarises what is remembered around a place as text: for the state, a prompt, a person."""

from __future__ import annotations

from collections.abc import Sequence
import math

from embodied_nav.forest.directions import direction
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.retrieval.answer_verdict import ago
from rover_common.llm.sanitize import sanitize_line

LONGEST_PART = 160  # characters that one thing may take


def digest(
    near: Position, things: Sequence[Node], areas: Sequence[Node], now: float, budget: int
) -> str:
    """Return sentences, the nearest things first, of at most `budget` characters.

    Names and captions are untrusted: they are sanitized.
    """
    parts = [_thing(near, node, now) for node in things] + [_area(near, node) for node in areas]
    text = ''
    for part in parts:
        longer = f'{text} {part}'.strip()
        if len(longer) > budget:
            break
        text = longer
    return text


def _thing(near: Position, node: Node, now: float) -> str:
    what = f' ({node.label})' if node.label and node.label != node.name else ''
    name = sanitize_line(f'{node.name}{what}', LONGEST_PART)
    return f'{name}: {_where(near, node)}, seen {ago(now - node.last_seen)}.'


def _area(near: Position, node: Node) -> str:
    name = sanitize_line(node.name, LONGEST_PART)
    return f'Area {name}: {_where(near, node)}, {node.count} things.'


def _where(near: Position, node: Node) -> str:
    towards = direction(near, node.position)
    far = math.dist(near, node.position)
    cardinal = f' {towards.cardinal}' if towards.cardinal else ''
    return f'{far:.0f} m{cardinal}'
