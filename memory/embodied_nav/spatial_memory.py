"""The interface of the memory: observe, confirm, retract, recall, summarise.

Thread-safe; one thread is served at a time. Texts are untrusted data: they are sanitized before
they are stored, and nothing in them is ever executed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import math
from pathlib import Path
import threading
import time

from embodied_nav.embedding.vector_index import Index
from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.forest.area_nodes import AreaNamer
from embodied_nav.forest.forest_building import rebuild_all
from embodied_nav.forest.neighbours_and_directions import direction
from embodied_nav.gml.gml_export import export_places
from embodied_nav.gml.gml_import import import_places, read_gml
from embodied_nav.gml.gml_syntax import Places
from embodied_nav.llm import LLMInterface
from embodied_nav.node_changes import Result, Stored, StoreWriter
from embodied_nav.nodes_of_forest import Node, age_s
from embodied_nav.observation import Observation, Position
from embodied_nav.query_and_recall_types import Query, Recall
from embodied_nav.retrieval.answer_verdict import ago
from embodied_nav.retrieval.calibration import calibrate
from embodied_nav.retrieval.recall_pipeline import Answering
from embodied_nav.store.memory_store import MemoryStore, Scope
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra
from rover_common.geometry.transforms import Transform
from rover_common.llm.model_ports import ChatModel, Embedder
from rover_common.llm.sentence_encoder import sentence_encoder
from rover_common.process.user_paths import named_path
from rover_common.text_sanitizing import sanitize_line

LONGEST_PART = 160  # characters that one thing may take


POSTGRES = ('postgresql://', 'postgres://')
AROUND_M = 60.0  # radius of a summary
THINGS, AREAS = 12, 4  # at most, in a summary
AREAS_AT_ONCE = 20  # that the model names in a round


class SpatialMemory:
    """What a rover, or a fleet, has observed, and where.

    Args:
        store: Is closed by this object.
        embedder: Embeds texts. Vectors of another model in the store are replaced by `maintain`,
            as soon as this one answers.
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
        self._writer = StoreWriter(store, self._index, clock)
        self._answering = Answering(store, self._index, clock, self._llm)
        self._namer = AreaNamer(store, self._lock, self._llm)

    def observe(self, observation: Observation) -> Stored:
        """Store an observation: of a new thing, or of one that perhaps was moved.

        Raises:
            MemoryStoreError: The store cannot be written; nothing has changed then.
        """
        with self._lock:
            return self._writer.observe(observation)

    def confirm(self, node_id: str, stamp: float) -> Result:
        """Mark a node as visited and present; `stamp`: ROS time in s."""
        with self._lock:
            return self._writer.confirm(node_id, stamp)

    def retract(self, node_id: str, reason: str, stamp: float) -> Result:
        """Mark a node as gone; `stamp`: ROS time in s. It is kept, and no longer retrieved."""
        with self._lock:
            return self._writer.retract(node_id, reason, stamp)

    def recall(self, query: Query) -> Recall:
        """Return the answer to a query, or the reason why there is none.

        Raises:
            MemoryStoreError: The store cannot be read.
        """
        return self._answering.recall(query, self._lock)

    @property
    def retriever(self) -> EmbodiedRetriever:
        """The retriever; not thread-safe."""
        return self._answering.retriever()

    def summary(
        self,
        near: Position | None,
        budget_chars: int,
        frame_id: str = 'map',
        map_epoch: int | None = None,
    ) -> str:
        """Summarise what is remembered around a place, in at most so many characters.

        `map_epoch`: the map of the place; None: things of all maps.
        """
        here = near or (0.0, 0.0, 0.0)
        scope = Scope(frame_id=frame_id, map_epoch=map_epoch)
        with self._lock:
            things = self._store.within(here, AROUND_M, replace(scope, levels=(0, 0)), THINGS)
            areas = self._store.within(here, AROUND_M, replace(scope, levels=(1, 5)), AREAS)
        return digest(here, things, areas, self._clock(), budget_chars)

    def place(self, node_id: str) -> Node | None:
        """Return the node of this id, also a retracted one; None if there is none."""
        with self._lock:
            return self._store.get([node_id]).get(node_id)

    def around(self, near: Position, radius_m: float, scope: Scope, most: int) -> Sequence[Node]:
        """Return the nodes around a place, the nearest first; m in the scope's frame."""
        with self._lock:
            return self._store.within(near, radius_m, scope, most)

    def places(self) -> Sequence[Node]:
        """Return every node that is not retracted, things first, then areas by level."""
        with self._lock:
            return tuple(self._store.nodes(Scope(poses=True)))

    def stats(self) -> dict[str, int]:
        """Return the number of nodes: `level_0` … `level_5`, and `retracted`."""
        with self._lock:
            counts = {
                f'level_{level}': self._store.count(Scope(levels=(level, level), poses=True))
                for level in range(6)
            }
            everything = self._store.count(Scope(retracted=True, poses=True))
        return {**counts, 'retracted': everything - sum(counts.values())}

    def reanchor(
        self, map_epoch: int, transform: Transform, new_epoch: int | None = None
    ) -> Result:
        """Move all nodes of a map, in one transaction.

        Args:
            map_epoch: The map.
            transform: Pose of the old map in the new one.
            new_epoch: The new number of the map; None: the same one.
        """
        with self._lock:
            return self._writer.reanchor(map_epoch, transform, new_epoch)

    def maintain(self, summaries: int = 0, words: bool = True) -> str:
        """Run a step of deferred work: vectors, calibration, names of areas.

        To be called while idle, again as long as something was done. A model that does not answer
        is no error: its part is left undone, see `faults`.

        Args:
            summaries: How many areas the model may name.
            words: Embed single terms, too; they are kept for as long as this object is.

        Returns:
            What was done, in a sentence; empty: nothing was due.
        """
        return self._of_vectors(words) or self._namer.name(summaries)

    def _of_vectors(self, words: bool) -> str:
        if self._index.is_dormant:
            return ''
        return (
            self._index.step(self._lock)
            or (self._index.learn_terms(self._lock) if words else '')
            or calibrate(self._store, self._index, self._lock)
        )

    def embed(self) -> str:
        """Compute all vectors that are missing, or are of another model; returns what was done."""
        return ' '.join(iter(lambda: self._index.step(self._lock), ''))

    def settle(self, summaries: int = 0, words: bool = True) -> str:
        """Call `maintain` until nothing is due or a model fails; returns what was done."""
        done: dict[str, int] = {}
        for each in iter(lambda: self.maintain(summaries, words), ''):
            count, _, what = each.partition(' ')
            key, more = (what, int(count)) if count.isdigit() else (each, 0)
            done[key] = done.get(key, 0) + more
        return ' '.join(f'{count} {what}' if count else what for what, count in done.items())

    def name_areas(self) -> str:
        """Let the model name all unnamed areas; returns what was done, or a fault."""
        done = ' '.join(iter(lambda: self._namer.name(AREAS_AT_ONCE), ''))
        return ' '.join(filter(None, (done, self._namer.fault)))

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the last call of a model failed, in sentences."""
        return tuple(each for each in (self._index.fault, self._namer.fault) if each)

    def import_gml(self, path: Path) -> int:
        """Import a GML file; returns the number of nodes.

        Raises:
            MemoryStoreError: It is damaged, or has existing ids; nothing was imported.
        """
        return self.import_places(read_gml(path))

    def import_places(self, places: Places) -> int:
        """Import what was read of a GML file; returns the number of nodes.

        Raises:
            MemoryStoreError: It has existing ids; nothing was imported.
        """
        with self._lock:
            return import_places(self._store, self._index, places)

    def export_gml(self, path: Path, with_areas: bool = True, limit_s: float = math.inf) -> int:
        """Export a GML file; returns the number of nodes.

        Raises:
            MemoryStoreError: It takes longer than `limit_s`; an older file stays.
        """
        with self._lock:
            return export_places(self._store, path, with_areas, limit_s)

    def build(self) -> int:
        """Rebuild all areas, with new ids; returns their number."""
        with self._lock:
            return rebuild_all(self._store)

    def close(self) -> None:
        """Close file or connection."""
        with self._lock:
            self._store.close()


def open_memory(
    where: str | Path,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    chat: ChatModel | None = None,
    is_lazy: bool = False,
) -> SpatialMemory:
    """Open the memory in a file, or in a database by its address (postgresql://…).

    Args:
        where: File or address; the file is created if it does not exist.
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


def open_store(where: str | Path) -> MemoryStore:
    """Return the store at a file's path or at a database's address.

    Raises:
        MemoryStoreError: It cannot be opened; the text says why and what to do.
    """
    if str(where).startswith(POSTGRES):
        return _postgres(str(where))
    return SqliteStore(named_path(str(where)))


def _postgres(address: str) -> MemoryStore:
    try:
        from embodied_nav.store.postgres_store import PostgresStore
    except ModuleNotFoundError as error:
        if error.name != 'psycopg':
            raise
        raise MemoryStoreError(needs_extra('A memory on PostgreSQL', 'memory-postgres')) from None
    return PostgresStore(address)


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
    return f'{name}: {_where(near, node)}, seen {ago(age_s(node.last_seen, now))}.'


def _area(near: Position, node: Node) -> str:
    name = sanitize_line(node.name, LONGEST_PART)
    return f'Area {name}: {_where(near, node)}, {node.count} things.'


def _where(near: Position, node: Node) -> str:
    towards = direction(near, node.position)
    far = math.dist(near, node.position)
    cardinal = f' {towards.cardinal}' if towards.cardinal else ''
    return f'{far:.0f} m{cardinal}'
