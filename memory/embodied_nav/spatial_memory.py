"""The memory as others see it: observe, confirm, retract, recall, summarise.

Any number of threads may call it; one is served at a time. Texts that come in are data: they are
made harmless before they are kept, and nothing in them is ever obeyed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
import threading
import time

from embodied_nav.change_outcome import Result, Stored
from embodied_nav.embedding.vector_index import Index
from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.gml.import_and_export import build_places, export_places, import_places
from embodied_nav.llm import LLMInterface
from embodied_nav.nearby_in_words import digest
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Observation, Position
from embodied_nav.question_and_outcome import Query, Recall
from embodied_nav.remembering import Remembering
from embodied_nav.retrieval.answering import Answering
from embodied_nav.store.memory_store import MemoryStore, Scope
from embodied_nav.store.store_address import open_store
from embodied_nav.upkeep import Upkeep
from rover_common.geometry.transforms import Transform
from rover_common.llm.model_ports import ChatModel, Embedder
from rover_common.llm.sentence_encoder import sentence_encoder

AROUND_M = 60.0  # what a summary speaks of
THINGS, AREAS = 12, 4  # at most, in a summary
AREAS_AT_ONCE = 20  # that the model is asked about in a round


class SpatialMemory:
    """What a rover, or a fleet, has seen and where.

    Args:
        store: Is closed by this object.
        embedder: Turns texts into vectors. Where the store has those of another one, they are
            made anew by `maintain`, as soon as this one answers.
        chat: For LLM_HIERARCHICAL and for better summaries; None: neither.
        clock: ROS time in s.
        is_lazy: A local embedder is not loaded before the first query.
    """

    def __init__(
        self,
        store: MemoryStore,
        embedder: Embedder,
        clock: Callable[[], float],
        chat: ChatModel | None = None,
        is_lazy: bool = False,
    ) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.RLock()
        self._llm = LLMInterface(chat) if chat else None
        self._index = Index(store, embedder, is_lazy)
        self._remembering = Remembering(store, self._index)
        self._answering = Answering(store, self._index, clock, self._llm)
        self._upkeep = Upkeep(store, self._index, self._lock, self._llm)

    def observe(self, seen: Observation) -> Stored:
        """Takes what was seen: a new thing, or one that is known and perhaps was moved.

        Raises:
            MemoryStoreError: The store cannot be written; nothing has changed then.
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
        """
        return self._answering.recall(query, self._lock)

    @property
    def retriever(self) -> EmbodiedRetriever:
        """What finds nodes; to be used while nobody else uses the memory."""
        return self._answering.retriever()

    def summary(self, near: Position | None, budget_chars: int, frame_id: str = 'map') -> str:
        """What is remembered around a place, in at most so many characters."""
        here = near or (0.0, 0.0, 0.0)
        with self._lock:
            things = self._store.within(here, AROUND_M, Scope(frame_id=frame_id, levels=(0, 0)))
            areas = self._store.within(here, AROUND_M, Scope(frame_id=frame_id, levels=(1, 5)))
        return digest(here, things[:THINGS], areas[:AREAS], self._clock(), budget_chars)

    def place(self, node_id: str) -> Node | None:
        """The node of this id, gone or not; None if there is none."""
        with self._lock:
            return self._store.get([node_id]).get(node_id)

    def around(self, near: Position, radius_m: float, scope: Scope, most: int) -> Sequence[Node]:
        """The nodes nearest to a place, the nearest first; m in the scope's frame."""
        with self._lock:
            return self._store.within(near, radius_m, scope)[:most]

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

    def maintain(self, summaries: int = 0, words: bool = True) -> str:
        """A step of what need not be done at once: vectors, what scores are worth, names of areas.

        To be called while nothing else waits, again as long as something was done. A model that
        does not answer is no error: what it was asked for stays as it is, see `faults`.

        Args:
            summaries: How many areas the model may be asked about.
            words: Learn single words, too; they are kept for as long as this object is.

        Returns:
            What was done, in a sentence; empty: nothing was due.
        """
        return self._of_vectors(words) or self._upkeep.summarise(summaries)

    def _of_vectors(self, words: bool) -> str:
        if self._index.is_dormant:
            return ''
        return (
            self._index.step(self._lock)
            or (self._index.learn_terms(self._lock) if words else '')
            or self._upkeep.calibrate()
        )

    def embed(self) -> str:
        """Make all vectors that are missing, or are of another model; what was done."""
        return ' '.join(iter(lambda: self._index.step(self._lock), ''))

    def settle(self, summaries: int = 0, words: bool = True) -> str:
        """`maintain`, until nothing is due or a model does not answer; what was done in all."""
        done: dict[str, int] = {}
        for each in iter(lambda: self.maintain(summaries, words), ''):
            count, _, what = each.partition(' ')
            key, more = (what, int(count)) if count.isdigit() else (each, 0)
            done[key] = done.get(key, 0) + more
        return ' '.join(f'{count} {what}' if count else what for what, count in done.items())

    def name_areas(self) -> str:
        """Let the model name all areas that it has not named; what was done, or why it was not."""
        done = ' '.join(iter(lambda: self._upkeep.summarise(AREAS_AT_ONCE), ''))
        return ' '.join(filter(None, (done, self._upkeep.fault)))

    @property
    def faults(self) -> tuple[str, ...]:
        """Why a model that was asked last did not answer, in sentences."""
        return tuple(each for each in (self._index.fault, self._upkeep.fault) if each)

    def import_gml(self, path: Path) -> int:
        """Takes a GML file in; how many nodes it had.

        Raises:
            MemoryStoreError: It is damaged, or holds what is here already; nothing was taken.
        """
        with self._lock:
            return import_places(self._store, self._index, path)

    def export_gml(self, path: Path, with_areas: bool = True) -> int:
        """Writes a GML file; how many nodes it has."""
        with self._lock:
            return export_places(self._store, path, with_areas)

    def build(self) -> int:
        """Makes all areas anew; how many there are. Areas get new ids."""
        with self._lock:
            return build_places(self._store)

    def close(self) -> None:
        """Lets go of file or server."""
        with self._lock:
            self._store.close()


def open_memory(
    where: str | Path,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    chat: ChatModel | None = None,
    is_lazy: bool = False,
) -> SpatialMemory:
    """The memory in a file, or in a database by its address (postgresql://…).

    Args:
        where: File or address; the file is made if it is not there.
        embedder: None: the sentence encoder, which needs neither key nor server.
        clock: ROS time in s.
        chat: A model for LLM_HIERARCHICAL and for summaries; None: neither.
        is_lazy: A local embedder is not loaded before the first query.

    Raises:
        MemoryStoreError: It cannot be opened.
    """
    store = open_store(where)
    try:
        return SpatialMemory(store, embedder or sentence_encoder(), clock, chat, is_lazy)
    except BaseException:
        store.close()
        raise
