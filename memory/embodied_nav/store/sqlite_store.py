"""The memory of one rover in one SQLite file: opened, checked, upgraded; its vectors in RAM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
import sqlite3
from typing import Any

import numpy as np

from embodied_nav.nodes_of_forest import ROOT_LEVEL, Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Bounds
from embodied_nav.retrieval.tokens_and_word_forms import tokens
from embodied_nav.store.memory_store import (
    ALL,
    COMMON,
    NEAR,
    NEAREST,
    NO_POSE,
    SET_META,
    MemoryStore,
    Scope,
    Vector,
    conditions,
    inside,
    nearest_first,
)
from embodied_nav.store.rows_of_nodes_and_sightings import COLUMNS, row_of
from embodied_nav.store.vectors_in_ram import VectorScan
from rover_common.errors import MemoryStoreError, StoreUnusableError
from rover_common.sqlite_transactions import run_script, transaction, use_write_ahead_log

APPLICATION_ID = int.from_bytes(b'btem', 'big')
VERSION = 3
UPGRADES = {  # of a file of each earlier version to the next one
    # It has levels in its index of places, so every insert read much of it.
    1: """
CREATE INDEX IF NOT EXISTS nodes_by_x ON nodes (level, x, y);
DROP TABLE places;
CREATE VIRTUAL TABLE places USING rtree (nid, min_x, max_x, min_y, max_y, min_z, max_z);
INSERT INTO places SELECT nid, x, x, y, y, z, z FROM nodes;
""",
    2: 'ALTER TABLE nodes ADD COLUMN retracted_at REAL NOT NULL DEFAULT 0',
}
BUSY_S = 5.0  # timeout for a lock of another process
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError)
ELSEWHERE = 'or name another file with memory.store'
UPSERT = (
    f'INSERT INTO nodes ({", ".join(COLUMNS)}, revision) '
    f'VALUES ({", ".join("?" * (len(COLUMNS) + 1))}) ON CONFLICT (node_id) DO UPDATE SET '
    + ', '.join(f'{each} = excluded.{each}' for each in (*COLUMNS[1:], 'revision'))
    + ' RETURNING nid'
)
REVISION = 'revision'  # key of the number of the last change
MAX_CACHED = 20_000  # nodes, and tokens, that are cached until something changes
_SCANNED = 'node_id, kind, level, map_epoch, frame_id, state, x, y'


def open_file(path: Path) -> sqlite3.Connection:
    """Open a file, which is created if it does not exist.

    Raises:
        MemoryStoreError: It cannot be opened, is of another program, damaged or of a newer
            version. The file is not changed then.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise _fault(path, str(error), f'make file and folder writable, {ELSEWHERE}') from None
    try:
        _set_up(connection, path)
    except FILE_ERRORS as error:
        connection.close()
        raise _fault(path, str(error), f'move it away, {ELSEWHERE}') from None
    except MemoryStoreError:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        version = _version(connection, path)
    use_write_ahead_log(connection, BUSY_S)
    # Observations repeat: a power loss may lose the last seconds, but never damages the file.
    connection.execute('PRAGMA synchronous = NORMAL')
    connection.execute('PRAGMA cache_size = -32000')
    if version != VERSION:  # and another process may be about to change that, too
        run_script(connection, lambda: _changes(_version(connection, path)))


def _version(connection: sqlite3.Connection, path: Path) -> int | None:
    """Return the version of the file; None: it is empty.

    Raises:
        MemoryStoreError: It is of another program, or of a newer version.
    """
    (application,) = connection.execute('PRAGMA application_id').fetchone()
    (version,) = connection.execute('PRAGMA user_version').fetchone()
    (tables,) = connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
    if tables and application != APPLICATION_ID:
        raise _fault(path, 'it is the file of another program', f'move it away, {ELSEWHERE}')
    if version > VERSION:
        why = f'its version is {version}, this program knows those up to {VERSION}'
        raise _fault(path, why, 'start the version that wrote it')
    return int(version) if tables else None


def _changes(version: int | None) -> str:
    """Return the script that makes a file of this version one of `VERSION`."""
    if version is None:
        schema = (files('embodied_nav.store') / 'schema.sql').read_text(encoding='utf-8')
        changes = f'{schema}; PRAGMA application_id = {APPLICATION_ID};'
    else:
        changes = ''.join(f'{each};' for of, each in UPGRADES.items() if of >= version)
    return f'{changes} PRAGMA user_version = {VERSION};'


def _fault(path: Path, why: str, remedy: str) -> MemoryStoreError:
    return MemoryStoreError(f'The memory {str(path)!r} cannot be used ({why}): {remedy}.')


class SqliteStore(MemoryStore):
    """`path`: the file; it is created if it does not exist."""

    is_shared = False
    WITHOUT_VECTOR = 'nid NOT IN (SELECT nid FROM vectors)'
    COVARIANCE = "json_extract(nullif(covariance, ''), '$[{}]')"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = open_file(path)
        self._scan = VectorScan()
        self._depth = 0
        self._data_version = -1  # it changes when another process writes
        self._revision = 0
        # Caches of what was read since the last change:
        self._nodes: dict[str, Node] = {}
        self._document_counts: dict[str, int] = {}  # number of nodes with a token
        self._last_ranked: tuple[str, int, list[str]] = '', 0, []  # of a text, the best so many
        self._run(self._load_external)

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._depth:
            yield
            return
        self._run(lambda: self._connection.execute('BEGIN IMMEDIATE'))
        self._depth = 1
        self._clear_caches()
        try:
            self._run(self._load_external)
            self._revision += 1
            self._run(self._store_revision)
            yield
            self._run(lambda: self._connection.execute('COMMIT'))
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')
            self._revision, self._data_version = 0, -1
            self._run(self._load_external)
            raise
        finally:
            self._depth = 0
            self._clear_caches()

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        # A query reads the same nodes several times.
        if self._depth:
            return super().get(ids)
        self._run(self._load_external)
        wanted = list(ids)
        if missing := [each for each in wanted if each not in self._nodes]:
            if len(self._nodes) + len(missing) > MAX_CACHED:
                self._nodes.clear()
                missing = wanted
            self._nodes |= super().get(missing)
        return {each: self._nodes[each] for each in wanted if each in self._nodes}

    def vectors(self, ids: Sequence[str]) -> Vector:
        return self._scan.vectors(ids)

    def put(self, node: Node, vector: Vector | None = None) -> None:
        with self.writing():
            self._run(lambda: self._put(node, vector))

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        among, values = ('true', ()) if ids is None else self._among('node_id', ids)
        with self.writing():
            self._all(f'UPDATE nodes SET revision = ? WHERE {among}', (self._revision, *values))
            chosen = f'SELECT nid FROM nodes WHERE {among}'
            self._all(f'DELETE FROM vectors WHERE nid IN ({chosen})', values)
            self._scan.forget_vectors(ids)

    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        with self.writing():
            for child in children:
                self._all(
                    'UPDATE nodes SET parent = ?, parent_level = ?, revision = ? '
                    'WHERE node_id = ?',
                    (parent, parent_level, self._revision, child),
                )

    def delete(self, ids: Iterable[str]) -> None:
        with self.writing():
            for node_id in ids:
                found = self._one('DELETE FROM nodes WHERE node_id = ? RETURNING nid', (node_id,))
                if found is None:
                    continue
                self._all(
                    'UPDATE nodes SET parent = ?, parent_level = ?, revision = ? WHERE parent = ?',
                    ('', ROOT_LEVEL, self._revision, node_id),
                )
                self._all('DELETE FROM vectors WHERE nid = ?', found)
                self._all('DELETE FROM places WHERE nid = ?', found)
                self._all('DELETE FROM words WHERE rowid = ?', found)
                self._all('INSERT INTO deleted VALUES (?, ?)', (self._revision, node_id))
                self._scan.delete((node_id,))

    def within(
        self, centre: Position, radius_m: float, scope: Scope, most: int = ALL
    ) -> list[Node]:
        x, y, z = centre
        where, values = conditions(scope)
        box = (x - radius_m, x + radius_m, y - radius_m, y + radius_m)
        found = self._select(
            'JOIN places USING (nid) WHERE max_x >= ? AND min_x <= ? AND max_y >= ? '
            'AND min_y <= ? AND max_z >= ? AND min_z <= ? '
            f'AND level BETWEEN ? AND ?{where} {NEAREST}',
            (
                *(*box, z - radius_m, z + radius_m, *scope.levels, *values),
                *nearest_first(centre, most),
            ),
        )
        return inside(found, centre, radius_m)

    def children(self, node_id: str) -> list[Node]:
        return self._select('WHERE parent = ? ORDER BY node_id', (node_id,)) if node_id else []

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        self._run(self._load_external)
        return self._scan.nearest(vector, scope, limit)

    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        self._run(self._load_external)
        if self._depth:
            self._clear_caches()
        count = 4 * limit
        while True:
            if self._last_ranked[0] != text or self._last_ranked[1] < count:
                self._last_ranked = text, count, self._ranked(text, count)
            ranked = self._last_ranked[2]
            found = self._scan.in_scope(ranked, scope)[:limit]
            if len(found) == limit or len(ranked) < count:
                return found
            count *= 4  # the best of all are out of scope

    def _ranked(self, text: str, limit: int) -> list[str]:
        """Return the nodes with tokens of a text, the best first."""
        rare = [token for token in dict.fromkeys(tokens(text))
                if 0 < self._document_count(token) <= COMMON]  # fmt: skip
        if not rare:
            return []
        query = ' OR '.join(f'"{token}"' for token in rare)
        rows = self._all(
            'SELECT node_id FROM words JOIN nodes ON nid = words.rowid WHERE words MATCH ? '
            'ORDER BY rank LIMIT ?',
            (query, limit),
        )
        return [each for (each,) in rows]

    def _document_count(self, token: str) -> int:
        """Return the number of nodes with a token."""
        if token not in self._document_counts:
            if len(self._document_counts) >= MAX_CACHED:
                self._document_counts.clear()
            row = self._one('SELECT doc FROM words_known WHERE term = ?', (token,))
            self._document_counts[token] = int(row[0]) if row else 0
        return self._document_counts[token]

    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        where, values = self._among('one.node_id', ids)
        far = radius_m
        return self._neighbours(
            'SELECT one.node_id, other.node_id FROM nodes AS one JOIN nodes AS other '
            'INDEXED BY nodes_by_x ON other.x BETWEEN one.x - ? AND one.x + ? '
            f'AND other.y BETWEEN one.y - ? AND one.y + ? WHERE {where} {NEAR}',
            (far, far, far, far, *values, far * far),
        )

    def close(self) -> None:
        self._connection.close()

    def _put(self, node: Node, vector: Vector | None) -> None:
        (nid,) = self._connection.execute(UPSERT, (*row_of(node), self._revision)).fetchone()
        x, y, z = node.position
        self._connection.execute(
            'INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?, ?, ?)', (nid, x, x, y, y, z, z)
        )
        self._connection.execute('DELETE FROM words WHERE rowid = ?', (nid,))
        self._connection.execute(
            'INSERT INTO words (rowid, text) VALUES (?, ?)', (nid, ' '.join(tokens(node.text)))
        )
        if vector is not None and not len(vector):
            vector = None  # the mean of those that have none
        if vector is not None:
            vector = np.ascontiguousarray(vector, np.float32)
            self._connection.execute(
                'INSERT OR REPLACE INTO vectors VALUES (?, ?)', (nid, vector.tobytes())
            )
        thing = (node.node_id, node.kind, node.level)
        place = (node.map_epoch, node.frame_id, node.state.value, x, y)
        self._scan.put((*thing, *place), vector)

    def _load_external(self) -> None:
        """Load what other processes have written."""
        (data_version,) = self._connection.execute('PRAGMA data_version').fetchone()
        if data_version == self._data_version:
            return
        self._clear_caches()
        query = (
            'SELECT max(coalesce((SELECT max(revision) FROM nodes), 0), '
            'coalesce((SELECT max(revision) FROM deleted), 0), '
            'coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?), 0))'
        )
        with self._reading():
            if self._revision == 0:
                self._load()
            else:
                self._load_changes()
            (self._revision,) = self._connection.execute(query, (REVISION,)).fetchone()
        self._data_version = data_version

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Return a transaction in which nothing that others write meanwhile is read."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute('BEGIN')
        try:
            yield
        finally:
            if self._connection.in_transaction:  # some errors end it
                self._connection.execute('ROLLBACK')

    def _clear_caches(self) -> None:
        self._nodes.clear()
        self._document_counts.clear()
        self._last_ranked = '', 0, []

    def _store_revision(self) -> None:
        """Store the number of this change, also where no node changes: none is used twice."""
        self._connection.execute(SET_META, (REVISION, str(self._revision)))

    def _load(self) -> None:
        rows = self._connection.execute(
            f'SELECT {_SCANNED}, vector FROM nodes LEFT JOIN vectors USING (nid)'
        ).fetchall()
        blobs = [row[-1] for row in rows if row[-1] is not None]
        width = len(blobs[0]) if blobs else 0
        joined = b''.join(row[-1] or bytes(width) for row in rows)
        vectors = np.frombuffer(joined, np.float32).reshape(len(rows), width // 4)
        self._scan.load([row[:-1] for row in rows], vectors, [bool(row[-1]) for row in rows])

    def _load_changes(self) -> None:
        since = (self._revision,)
        deleted = self._connection.execute('SELECT node_id FROM deleted WHERE revision > ?', since)
        self._scan.delete([row[0] for row in deleted])
        rows = self._connection.execute(
            f'SELECT {_SCANNED}, vector FROM nodes LEFT JOIN vectors USING (nid) '
            'WHERE revision > ?',
            since,
        ).fetchall()
        self._scan.forget_vectors([row[0] for row in rows])
        for *row, blob in rows:
            self._scan.put(tuple(row), None if blob is None else np.frombuffer(blob, np.float32))

    def _items(
        self, level: int, box: Bounds, frame_id: str, map_epoch: int
    ) -> tuple[str, tuple[Any, ...]]:
        low_x, low_y, high_x, high_y = box
        levels = ', '.join(map(str, range(level)))  # one range of the index for each
        return (
            f'INDEXED BY nodes_by_x WHERE level IN ({levels}) AND x >= ? AND x < ? AND y >= ? '
            'AND y < ? AND parent_level >= ? AND frame_id = ? AND map_epoch = ? '
            f"AND state <> 'RETRACTED' AND {NO_POSE}",
            (low_x, high_x, low_y, high_y, level, frame_id, map_epoch),
        )

    def _among(self, column: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        return f'{column} IN ({", ".join("?" * len(ids))})', tuple(ids)

    def _all(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._run(
            lambda: self._connection.execute(query, values).fetchall()
        )
        return found

    def _run(self, act: Any) -> Any:
        try:
            return act()
        except FILE_ERRORS as error:
            raise StoreUnusableError(
                f'The memory {str(self._path)!r} cannot be used ({error}): look at the disk, or '
                'name another file with memory.store.'
            ) from None
