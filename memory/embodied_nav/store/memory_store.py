"""The interface of a store; every implementation passes one contract suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Covariance, Position
from embodied_nav.query_and_recall_types import Bounds

Vector = NDArray[np.float32]


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


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One observation as it was received, for provenance; a node is merged from several."""

    observation_id: str
    node_id: str
    stamp: float
    position: Position
    frame_id: str
    map_epoch: int
    covariance: Covariance | None
    source: str
    writer: str
    image_hash: str
    caption: str


class MemoryStore(Protocol):
    """Nodes with indexes of their vectors, tokens and positions.

    Used by one thread at a time. Raises `MemoryStoreError` with a sentence when the store cannot
    be reached or is damaged.
    """

    @property
    def is_shared(self) -> bool:
        """Whether other rovers write to it, too."""

    def writing(self) -> AbstractContextManager[None]:
        """Return a transaction; one writer at a time, of all processes.

        A nested one is part of the outer one.
        """

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """Return the nodes that exist, by id, in the order of the ids."""

    def vectors(self, ids: Sequence[str]) -> Vector:
        """Return one row per id; zeros where there is none."""

    def put(self, node: Node, vector: Vector | None = None) -> None:
        """Add or replace a node; without a vector, it keeps the one that it has, if any."""

    def put_all(self, nodes: Sequence[Node], vectors: Vector | None = None) -> None:
        """As `put`, for many: one row of `vectors` per node."""

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Delete the vectors of these nodes, or of all: then new ones may have another length."""

    def sample(self, limit: int, without_vector: bool = False) -> list[Node]:
        """Return some things that are not retracted; `without_vector`: only without one."""

    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        """Set the parent of nodes; an empty parent makes them roots."""

    def delete(self, ids: Iterable[str]) -> None:
        """Delete nodes; what is below them becomes a root. Unknown ids are ignored."""

    def named(self, name: str, scope: Scope) -> list[Node]:
        """Return the things (level 0) of a name."""

    def items(self, level: int, box: Bounds, frame_id: str, map_epoch: int) -> list[Node]:
        """Return the items of a level's clusters: nodes below it whose parent is not.

        Their x and y lie in the half-open box [min, max).
        """

    def item_count(self, level: int, box: Bounds, frame_id: str, map_epoch: int) -> int:
        """Return the number of `items`."""

    def within(self, centre: Position, radius_m: float, scope: Scope) -> list[Node]:
        """Return the nodes within a distance, the nearest first."""

    def children(self, node_id: str) -> list[Node]:
        """Return the nodes below a cluster, by id."""

    def members(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return the ids of the nodes below each cluster."""

    def nodes(self, scope: Scope) -> Iterator[Node]:
        """Yield every node of a scope, by level, then in the order of creation."""

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Return ids and cosines of the nodes most similar to a vector, best first.

        Nodes without a vector are left out, and all if the vector has another length.
        """

    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        """Return ids of the nodes that share rare tokens with a text, best first by BM25."""

    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        """Return the nodes of the same kind and level within a radius of each, without itself."""

    def sighting(self, observation_id: str) -> Sighting | None:
        """Return the latest observation of that id, if one was stored."""

    def add_sighting(self, sighting: Sighting) -> None:
        """Add the provenance of a node. The latest few per node are kept.

        An earlier one of the same id loses it.
        """

    def sightings(self, node_id: str) -> list[Sighting]:
        """Return the observations of a node, the oldest first."""

    def next_id(self, prefix: str) -> str:
        """Return `prefix`_1, `prefix`_2 …: an id that no node has; never the same one twice."""

    def meta(self, key: str) -> str:
        """Return a value of the whole store; empty if there is none."""

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the whole store."""

    def count(self, scope: Scope) -> int:
        """Return the number of nodes."""

    def close(self) -> None:
        """Close file or connection."""
