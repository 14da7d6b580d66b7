"""The memory of a fleet: one PostgreSQL with pgvector, which every rover reads and writes.

The others see a change as soon as it is committed. Writers wait for each other on one lock of the
database, so that the forest stays consistent; reads are never locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
import math
import re
from typing import Any

import numpy as np
import psycopg
from psycopg.conninfo import conninfo_to_dict

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
    MemoryStore,
    Scope,
    Vector,
    conditions,
    inside,
    nearest_first,
)
from embodied_nav.store.rows_of_nodes_and_sightings import COLUMNS, row_of
from rover_common.errors import MemoryStoreError, StoreUnusableError
from rover_common.text_sanitizing import one_line
from rover_common.url_secrets import without_secrets

CONNECT_TIMEOUT_S = 5
SILENT_S = 10  # after which a server that does not respond counts as lost
LOCK = int.from_bytes(b'btem', 'big')
FILLED = (*COLUMNS, 'words')
UPSERT = (
    f'INSERT INTO nodes ({", ".join((*FILLED, "embedding"))}) '
    f'VALUES ({", ".join(["?"] * len(FILLED))}, ?::vector) ON CONFLICT (node_id) DO UPDATE SET '
    + ', '.join(f'{each} = EXCLUDED.{each}' for each in FILLED[1:])
    + ', embedding = coalesce(EXCLUDED.embedding, nodes.embedding)'
)


class PostgresStore(MemoryStore):
    """`address`: postgresql://user@host/database."""

    is_shared = True
    WITHOUT_VECTOR = 'embedding IS NULL'
    COVARIANCE = "(nullif(covariance, '')::json ->> {})::double precision"

    def __init__(self, address: str) -> None:
        self._address = address
        info = _parsed(address)
        self._where = f'{info.get("host", "localhost")}/{info.get("dbname", "")}'
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._depth = 0
        with self._guarded():
            self._open()

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._depth:
            yield
            return
        self._depth = 1
        try:
            with self._guarded():
                connection = self._usable()
                with connection.transaction():
                    connection.execute('SELECT pg_advisory_xact_lock(%s)', (LOCK,))
                    yield
        finally:
            self._depth = 0

    def vectors(self, ids: Sequence[str]) -> Vector:
        query = 'SELECT node_id, embedding::text FROM nodes WHERE node_id = ANY(?)'
        found = {
            node_id: np.fromstring(text[1:-1], np.float32, sep=',')
            for node_id, text in self._all(query, (list(ids),))
            if text is not None
        }
        width = max(map(len, found.values()), default=0)
        rows = [found.get(each, np.zeros(width, np.float32)) for each in ids]
        return np.array(rows, np.float32).reshape(len(rows), width)

    def put(self, node: Node, vector: Vector | None = None) -> None:
        row = (*row_of(node), tokens(node.text), _vector(vector))
        with self.writing():
            self._all(UPSERT, row)

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        among, values = ('true', ()) if ids is None else self._among('node_id', ids)
        with self.writing():
            self._all(f'UPDATE nodes SET embedding = NULL WHERE {among}', values)

    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        query = 'UPDATE nodes SET parent = ?, parent_level = ? WHERE node_id = ANY(?)'
        with self.writing():
            self._all(query, (parent, parent_level, list(children)))

    def delete(self, ids: Iterable[str]) -> None:
        deleted = list(ids)
        with self.writing():
            self._all(
                'UPDATE nodes SET parent = ?, parent_level = ? WHERE parent = ANY(?)',
                ('', ROOT_LEVEL, deleted),
            )
            self._all('DELETE FROM nodes WHERE node_id = ANY(?)', (deleted,))

    def within(
        self, centre: Position, radius_m: float, scope: Scope, most: int = ALL
    ) -> list[Node]:
        x, y, _ = centre
        where, values = conditions(scope)
        found = self._select(
            'WHERE point(x, y) <@ box(point(?, ?), point(?, ?)) '
            f'AND level BETWEEN ? AND ?{where} {NEAREST}',
            (
                *(x - radius_m, y - radius_m, x + radius_m, y + radius_m),
                *(*scope.levels, *values),
                *nearest_first(centre, most),
            ),
        )
        return inside(found, centre, radius_m)

    def children(self, node_id: str) -> list[Node]:
        query = 'WHERE parent = ? ORDER BY node_id COLLATE "C"'
        return self._select(query, (node_id,)) if node_id else []

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        if not vector.any():
            return []
        (other,) = self._one(
            'SELECT vector_dims(embedding) FROM nodes WHERE embedding IS NOT NULL LIMIT 1', ()
        ) or (0,)
        if other != len(vector):
            return []
        where, values = conditions(scope)
        literal = _vector(vector)
        rows = self._all(
            'SELECT node_id, 1 - (embedding <=> ?::vector) FROM nodes '
            'WHERE embedding IS NOT NULL '
            f'AND level BETWEEN ? AND ?{where} ORDER BY embedding <=> ?::vector, nid LIMIT ?',
            (literal, *scope.levels, *values, literal, limit),
        )
        return [(each, 0.0 if math.isnan(cosine) else float(cosine)) for each, cosine in rows]

    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        counts = self._document_counts(text)
        rare = [token for token, count in counts.items() if 0 < count <= COMMON]
        where, values = conditions(scope)
        rows = self._all(
            'SELECT node_id, words FROM nodes WHERE words && ? '
            f'AND level BETWEEN ? AND ?{where} ORDER BY nid',
            (rare, *scope.levels, *values),
        )
        size = self.count(Scope(retracted=True, poses=True))
        weights = {
            token: math.log1p((size - counts[token] + 0.5) / (counts[token] + 0.5))
            for token in rare
        }
        mean = sum(len(document) for _, document in rows) / (len(rows) or 1)
        scored = [(bm25(weights, document, mean), node_id) for node_id, document in rows]
        return [each for _, each in sorted(scored, key=lambda pair: -pair[0])[:limit]]

    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        where, values = self._among('one.node_id', ids)
        far = radius_m
        return self._neighbours(
            'SELECT one.node_id, other.node_id FROM nodes AS one JOIN nodes AS other ON '
            'point(other.x, other.y) <@ box(point(one.x - ?, one.y - ?), '
            f'point(one.x + ?, one.y + ?)) WHERE {where} {NEAR}',
            (far, far, far, far, *values, far * far),
        )

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _document_counts(self, text: str) -> dict[str, int]:
        """Return the number of nodes with each token of a text."""
        distinct = list(dict.fromkeys(tokens(text)))
        rows = self._all(
            'SELECT word, (SELECT count(*) FROM nodes WHERE words @> ARRAY[word]) '
            'FROM unnest(?::text[]) AS word',
            (distinct,),
        )
        return {token: int(count) for token, count in rows}

    def _items(
        self, level: int, box: Bounds, frame_id: str, map_epoch: int
    ) -> tuple[str, tuple[Any, ...]]:
        return (
            'WHERE level < ? AND parent_level >= ? AND point(x, y) <@ box(point(?, ?), '
            'point(?, ?)) AND x < ? AND y < ? AND frame_id = ? AND map_epoch = ? '
            f"AND state <> 'RETRACTED' AND {NO_POSE}",
            (level, level, *box, box[2], box[3], frame_id, map_epoch),
        )

    def _among(self, column: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        return f'{column} = ANY(?)', (list(ids),)

    def _all(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._guarded():
            cursor = self._usable().execute(query.replace('?', '%s').encode(), values)
            return cursor.fetchall() if cursor.description else []

    def _usable(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Return the connection; a new one where the old one is lost."""
        if self._connection is None or (self._connection.closed and not self._depth):
            self._open()
        assert self._connection is not None
        return self._connection

    def _open(self) -> None:
        self._connection = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=CONNECT_TIMEOUT_S,
            keepalives_idle=SILENT_S // 2,
            keepalives_interval=1,
            keepalives_count=SILENT_S // 2,
            tcp_user_timeout=SILENT_S * 1000,
        )
        schema = (files('embodied_nav.store') / 'postgres.sql').read_text(encoding='utf-8')
        with self._connection.transaction():
            self._connection.execute('SELECT pg_advisory_xact_lock(%s)', (LOCK,))
            self._connection.execute(schema.encode())

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            is_lost = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
            raise (StoreUnusableError if is_lost else MemoryStoreError)(
                f'The memory at {self._where} cannot be used ({one_line(str(error))[:300]}): '
                'start the server, or set memory.store to a file.'
            ) from None


_QUOTED = re.compile('".*"', re.DOTALL)
_ESCAPED = re.compile(r'\w+://(?:[^/@]*@)?[^@?]*(?:\?.*)?')  # no @ but the one before the host


def _parsed(address: str) -> dict[str, Any]:
    """Return the parts of an address.

    Raises:
        MemoryStoreError: It is none. What libpq quotes of it, such as a password, is left out.
    """
    try:
        parts = conninfo_to_dict(address)
    except psycopg.ProgrammingError as error:
        reason = one_line(_QUOTED.sub('…', str(error)))[:300]
    else:
        if _ESCAPED.fullmatch(address):
            return parts
        reason = 'in a password @ is written as %40, and / as %2F'
    where = without_secrets(address.replace(' ', '%20'))
    raise MemoryStoreError(
        f'{where!r} is no address of PostgreSQL ({reason}): '
        'write memory.store as postgresql://USER@HOST/DATABASE.'
    )


def bm25(weights: dict[str, float], document: Sequence[str], mean: float) -> float:
    """Return the Okapi BM25 score (k1 1.2, b 0.75) of a document's tokens."""
    damp = 1.2 * (0.25 + 0.75 * len(document) / (mean or 1.0))
    return sum(
        weight * 2.2 * count / (count + damp)
        for token, weight in weights.items()
        if (count := document.count(token))
    )


def _vector(vector: Vector | None) -> str | None:
    return (
        None
        if vector is None or not len(vector)
        else '[' + ','.join(map(repr, map(float, vector))) + ']'
    )
