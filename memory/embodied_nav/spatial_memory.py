"""The memory as others see it: observe, confirm, retract, recall, summarise.

Any number of threads may call it; one is served at a time. Texts that come in are data: they are
made harmless before they are kept, and nothing in them is ever obeyed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
import threading
import time

from embodied_nav.digest import digest
from embodied_nav.embedding.hashed import HashedEmbedder
from embodied_nav.remembering import Remembering
from embodied_nav.retrieval.answering import Answering
from embodied_nav.store.opening import open_store
from embodied_nav.store.port import MemoryStore, Scope
from embodied_nav.values import (
    Node,
    Observation,
    Position,
    Query,
    Recall,
    Result,
    Stored,
)
from rover_common.errors import MemoryStoreError
from rover_common.geometry.transforms import Transform
from rover_common.llm.port import Embedder

AROUND_M = 60.0  # what a summary speaks of
THINGS, AREAS = 12, 4  # at most, in a summary
EMBEDDER = 'embedder'  # key under which the store keeps whose vectors it holds


class SpatialMemory:
    """What a rover, or a fleet, has seen and where.

    Args:
        store: Is closed by this object.
        embedder: Turns texts into vectors; always the same one for a store.
        clock: ROS time in s.
    """

    def __init__(self, store: MemoryStore, embedder: Embedder, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.RLock()
        self._remembering = Remembering(store, embedder)
        self._answering = Answering(store, embedder, clock)

    def observe(self, seen: Observation) -> Stored:
        """Takes what was seen: a new thing, or one that is known and perhaps was moved.

        Raises:
            MemoryStoreError: The store cannot be written; nothing has changed then.
            ModelError: The embedding model did not answer; nothing has changed then.
        """
        with self._lock:
            return self._remembering.observe(seen)

    def confirm(self, node_id: str, stamp: float) -> Result:
        """Somebody went there at a time (ROS, s), looked, and it was there."""
        with self._lock:
            return self._remembering.confirm(node_id, stamp)

    def retract(self, node_id: str, reason: str, stamp: float) -> Result:
        """Somebody looked at a time (ROS, s), and it was gone. It is kept, and no longer found."""
        with self._lock:
            return self._remembering.retract(node_id, reason, stamp)

    def recall(self, query: Query) -> Recall:
        """An answer, or the reason why there is none.

        Raises:
            MemoryStoreError: The store cannot be read.
            ModelError: The embedding model did not answer.
        """
        with self._lock:
            return self._answering.recall(query)

    def summary(self, near: Position | None, budget_chars: int, frame_id: str = 'map') -> str:
        """What is remembered around a place, in at most so many characters."""
        here = near or (0.0, 0.0, 0.0)
        with self._lock:
            things = self._store.within(here, AROUND_M, Scope(frame_id=frame_id, levels=(0, 0)))
            areas = self._store.within(here, AROUND_M, Scope(frame_id=frame_id, levels=(1, 5)))
        return digest(here, things[:THINGS], areas[:AREAS], self._clock(), budget_chars)

    def places(self) -> Sequence[Node]:
        """Every node that is not gone, things first, then areas by level."""
        with self._lock:
            return tuple(self._store.nodes(Scope()))

    def stats(self) -> dict[str, int]:
        """How many nodes there are: `level_0` … `level_5`, and `retracted`."""
        with self._lock:
            counts = {
                f'level_{level}': self._store.count(Scope(levels=(level, level)))
                for level in range(6)
            }
            everything = self._store.count(Scope(retracted=True))
        return {**counts, 'retracted': everything - sum(counts.values())}

    def reanchor(
        self, map_epoch: int, transform: Transform, new_epoch: int | None = None
    ) -> Result:
        """A map was found to lie elsewhere: all of its nodes move, in one transaction.

        Args:
            map_epoch: The map.
            transform: Where the map as it was lies in the map as it is.
            new_epoch: The number that its nodes have from now on; None: the same one.
        """
        with self._lock:
            return self._remembering.reanchor(map_epoch, transform, new_epoch)

    def close(self) -> None:
        """Lets go of file or server."""
        with self._lock:
            self._store.close()


def open_memory(
    where: str | Path,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
) -> SpatialMemory:
    """The memory in a file, or in a database by its address (postgresql://…).

    Args:
        where: File or address; the file is made if it is not there.
        embedder: None: the one that needs no model.
        clock: ROS time in s.

    Raises:
        MemoryStoreError: It cannot be opened, or holds the vectors of another model.
    """
    embedder = embedder or HashedEmbedder()
    store = open_store(where)
    try:
        _check_model(store, embedder, where)
    except BaseException:
        store.close()
        raise
    return SpatialMemory(store, embedder, clock)


def _check_model(store: MemoryStore, embedder: Embedder, where: str | Path) -> None:
    """Vectors of different models do not compare; whose they are is kept with them."""
    known = store.meta(EMBEDDER)
    if not known:
        store.set_meta(EMBEDDER, embedder.model)
    elif known != embedder.model:
        raise MemoryStoreError(
            f'The memory {str(where)!r} holds vectors of {known!r}, but {embedder.model!r} is '
            'configured: set memory.embedding back, or export the memory and import it anew.'
        )
