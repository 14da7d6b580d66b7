"""What the memory needs of a store; one contract suite holds for every implementation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Covariance, Position
from embodied_nav.question_and_outcome import Bounds

Vector = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which nodes are asked for.

    Attributes:
        frame_id: Only of this frame; empty: of any.
        map_epoch: Only of this map; None: of any.
        within: Only in these bounds.
        levels: Lowest and highest level.
        retracted: Also what is known to be gone.
    """

    frame_id: str = ''
    map_epoch: int | None = None
    within: Bounds | None = None
    levels: tuple[int, int] = (0, 5)
    retracted: bool = False


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One observation as it came, for provenance; the node is what was made of them."""

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
    """Nodes, their vectors, their words and their places.

    Everything is read and written by one thread at a time. Raises `MemoryStoreError` with a
    sentence when the store cannot be reached or is damaged.
    """

    @property
    def is_shared(self) -> bool:
        """Whether other rovers write to it, too."""

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all of it or nothing; one writer at a time, of all processes.

        Inside another one it is a part of that one.
        """

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes that exist, by id, in the order asked for."""

    def vectors(self, ids: Sequence[str]) -> Vector:
        """One row per id; zeros where there is none."""

    def put(self, node: Node, vector: Vector | None = None) -> None:
        """Adds or replaces a node; without a vector, it keeps the one that it has, if any."""

    def put_all(self, nodes: Sequence[Node], vectors: Vector | None = None) -> None:
        """As `put`, for many: one row of `vectors` per node."""

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Of these nodes, or of all: then the next ones may have another length."""

    def sample(self, limit: int, without_vector: bool = False) -> list[Node]:
        """Some things that are not gone; `without_vector`: such that have none."""

    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        """Hangs nodes below a cluster; an empty parent makes roots of them."""

    def delete(self, ids: Iterable[str]) -> None:
        """Removes nodes; unknown ids are ignored."""

    def named(self, name: str, scope: Scope) -> list[Node]:
        """The things (level 0) of a name."""

    def items(self, stage: int, box: Bounds, frame_id: str, map_epoch: int) -> list[Node]:
        """What the clusters of a level are made of: nodes below it whose parent is not.

        Their x and y lie in the half-open box [min, max).
        """

    def crowd(self, stage: int, box: Bounds, frame_id: str, map_epoch: int) -> int:
        """How many `items` there are."""

    def within(self, centre: Position, radius_m: float, scope: Scope) -> list[Node]:
        """Nodes whose place is at most so far away, the nearest first."""

    def children(self, node_id: str) -> list[Node]:
        """The nodes below a cluster, by id."""

    def members(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """The ids of the nodes below each cluster."""

    def nodes(self, scope: Scope) -> Iterator[Node]:
        """Every node of a scope, by level, then in the order of their making."""

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines of the nodes that are most like a vector, best first.

        Those without a vector are not among them; none are, if the vector has another length.
        """

    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        """Ids of the nodes that share rare words with a text, best first by BM25."""

    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        """The nodes of the same kind and level within so many m of each, without itself."""

    def sighting(self, observation_id: str) -> Sighting | None:
        """The observation of that id, if it was taken."""

    def add_sighting(self, sighting: Sighting) -> None:
        """Notes where something that a node says came from. The latest few per node are kept."""

    def sightings(self, node_id: str) -> list[Sighting]:
        """What a node was made of, the oldest first."""

    def next_number(self, counter: str) -> int:
        """1, 2, 3 … of that counter, never the same one twice."""

    def meta(self, key: str) -> str:
        """A value that stands for the whole store; empty if there is none."""

    def set_meta(self, key: str, value: str) -> None:
        """Keeps such a value."""

    def count(self, scope: Scope) -> int:
        """How many nodes there are."""

    def close(self) -> None:
        """Lets go of file or server."""
