"""Changes of nodes: observations are matched and merged; confirm, retract, re-anchor.

A name that differs from its label names one thing ("ventifact_3", a rock): seen elsewhere, it was
moved. A name that is only a class ("rock") does not: elsewhere, it is another one. A place that
somebody named is never a thing that a detector saw, whatever the name of it.
docs/decisions/0042-what-is-the-same-thing.md
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
import math
from typing import Any

from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.forest_building import Forest, rebuild
from embodied_nav.nodes_of_forest import ROOT_LEVEL, Node, NodeState
from embodied_nav.observation import NAMED_PLACE, Observation, Position, clean
from embodied_nav.percepts import Percept
from embodied_nav.retrieval.recall_pipeline import RETRACTED
from embodied_nav.store.memory_store import MemoryStore, Reach, Scope
from embodied_nav.store.rows_of_nodes_and_sightings import Sighting
from rover_common.geometry.transforms import HISTORY_S, Transform
from rover_common.text_sanitizing import sanitize_line

GATE_M = 1.0  # closer positions are the same place, whatever the covariance
SIGMAS = 3.0
SLACK_M = 3.0  # so much wider the search for the same thing is than the observation alone needs
SAME_LOOK_S = HISTORY_S  # later, no pose for a look is known that comes again
REMEMBERED = 20  # observations in a mean position; later ones have the weight of this one
LONGEST_REASON = 300  # characters


@dataclass(frozen=True)
class Stored:
    """The result of an observation.

    Attributes:
        node_id: The node of the observed thing.
        merged_into: The same node, if it existed before; None: it is new.
        moved: It was at another place before.
        repeated: The same observation was stored before; nothing has changed.
    """

    node_id: str
    merged_into: str | None = None
    moved: bool = False
    repeated: bool = False


class ChangeCode(str, Enum):
    """The outcome of a requested change."""

    DONE = 'DONE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    NOT_AN_OBJECT = 'NOT_AN_OBJECT'


@dataclass(frozen=True)
class Result:
    """The result of a change: a code, and a sentence for people."""

    code: ChangeCode
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.code is ChangeCode.DONE


def is_repeated(observation: Observation, earlier: Sighting) -> bool:
    """Return whether it is the one that was stored under the same id.

    The id of a percept is its stamp of ROS time: each run of a simulation has the same stamps.
    """
    return observation.writer != 'percept' or (
        (observation.frame_id, observation.map_epoch) == (earlier.frame_id, earlier.map_epoch)
        and abs(observation.stamp - earlier.stamp) <= SAME_LOOK_S
    )


def match(observation: Observation, same_name: Sequence[Node]) -> tuple[Node | None, bool]:
    """Return the node that was observed, None: a new one; and whether it was moved.

    Args:
        observation: The observation.
        same_name: Things of that name in the same frame and map, the retracted ones too; at least
            those in its reach.
    """
    is_place = observation.label == NAMED_PLACE
    same_name = [node for node in same_name if (node.label == NAMED_PLACE) is is_place]
    nearby = [
        node for node in same_name if _distance(observation, node) <= gate(observation, node)
    ]
    if nearby:
        nearest = min(nearby, key=lambda node: (_distance(observation, node), node.node_id))
        return nearest, False
    if is_a_name(observation) and same_name:
        latest = max(same_name, key=lambda node: (node.state is not NodeState.RETRACTED,
                                                 node.last_seen))  # fmt: skip
        return latest, True
    return None, False


def is_a_name(observation: Observation | Percept) -> bool:
    """Return whether its name is that of one thing, not of a class."""
    return bool(observation.label) and observation.name.casefold() != observation.label.casefold()


def gate(observation: Observation, node: Node) -> float:
    """Return how far apart two observations of one thing may be, m."""
    spread = _sigma(observation.covariance) + _sigma(node.covariance)
    return max(GATE_M, observation.radius_m, node.radius_m, SIGMAS * spread)


def reach_of(observation: Observation) -> Reach | None:
    """Return where the things are with which it is to be compared; None: anywhere.

    Things that are known less well are compared wherever they are.
    """
    if is_a_name(observation):
        return None
    own_m = max(GATE_M, observation.radius_m, SIGMAS * _sigma(observation.covariance))
    far = own_m + SLACK_M
    x, y, _ = observation.position
    return Reach((x - far, y - far, x + far, y + far), far, (SLACK_M / SIGMAS) ** 2)


def is_late(node: Node, observation: Observation, now: float) -> bool:
    """Return whether a node is known from a later time, or was found to be gone later.

    A time that is still to come is of a clock that was set since, and says nothing.
    """
    return observation.stamp < max(node.last_seen, node.retracted_at) <= now


def merged(node: Node, observation: Observation, moved: bool, late: bool) -> Node:
    """Return the node after an observation. A late one of the past moves nothing.

    Nor does one from before it was found to be gone bring it back.
    """
    if late:
        return replace(
            node,
            count=node.count + 1,
            first_seen=min(node.first_seen, observation.stamp),
            last_seen=max(node.last_seen, observation.stamp),
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


class StoreWriter:
    """Writes to the store, each change in a transaction."""

    def __init__(self, store: MemoryStore, index: Index, clock: Callable[[], float]) -> None:
        self._store, self._index, self._clock = store, index, clock

    def observe(self, observation: Observation) -> Stored:
        """See `SpatialMemory.observe`."""
        observation = clean(replace(observation, position=rounded(observation.position)))
        earlier = self._store.sighting(observation.observation_id)
        if earlier and is_repeated(observation, earlier):
            return Stored(earlier.node_id, earlier.node_id, repeated=True)
        with self._store.writing():
            return self._add(observation)

    def confirm(self, node_id: str, stamp: float) -> Result:
        """See `SpatialMemory.confirm`."""
        return self._change(
            node_id,
            lambda node: replace(
                node,
                state=NodeState.CONFIRMED,
                reason='',
                last_seen=stamp if node.last_seen > self._clock() else max(stamp, node.last_seen),
            ),
        )

    def retract(self, node_id: str, reason: str, stamp: float) -> Result:
        """See `SpatialMemory.retract`."""
        note = sanitize_line(f'{reason} (at {stamp:.1f} s)', LONGEST_REASON)
        return self._change(
            node_id,
            lambda node: replace(
                node,
                state=NodeState.RETRACTED,
                retracted_at=stamp,
                reason=note,
                parent='',
                parent_level=ROOT_LEVEL,
            ),
        )

    def reanchor(self, map_epoch: int, transform: Transform, new_epoch: int | None) -> Result:
        """See `SpatialMemory.reanchor`."""
        epoch = map_epoch if new_epoch is None else new_epoch
        with self._store.writing():
            scope = Scope(map_epoch=map_epoch, levels=(0, 0), retracted=True, poses=True)
            matched = list(self._store.nodes(scope))
            moved = [transformed(node, transform, epoch) for node in matched]
            self._store.put_all(moved)
            for frame in {node.frame_id for node in matched}:
                for each in {map_epoch, epoch}:
                    rebuild(self._store, frame, each)
        return Result(ChangeCode.DONE, f'{len(moved)} things of map {map_epoch} were moved.')

    def _add(self, observation: Observation) -> Stored:
        scope = Scope(
            frame_id=observation.frame_id, map_epoch=observation.map_epoch, retracted=True
        )
        same_name = self._store.named(observation.name, scope, reach_of(observation))
        before, moved = match(observation, same_name)
        late = before is not None and is_late(before, observation, self._clock())
        node = merged(before, observation, moved, late) if before else self._new(observation)
        node = replace(node, position=rounded(node.position))
        self._put(node, before is None or before.text != node.text)
        self._store.add_sighting(
            Sighting(node_id=node.node_id, **_shared_fields(observation, Sighting))
        )
        self._update_forest(before, node)
        return Stored(node.node_id, before.node_id if before else None, moved and not late)

    def _put(self, node: Node, text_changed: bool) -> None:
        rows = self._index.embed_if_local([node.text]) if text_changed else None
        if text_changed:
            self._index.add_changed([node.node_id])
        if text_changed and rows is None:
            self._store.forget_vectors([node.node_id])
        self._store.put(node, None if rows is None else rows[0])

    def _update_forest(self, before: Node | None, node: Node) -> None:
        """Update the forest for a thing that is new or has changed."""
        if before is not None and _has_same_place_and_text(before, node):
            return
        places = [node.position, *([before.position] if before else [])]
        Forest(self._store, node.frame_id, node.map_epoch).update([node.node_id], places)

    def _new(self, observation: Observation) -> Node:
        return Node(
            node_id=self._store.next_id('object'),
            first_seen=observation.stamp,
            last_seen=observation.stamp,
            **_shared_fields(observation, Node),
        )

    def _change(self, node_id: str, change: Callable[[Node], Node]) -> Result:
        with self._store.writing():
            node = self._store.get([node_id]).get(node_id)
            if node is None:
                return Result(ChangeCode.UNKNOWN_NODE, f'There is no node {node_id[:80]!r}.')
            if node.kind != 'object':
                return Result(
                    ChangeCode.NOT_AN_OBJECT, f'{node_id} is a {node.kind}, not a thing seen.'
                )
            after = change(node)
            self._store.put(after)
            if after.state is NodeState.RETRACTED:
                self._store.set_meta(RETRACTED, 'yes')
            if (after.state is NodeState.RETRACTED) != (node.state is NodeState.RETRACTED):
                forest = Forest(self._store, node.frame_id, node.map_epoch)
                forest.update([node_id], [node.position], [node.parent])
        return Result(ChangeCode.DONE, f'{node.name} ({node_id}) was changed.')


def rounded(position: Position) -> Position:
    """Round to whole millimetres, so that sums of positions are exact."""
    x, y, z = (round(each, 3) + 0.0 for each in position)
    return x, y, z


def transformed(node: Node, transform: Transform, map_epoch: int) -> Node:
    """Return the node after its map was moved."""
    x, y, z = transform.rotated(*node.position)
    position = rounded((x + transform.x, y + transform.y, z + transform.z))
    spread = node.covariance and _rotated(node.covariance, transform)
    return replace(node, position=position, covariance=spread, map_epoch=map_epoch)


def _rotated(covariance: tuple[float, ...], transform: Transform) -> tuple[float, ...]:
    """Return R C Rᵀ."""
    rows = [transform.rotated(*covariance[at : at + 3]) for at in (0, 3, 6)]  # (C Rᵀ), by rows
    columns = [transform.rotated(*column) for column in zip(*rows, strict=True)]
    return tuple(each for row in zip(*columns, strict=True) for each in row)


def _has_same_place_and_text(before: Node, node: Node) -> bool:
    """Return whether a repeated observation changes nothing for the areas above."""
    return (
        before.position == node.position
        and before.text == node.text
        and before.state is not NodeState.RETRACTED
    )


def _shared_fields(observation: Observation, kind: type) -> dict[str, Any]:
    """Return the fields of an observation that a class of the store has under the same name."""
    names = {each.name for each in fields(kind)} & {each.name for each in fields(observation)}
    return {name: getattr(observation, name) for name in names}
