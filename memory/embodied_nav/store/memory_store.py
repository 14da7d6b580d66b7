"""The interface of a store, and the part of it that is the same for both databases.

Every implementation passes one contract suite. A query has ? for a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embodied_nav.nodes_of_forest import RETRIEVED, Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Bounds
from embodied_nav.store.rows_of_nodes_and_sightings import (
    COLUMNS,
    SIGHTING,
    Sighting,
    node_of,
    row_of_sighting,
    sighting_of,
)

Vector = NDArray[np.float32]


OF_ID = "observation_id = ? AND observation_id <> ''"  # as the index has it, which is used then
NO_POSE = f'kind IN {RETRIEVED}'
KEPT_SIGHTINGS = 32  # the latest of a node
COMMON = 400  # nodes with a token; commoner tokens are ignored, the vectors find their nodes, too
SET_META = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
ALL = 2**63 - 1  # rows
DIAGONAL = (0, 4, 8)  # of a covariance
NEAREST = (  # the nearest nodes of a box; its corners are farther away than what is in the sphere
    'ORDER BY (x - ?) * (x - ?) + (y - ?) * (y - ?) + (z - ?) * (z - ?), node_id LIMIT ?'
)
SELECT = f'SELECT {", ".join(f"nodes.{each}" for each in COLUMNS)} FROM nodes'
NEAR = (  # of two rows: of one kind and map, within a distance; the box for the index comes before
    "AND other.state <> 'RETRACTED' AND other.kind = one.kind AND other.level = one.level "
    'AND other.node_id <> one.node_id AND other.frame_id = one.frame_id '
    'AND other.map_epoch = one.map_epoch AND (other.x - one.x) * (other.x - one.x) '
    '+ (other.y - one.y) * (other.y - one.y) + (other.z - one.z) * (other.z - one.z) '
    '<= ? ORDER BY other.nid'
)


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A filter for nodes.

    Attributes:
        frame_id: Only of this frame; empty: of any.
        map_epoch: Only of this map; None: of any.
        within: Only in these bounds.
        levels: Lowest and highest level.
        retracted: Retracted nodes, too.
        poses: Those of rovers and drones, too: nothing that was seen, so no answer to a query.
    """

    frame_id: str = ''
    map_epoch: int | None = None
    within: Bounds | None = None
    levels: tuple[int, int] = (0, 5)
    retracted: bool = False
    poses: bool = False


@dataclass(frozen=True)
class Reach:
    """Bounds in which a node may be taken for the same as an observation.

    Attributes:
        within: In these bounds, m,
        radius_m: or anywhere, with a larger radius of its own,
        variance_m2: or with a larger variance along an axis.
    """

    within: Bounds
    radius_m: float
    variance_m2: float


class MemoryStore(ABC):
    """Nodes with indexes of their vectors, tokens and positions.

    Used by one thread at a time. Raises `MemoryStoreError` with a sentence when the store cannot
    be reached or is damaged.

    Attributes:
        is_shared: Whether other rovers write to it, too.
        WITHOUT_VECTOR: The condition that a node has no vector.
        COVARIANCE: An element of the covariance, by its index; NULL: it is unknown.
    """

    is_shared: bool
    WITHOUT_VECTOR: str
    COVARIANCE: str

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Return a transaction; one writer at a time, of all processes.

        A nested one is part of the outer one.
        """

    @abstractmethod
    def vectors(self, ids: Sequence[str]) -> Vector:
        """Return one row per id; zeros where there is none."""

    @abstractmethod
    def put(self, node: Node, vector: Vector | None = None) -> None:
        """Add or replace a node; without a vector, it keeps the one that it has, if any."""

    @abstractmethod
    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Delete the vectors of these nodes, or of all: then new ones may have another length."""

    @abstractmethod
    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        """Set the parent of nodes; an empty parent makes them roots."""

    @abstractmethod
    def delete(self, ids: Iterable[str]) -> None:
        """Delete nodes; what is below them becomes a root. Unknown ids are ignored."""

    @abstractmethod
    def within(
        self, centre: Position, radius_m: float, scope: Scope, most: int = ALL
    ) -> list[Node]:
        """Return the nodes within a distance, the nearest first, at most so many."""

    @abstractmethod
    def children(self, node_id: str) -> list[Node]:
        """Return the nodes below a cluster, by id."""

    @abstractmethod
    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Return ids and cosines of the nodes most similar to a vector, best first.

        Nodes without a vector are left out, and all if the vector has another length.
        """

    @abstractmethod
    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        """Return ids of the nodes that share rare tokens with a text, best first by BM25."""

    @abstractmethod
    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        """Return the nodes of the same kind and level within a radius of each, without itself."""

    @abstractmethod
    def close(self) -> None:
        """Close file or connection."""

    @abstractmethod
    def _all(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; none for a statement without rows."""

    @abstractmethod
    def _among(self, column: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a column has one of these values, and its values."""

    @abstractmethod
    def _items(
        self, level: int, box: Bounds, frame_id: str, map_epoch: int
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the condition of `items`, and its values."""

    def put_all(self, nodes: Sequence[Node], vectors: Vector | None = None) -> None:
        """As `put`, for many: one row of `vectors` per node."""
        with self.writing():
            for number, node in enumerate(nodes):
                self.put(node, None if vectors is None else vectors[number])

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """Return the nodes that exist, by id, in the order of the ids."""
        wanted = list(ids)
        where, values = self._among('node_id', wanted)
        found = {node.node_id: node for node in self._select(f'WHERE {where}', values)}
        return {each: found[each] for each in wanted if each in found}

    def sample(self, limit: int, without_vector: bool = False) -> list[Node]:
        """Return some things that are not retracted; `without_vector`: only without one."""
        where, values = conditions(Scope())
        condition = f' AND {self.WITHOUT_VECTOR}' if without_vector else ''
        query = f"WHERE kind = 'object'{condition}{where} ORDER BY nid LIMIT ?"
        return self._select(query, (*values, limit))

    def named(self, name: str, scope: Scope, reach: Reach | None = None) -> list[Node]:
        """Return the things (level 0) of a name; `reach`: only those in it."""
        where, values = conditions(scope)
        if reach is not None:
            low_x, low_y, high_x, high_y = reach.within
            variances = (f'{self.COVARIANCE.format(at)} > ?' for at in DIAGONAL)
            where += (
                ' AND (x BETWEEN ? AND ? AND y BETWEEN ? AND ? OR radius_m > ? '
                f'OR {" OR ".join(variances)})'
            )
            values += [low_x, high_x, low_y, high_y, reach.radius_m]
            values += [reach.variance_m2] * len(DIAGONAL)
        return self._select(f'WHERE name = ? AND level = 0{where} ORDER BY nid', (name, *values))

    def members(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return the ids of the nodes below each cluster."""
        where, values = self._among('parent', ids)
        rows = self._all(f'SELECT parent, node_id FROM nodes WHERE {where}', values)
        return {each: frozenset(some) for each, some in _grouped(rows, ids).items()}

    def items(self, level: int, box: Bounds, frame_id: str, map_epoch: int) -> list[Node]:
        """Return the items of a level's clusters: nodes below it whose parent is not.

        Their x and y lie in the half-open box [min, max).
        """
        return self._select(*self._items(level, box, frame_id, map_epoch))

    def item_count(self, level: int, box: Bounds, frame_id: str, map_epoch: int) -> int:
        """Return the number of `items`."""
        where, values = self._items(level, box, frame_id, map_epoch)
        return int(self._all(f'SELECT count(*) FROM nodes {where}', values)[0][0])

    def nodes(self, scope: Scope) -> Iterator[Node]:
        """Yield every node of a scope, by level, then in the order of creation."""
        where, values = conditions(scope)
        rest = f'WHERE level BETWEEN ? AND ?{where} ORDER BY level, nid'
        yield from self._select(rest, (*scope.levels, *values))

    def sighting(self, observation_id: str) -> Sighting | None:
        """Return the latest observation of that id, if one was stored."""
        query = f'SELECT {SIGHTING} FROM sightings WHERE {OF_ID}'
        found = self._one(query, (observation_id,))
        return sighting_of(found) if found else None

    def add_sighting(self, sighting: Sighting) -> None:
        """Add the provenance of a node. The latest few per node are kept.

        An earlier one of the same id loses it.
        """
        row, node_id = row_of_sighting(sighting), sighting.node_id
        marks = ', '.join('?' * len(row))
        with self.writing():
            forget_id = f"UPDATE sightings SET observation_id = '' WHERE {OF_ID}"
            self._all(forget_id, (sighting.observation_id,))
            self._all(f'INSERT INTO sightings ({SIGHTING}) VALUES ({marks})', row)
            self._all(
                'DELETE FROM sightings WHERE node_id = ? AND number <= (SELECT number FROM '
                'sightings WHERE node_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)',
                (node_id, node_id, KEPT_SIGHTINGS),
            )

    def sightings(self, node_id: str) -> list[Sighting]:
        """Return the observations of a node, the oldest first."""
        query = f'SELECT {SIGHTING} FROM sightings WHERE node_id = ? ORDER BY number'
        return [sighting_of(row) for row in self._all(query, (node_id,))]

    def next_id(self, prefix: str) -> str:
        """Return `prefix`_1, `prefix`_2 …: an id that no node has; never the same one twice."""
        query = (
            'INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) '
            'DO UPDATE SET number = counters.number + excluded.number RETURNING number'
        )
        step = 1
        with self.writing():
            while True:
                made = f'{prefix}_{self._all(query, (prefix, step))[0][0]}'
                if not self.get([made]):
                    return made
                step *= 2  # an import has taken a number; perhaps it has taken many

    def meta(self, key: str) -> str:
        """Return a value of the whole store; empty if there is none."""
        found = self._one('SELECT value FROM meta WHERE key = ?', (key,))
        return str(found[0]) if found else ''

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the whole store."""
        with self.writing():
            self._all(SET_META, (key, value))

    def count(self, scope: Scope) -> int:
        """Return the number of nodes."""
        where, values = conditions(scope)
        query = f'SELECT count(*) FROM nodes WHERE level BETWEEN ? AND ?{where}'
        return int(self._all(query, (*scope.levels, *values))[0][0])

    def _select(self, rest: str, values: Sequence[Any]) -> list[Node]:
        return [node_of(row) for row in self._all(f'{SELECT} {rest}', values)]

    def _one(self, query: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        rows = self._all(query, values)
        return rows[0] if rows else None

    def _neighbours(self, query: str, values: Sequence[Any]) -> dict[str, tuple[str, ...]]:
        return {one: tuple(others) for one, others in _grouped(self._all(query, values)).items()}


def conditions(scope: Scope) -> tuple[str, list[Any]]:
    """Return the conditions of a scope, besides its levels, and their values."""
    parts: list[tuple[str, list[Any]]] = []
    if scope.frame_id:
        parts.append(('frame_id = ?', [scope.frame_id]))
    if scope.map_epoch is not None:
        parts.append(('map_epoch = ?', [scope.map_epoch]))
    if scope.within:
        low_x, low_y, high_x, high_y = scope.within
        parts.append(('x BETWEEN ? AND ? AND y BETWEEN ? AND ?', [low_x, high_x, low_y, high_y]))
    if not scope.retracted:
        parts.append(("state <> 'RETRACTED'", []))
    if not scope.poses:
        parts.append((NO_POSE, []))
    return ''.join(f' AND {sql}' for sql, _ in parts), [each for _, some in parts for each in some]


def nearest_first(centre: Position, most: int) -> tuple[Any, ...]:
    """Return the values of `NEAREST`."""
    return (*(each for each in centre for _ in range(2)), most)


def inside(nodes: Iterable[Node], centre: Position, radius_m: float) -> list[Node]:
    """Return the nodes of a box that are in the sphere, the nearest first."""
    distances = [(math.dist(node.position, centre), node.node_id, node) for node in nodes]
    near = [each for each in distances if each[0] <= radius_m]
    return [node for _, _, node in sorted(near, key=lambda each: each[:2])]


def _grouped(pairs: Iterable[Sequence[str]], keys: Iterable[str] = ()) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {each: [] for each in keys}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
