"""Matches observations to nodes: of the same thing, of one that was moved, or of a new one.

A name that differs from its label names one thing ("ventifact_3", a rock): seen elsewhere, it was
moved. A name that is only a class ("rock") does not: elsewhere, it is another one.
docs/decisions/0042-what-is-the-same-thing.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import math

from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observed_thing import Observation, Position

GATE_M = 1.0  # closer positions are the same place, whatever the covariance
SIGMAS = 3.0
REMEMBERED = 20  # observations in a mean position; later ones have the weight of this one


@dataclass(frozen=True)
class Match:
    """The node of an observation; None: it is a new one."""

    node: Node | None
    moved: bool = False


def match(observation: Observation, same_name: Sequence[Node]) -> Match:
    """Return the node that was observed.

    Args:
        observation: The observation.
        same_name: Things of that name in the same frame and map, the retracted ones too.
    """
    nearby = [
        node for node in same_name if _distance(observation, node) <= gate(observation, node)
    ]
    if nearby:
        return Match(min(nearby, key=lambda node: (_distance(observation, node), node.node_id)))
    if is_a_name(observation) and same_name:
        latest = max(same_name, key=lambda node: (node.state is not NodeState.RETRACTED,
                                                 node.last_seen))  # fmt: skip
        return Match(latest, moved=True)
    return Match(None)


def is_a_name(observation: Observation) -> bool:
    """Return whether its name is that of one thing, not of a class."""
    return bool(observation.label) and observation.name.casefold() != observation.label.casefold()


def gate(observation: Observation, node: Node) -> float:
    """Return how far apart two observations of one thing may be, m."""
    spread = _sigma(observation.covariance) + _sigma(node.covariance)
    return max(GATE_M, observation.radius_m, node.radius_m, SIGMAS * spread)


def merged(node: Node, observation: Observation, moved: bool) -> Node:
    """Return the node after an observation. A late one of the past moves nothing."""
    if observation.stamp < node.last_seen:
        return replace(
            node, count=node.count + 1, first_seen=min(node.first_seen, observation.stamp)
        )
    is_replaced = moved or node.state is NodeState.RETRACTED
    return replace(
        node,
        caption=observation.caption or node.caption,
        label=observation.label or node.label,
        attributes=observation.attributes or node.attributes,
        position=observation.position if is_replaced else mean_position(node, observation),
        covariance=observation.covariance or node.covariance,
        radius_m=observation.radius_m,
        last_seen=observation.stamp,
        state=NodeState.SEEN if is_replaced else node.state,
        reason='',
        source=observation.source,
        writer=observation.writer,
        image_hash=observation.image_hash or node.image_hash,
        image_path=observation.image_path or node.image_path,
        box2d=observation.box2d or node.box2d,
        box3d=observation.box3d or node.box3d,
        count=node.count + 1,
    )


def mean_position(node: Node, observation: Observation) -> Position:
    """Return the mean position; weighted by the covariances, if both are known."""
    weight = 1.0 / (min(node.count, REMEMBERED) + 1)
    own, new = _sigma(node.covariance) ** 2, _sigma(observation.covariance) ** 2
    if own > 0.0 and new > 0.0:
        own /= min(node.count, REMEMBERED)
        weight = own / (own + new)
    x, y, z = (
        a + (b - a) * weight for a, b in zip(node.position, observation.position, strict=True)
    )
    return x, y, z


def _distance(observation: Observation, node: Node) -> float:
    return math.dist(observation.position, node.position)


def _sigma(covariance: tuple[float, ...] | None) -> float:
    """Return the largest standard deviation along an axis, m; 0: unknown."""
    return math.sqrt(max(0.0, covariance[0], covariance[4], covariance[8])) if covariance else 0.0
