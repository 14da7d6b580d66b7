"""Whether an observation is of a thing that is known, of one that was moved, or of a new one.

A name that differs from its label names one thing ("ventifact_3", a rock): seen elsewhere, it was
moved. A name that is only a class ("rock") says nothing of the kind: elsewhere, it is another one.
docs/decisions/0042-what-is-the-same-thing.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import math

from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observed_thing import Observation, Position

GATE_M = 1.0  # what lies closer is the same place, whatever the sensor says of its error
SIGMAS = 3.0
REMEMBERED = 20  # sightings that a mean position is made of; later ones count as much as this


@dataclass(frozen=True)
class Match:
    """The node that an observation is of; None: a new one."""

    node: Node | None
    moved: bool = False


def match(seen: Observation, same_name: Sequence[Node]) -> Match:
    """Which node was seen.

    Args:
        seen: What was seen.
        same_name: Things of that name in the same frame and map, the retracted ones too.
    """
    near = [node for node in same_name if _apart(seen, node) <= gate(seen, node)]
    if near:
        return Match(min(near, key=lambda node: (_apart(seen, node), node.node_id)))
    if is_a_name(seen) and same_name:
        known = max(same_name, key=lambda node: (node.state is not NodeState.RETRACTED,
                                                 node.last_seen))  # fmt: skip
        return Match(known, moved=True)
    return Match(None)


def is_a_name(seen: Observation) -> bool:
    """Whether its name is that of one thing, not of a class."""
    return bool(seen.label) and seen.name.casefold() != seen.label.casefold()


def gate(seen: Observation, node: Node) -> float:
    """How far apart two sightings of one thing may be, in m."""
    spread = _sigma(seen.covariance) + _sigma(node.covariance)
    return max(GATE_M, seen.radius_m, node.radius_m, SIGMAS * spread)


def merged(node: Node, seen: Observation, moved: bool) -> Node:
    """The node after it was seen again. A late report of the past moves nothing."""
    if seen.stamp < node.last_seen:
        return replace(node, count=node.count + 1, first_seen=min(node.first_seen, seen.stamp))
    anew = moved or node.state is NodeState.RETRACTED
    return replace(
        node,
        caption=seen.caption or node.caption,
        label=seen.label or node.label,
        attributes=seen.attributes or node.attributes,
        position=seen.position if anew else mean_position(node, seen),
        covariance=seen.covariance or node.covariance,
        radius_m=seen.radius_m,
        last_seen=seen.stamp,
        state=NodeState.SEEN if anew else node.state,
        reason='',
        source=seen.source,
        writer=seen.writer,
        image_hash=seen.image_hash or node.image_hash,
        image_path=seen.image_path or node.image_path,
        box2d=seen.box2d or node.box2d,
        box3d=seen.box3d or node.box3d,
        count=node.count + 1,
    )


def mean_position(node: Node, seen: Observation) -> Position:
    """The mean of where it was seen; by their errors, if both are known."""
    weight = 1.0 / (min(node.count, REMEMBERED) + 1)
    mine, theirs = _sigma(node.covariance) ** 2, _sigma(seen.covariance) ** 2
    if mine > 0.0 and theirs > 0.0:
        mine /= min(node.count, REMEMBERED)
        weight = mine / (mine + theirs)
    x, y, z = (a + (b - a) * weight for a, b in zip(node.position, seen.position, strict=True))
    return x, y, z


def _apart(seen: Observation, node: Node) -> float:
    return math.dist(seen.position, node.position)


def _sigma(covariance: tuple[float, ...] | None) -> float:
    """The largest standard deviation along an axis, m; 0: unknown."""
    return math.sqrt(max(0.0, covariance[0], covariance[4], covariance[8])) if covariance else 0.0
