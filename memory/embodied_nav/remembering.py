"""How observations become nodes: merged, moved, confirmed, retracted, re-anchored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from embodied_nav.change_outcome import ChangeCode, Result, Stored
from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.forest import Forest
from embodied_nav.forest.rebuild_forest import rebuild
from embodied_nav.nodes_of_forest import ROOT_LEVEL, Node, NodeState
from embodied_nav.observation_matching import match, merged
from embodied_nav.observed_thing import Observation, Position, clean
from embodied_nav.retrieval.answering import RETRACTED
from embodied_nav.store.memory_store import MemoryStore, Scope, Sighting
from rover_common.geometry.transforms import Transform
from rover_common.llm.sanitize import sanitize_line

LONGEST_REASON = 300  # characters


class Remembering:
    """Writes to the store, each change whole or not at all."""

    def __init__(self, store: MemoryStore, index: Index) -> None:
        self._store, self._index = store, index

    def observe(self, seen: Observation) -> Stored:
        """See `SpatialMemory.observe`."""
        seen = clean(replace(seen, position=rounded(seen.position)))
        known = self._store.sighting(seen.observation_id)
        if known:
            return Stored(known.node_id, known.node_id, repeated=True)
        with self._store.writing():
            return self._add(seen)

    def confirm(self, node_id: str, stamp: float) -> Result:
        """See `SpatialMemory.confirm`."""
        return self._change(
            node_id,
            lambda node: replace(
                node,
                state=NodeState.CONFIRMED,
                reason='',
                last_seen=max(stamp, node.last_seen),
            ),
        )

    def retract(self, node_id: str, reason: str, stamp: float) -> Result:
        """See `SpatialMemory.retract`."""
        words = sanitize_line(f'{reason} (at {stamp:.1f} s)', LONGEST_REASON)
        return self._change(
            node_id,
            lambda node: replace(
                node,
                state=NodeState.RETRACTED,
                reason=words,
                parent='',
                parent_level=ROOT_LEVEL,
            ),
        )

    def reanchor(self, map_epoch: int, transform: Transform, new_epoch: int | None) -> Result:
        """See `SpatialMemory.reanchor`."""
        epoch = map_epoch if new_epoch is None else new_epoch
        with self._store.writing():
            scope = Scope(map_epoch=map_epoch, levels=(0, 0), retracted=True)
            found = list(self._store.nodes(scope))
            moved = [moved_by(node, transform, epoch) for node in found]
            self._store.put_all(moved)
            for frame in {node.frame_id for node in found}:
                for each in {map_epoch, epoch}:
                    rebuild(self._store, frame, each)
        return Result(ChangeCode.DONE, f'{len(moved)} things of map {map_epoch} were moved.')

    def _add(self, seen: Observation) -> Stored:
        scope = Scope(frame_id=seen.frame_id, map_epoch=seen.map_epoch, retracted=True)
        found = match(seen, self._store.named(seen.name, scope))
        node = merged(found.node, seen, found.moved) if found.node else self._new(seen)
        node = replace(node, position=rounded(node.position))
        self._put(node, found.node is None or found.node.text != node.text)
        self._store.add_sighting(_sighting(seen, node.node_id))
        self._grow(found.node, node)
        return Stored(node.node_id, found.node.node_id if found.node else None, found.moved)

    def _put(self, node: Node, says_something_else: bool) -> None:
        rows = self._index.embed_if_local([node.text]) if says_something_else else None
        if says_something_else:
            self._index.add_changed([node.node_id])
        if says_something_else and rows is None:
            self._store.forget_vectors([node.node_id])
        self._store.put(node, None if rows is None else rows[0])

    def _grow(self, before: Node | None, node: Node) -> None:
        """Takes a thing that is new or changed over into the forest."""
        if before is not None and _looks_the_same(before, node):
            return
        places = [node.position, *([before.position] if before else [])]
        Forest(self._store, node.frame_id, node.map_epoch).update([node.node_id], places)

    def _new(self, seen: Observation) -> Node:
        return Node(
            node_id=f'object_{self._store.next_number("object")}',
            name=seen.name,
            caption=seen.caption,
            label=seen.label,
            attributes=seen.attributes,
            position=seen.position,
            frame_id=seen.frame_id,
            map_epoch=seen.map_epoch,
            covariance=seen.covariance,
            radius_m=seen.radius_m,
            first_seen=seen.stamp,
            last_seen=seen.stamp,
            source=seen.source,
            writer=seen.writer,
            image_hash=seen.image_hash,
            image_path=seen.image_path,
            box2d=seen.box2d,
            box3d=seen.box3d,
        )

    def _change(self, node_id: str, act: Callable[[Node], Node]) -> Result:
        with self._store.writing():
            node = self._store.get([node_id]).get(node_id)
            if node is None:
                return Result(ChangeCode.UNKNOWN_NODE, f'There is no node {node_id[:80]!r}.')
            if node.kind != 'object':
                return Result(
                    ChangeCode.NOT_AN_OBJECT, f'{node_id} is a {node.kind}, not a thing seen.'
                )
            after = act(node)
            self._store.put(after)
            if after.state is NodeState.RETRACTED and node.state is not NodeState.RETRACTED:
                self._store.set_meta(RETRACTED, 'yes')
                forest = Forest(self._store, node.frame_id, node.map_epoch)
                forest.update([node_id], [node.position], [node.parent])
        return Result(ChangeCode.DONE, f'{node.name} ({node_id}) was changed.')


def rounded(position: Position) -> Position:
    """To whole millimetres, so that sums of positions are exact."""
    x, y, z = (round(each, 3) + 0.0 for each in position)
    return x, y, z


def moved_by(node: Node, transform: Transform, map_epoch: int) -> Node:
    """The node in a map that lies elsewhere."""
    x, y, z = transform.rotated(*node.position)
    position = rounded((x + transform.x, y + transform.y, z + transform.z))
    spread = node.covariance and _turned(node.covariance, transform)
    return replace(node, position=position, covariance=spread, map_epoch=map_epoch)


def _turned(covariance: tuple[float, ...], transform: Transform) -> tuple[float, ...]:
    """R C Rᵀ."""
    rows = [transform.rotated(*covariance[at : at + 3]) for at in (0, 3, 6)]  # (C Rᵀ), by rows
    columns = [transform.rotated(*column) for column in zip(*rows, strict=True)]
    return tuple(each for row in zip(*columns, strict=True) for each in row)


def _looks_the_same(before: Node, node: Node) -> bool:
    """Whether the areas above a thing need not know that it was seen again."""
    return (
        before.position == node.position
        and before.text == node.text
        and before.state is not NodeState.RETRACTED
    )


def _sighting(seen: Observation, node_id: str) -> Sighting:
    return Sighting(
        observation_id=seen.observation_id,
        node_id=node_id,
        stamp=seen.stamp,
        position=seen.position,
        frame_id=seen.frame_id,
        map_epoch=seen.map_epoch,
        covariance=seen.covariance,
        source=seen.source,
        writer=seen.writer,
        image_hash=seen.image_hash,
        caption=seen.caption,
    )
