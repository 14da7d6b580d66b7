"""The memory of a fleet: one PostgreSQL with pgvector, which every rover writes and asks.

A change is seen by the others as soon as it is made. Writers wait for each other on one lock of
the database, so that the forest stays one; what is read is never locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
import math
from typing import Any

import numpy as np
import psycopg
from psycopg.conninfo import conninfo_to_dict

from embodied_nav.embedding.coverage import covered, word_weights
from embodied_nav.embedding.tokens import head_of, tokens
from embodied_nav.store.port import Scope, Sighting, Vector
from embodied_nav.store.rows import (
    COLUMNS,
    SIGHTING,
    node_of,
    row_of,
    row_of_sighting,
    sighting_of,
)
from embodied_nav.store.sqlite_store import COMMON, KEPT_SIGHTINGS
from embodied_nav.values import Bounds, Node, Position
from rover_common.errors import MemoryStoreError
from rover_common.printable import one_line

PATIENCE_S = 5  # for a connection
LOCK = int.from_bytes(b'btem', 'big')
SELECT = f'SELECT {", ".join(COLUMNS)} FROM nodes'
FILLED = (*COLUMNS, 'words')
UPSERT = (
    f'INSERT INTO nodes ({", ".join((*FILLED, "embedding"))}) '
    f'VALUES ({", ".join(["%s"] * len(FILLED))}, %s::vector) ON CONFLICT (node_id) DO UPDATE SET '
    + ', '.join(f'{each} = EXCLUDED.{each}' for each in FILLED[1:])
    + ', embedding = coalesce(EXCLUDED.embedding, nodes.embedding)'
)


class PostgresStore:
    """Implements `MemoryStore`. `address`: postgresql://user@host/database."""

    def __init__(self, address: str) -> None:
        self._address = address
        known = conninfo_to_dict(address)
        self._where = f'{known.get("host", "localhost")}/{known.get("dbname", "")}'
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._depth = 0
        with self._guarded():
            self._open()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `MemoryStore.writing`."""
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

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """See `MemoryStore.get`."""
        wanted = list(ids)
        found = {node.node_id: node for node in self._select('WHERE node_id = ANY(%s)', (wanted,))}
        return {each: found[each] for each in wanted if each in found}

    def vectors(self, ids: Sequence[str]) -> Vector:
        """See `MemoryStore.vectors`."""
        query = 'SELECT node_id, embedding::text FROM nodes WHERE node_id = ANY(%s)'
        found = {
            node_id: np.fromstring(text[1:-1], np.float32, sep=',')
            for node_id, text in self._all(query, (list(ids),))
            if text is not None
        }
        width = max(map(len, found.values()), default=0)
        rows = [found.get(each, np.zeros(width, np.float32)) for each in ids]
        return np.array(rows, np.float32).reshape(len(rows), width)

    def put(self, node: Node, vector: Vector | None = None) -> None:
        """See `MemoryStore.put`."""
        row = (*row_of(node), tokens(node.text), _vector(vector))
        with self.writing():
            self._run(UPSERT, row)

    def put_all(self, nodes: Sequence[Node], vectors: Vector | None = None) -> None:
        """See `MemoryStore.put_all`."""
        with self.writing():
            for number, node in enumerate(nodes):
                self.put(node, None if vectors is None else vectors[number])

    def set_parents(self, children: Iterable[str], parent: str, parent_level: int) -> None:
        """See `MemoryStore.set_parents`."""
        query = 'UPDATE nodes SET parent = %s, parent_level = %s WHERE node_id = ANY(%s)'
        with self.writing():
            self._run(query, (parent, parent_level, list(children)))

    def delete(self, ids: Iterable[str]) -> None:
        """See `MemoryStore.delete`."""
        with self.writing():
            self._run('DELETE FROM nodes WHERE node_id = ANY(%s)', (list(ids),))

    def named(self, name: str, scope: Scope) -> list[Node]:
        """See `MemoryStore.named`."""
        where, values = _where(scope)
        return self._select(f'WHERE name = %s AND level = 0{where} ORDER BY nid', (name, *values))

    def items(self, stage: int, box: Bounds, frame_id: str, map_epoch: int) -> list[Node]:
        """See `MemoryStore.items`."""
        return self._select(
            'WHERE level < %s AND parent_level >= %s AND point(x, y) <@ box(point(%s, %s), '
            'point(%s, %s)) AND x < %s AND y < %s AND frame_id = %s AND map_epoch = %s '
            "AND state <> 'RETRACTED' AND kind IN ('object', 'cluster')",
            (stage, stage, *box, box[2], box[3], frame_id, map_epoch),
        )

    def within(self, centre: Position, radius_m: float, scope: Scope) -> list[Node]:
        """See `MemoryStore.within`."""
        x, y, _ = centre
        where, values = _where(scope)
        found = self._select(
            'WHERE point(x, y) <@ box(point(%s, %s), point(%s, %s)) '
            f'AND level BETWEEN %s AND %s{where}',
            (x - radius_m, y - radius_m, x + radius_m, y + radius_m, *scope.levels, *values),
        )
        apart = [(math.dist(node.position, centre), node.node_id, node) for node in found]
        near = [each for each in apart if each[0] <= radius_m]
        return [node for _, _, node in sorted(near, key=lambda each: each[:2])]

    def children(self, node_id: str) -> list[Node]:
        """See `MemoryStore.children`."""
        query = 'WHERE parent = %s ORDER BY node_id COLLATE "C"'
        return self._select(query, (node_id,)) if node_id else []

    def members(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """See `MemoryStore.members`."""
        found: dict[str, set[str]] = {each: set() for each in ids}
        query = 'SELECT parent, node_id FROM nodes WHERE parent = ANY(%s)'
        for parent, node_id in self._all(query, (list(ids),)):
            found[parent].add(node_id)
        return {each: frozenset(some) for each, some in found.items()}

    def nodes(self, scope: Scope) -> Iterator[Node]:
        """See `MemoryStore.nodes`."""
        where, values = _where(scope)
        yield from self._select(
            f'WHERE level BETWEEN %s AND %s{where} ORDER BY level, nid', (*scope.levels, *values)
        )

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """See `MemoryStore.nearest`."""
        if not vector.any():
            return []
        where, values = _where(scope)
        asked = _vector(vector)
        rows = self._all(
            'SELECT node_id, 1 - (embedding <=> %s::vector) FROM nodes '
            'WHERE embedding IS NOT NULL '
            f'AND level BETWEEN %s AND %s{where} ORDER BY embedding <=> %s::vector, nid LIMIT %s',
            (asked, *scope.levels, *values, asked, limit),
        )
        return [(each, 0.0 if math.isnan(cosine) else float(cosine)) for each, cosine in rows]

    def lexical(self, text: str, scope: Scope, limit: int) -> list[str]:
        """See `MemoryStore.lexical`."""
        times = self._times(text)
        rare = [word for word, count in times.items() if 0 < count <= COMMON]
        where, values = _where(scope)
        rows = self._all(
            'SELECT node_id, words FROM nodes WHERE words && %s AND embedding IS NOT NULL '
            f'AND level BETWEEN %s AND %s{where} ORDER BY nid',
            (rare, *scope.levels, *values),
        )
        weights = word_weights({word: times[word] for word in rare}, self._size())
        mean = sum(len(words) for _, words in rows) / (len(rows) or 1)
        scored = [(bm25(weights, words, mean), node_id) for node_id, words in rows]
        return [each for _, each in sorted(scored, key=lambda pair: -pair[0])[:limit]]

    def coverage(self, text: str, ids: Sequence[str]) -> list[float]:
        """See `MemoryStore.coverage`."""
        weights = word_weights(self._times(text), self._size(), head_of(text))
        query = 'SELECT node_id, words FROM nodes WHERE node_id = ANY(%s)'
        found = dict(self._all(query, (list(ids),)))
        return [covered(weights, found.get(each, ())) for each in ids]

    def neighbours(self, ids: Sequence[str], radius_m: float) -> dict[str, tuple[str, ...]]:
        """See `MemoryStore.neighbours`."""
        rows = self._all(
            'SELECT one.node_id, other.node_id FROM nodes AS one JOIN nodes AS other ON '
            'point(other.x, other.y) <@ box(point(one.x - %s, one.y - %s), '
            'point(one.x + %s, one.y + %s)) WHERE one.node_id = ANY(%s) '
            "AND other.state <> 'RETRACTED' AND other.kind = one.kind AND other.level = one.level "
            'AND other.node_id <> one.node_id AND other.frame_id = one.frame_id '
            'AND other.map_epoch = one.map_epoch AND (other.x - one.x) * (other.x - one.x) '
            '+ (other.y - one.y) * (other.y - one.y) + (other.z - one.z) * (other.z - one.z) '
            '<= %s ORDER BY other.nid',
            (radius_m, radius_m, radius_m, radius_m, list(ids), radius_m * radius_m),
        )
        found: dict[str, list[str]] = {}
        for one, other in rows:
            found.setdefault(one, []).append(other)
        return {one: tuple(others) for one, others in found.items()}

    def sighting(self, observation_id: str) -> Sighting | None:
        """See `MemoryStore.sighting`."""
        query = f'SELECT {SIGHTING} FROM sightings WHERE observation_id = %s'
        found = self._all(query, (observation_id,)) if observation_id else []
        return sighting_of(found[0]) if found else None

    def add_sighting(self, sighting: Sighting) -> None:
        """See `MemoryStore.add_sighting`."""
        row = row_of_sighting(sighting)
        marks = ', '.join(['%s'] * len(row))
        with self.writing():
            self._run(f'INSERT INTO sightings ({SIGHTING}) VALUES ({marks})', row)
            self._run(
                'DELETE FROM sightings WHERE node_id = %s AND number <= (SELECT number FROM '
                'sightings WHERE node_id = %s ORDER BY number DESC LIMIT 1 OFFSET %s)',
                (sighting.node_id, sighting.node_id, KEPT_SIGHTINGS),
            )

    def sightings(self, node_id: str) -> list[Sighting]:
        """See `MemoryStore.sightings`."""
        query = f'SELECT {SIGHTING} FROM sightings WHERE node_id = %s ORDER BY number'
        return [sighting_of(row) for row in self._all(query, (node_id,))]

    def next_number(self, counter: str) -> int:
        """See `MemoryStore.next_number`."""
        with self.writing():
            query = (
                'INSERT INTO counters VALUES (%s, 1) ON CONFLICT (name) '
                'DO UPDATE SET number = counters.number + 1 RETURNING number'
            )
            return int(self._all(query, (counter,))[0][0])

    def meta(self, key: str) -> str:
        """See `MemoryStore.meta`."""
        found = self._all('SELECT value FROM meta WHERE key = %s', (key,))
        return str(found[0][0]) if found else ''

    def set_meta(self, key: str, value: str) -> None:
        """See `MemoryStore.set_meta`."""
        query = (
            'INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = '
            'EXCLUDED.value'
        )
        with self.writing():
            self._run(query, (key, value))

    def count(self, scope: Scope) -> int:
        """See `MemoryStore.count`."""
        where, values = _where(scope)
        query = f'SELECT count(*) FROM nodes WHERE level BETWEEN %s AND %s{where}'
        return int(self._all(query, (*scope.levels, *values))[0][0])

    def close(self) -> None:
        """See `MemoryStore.close`."""
        if self._connection is not None:
            self._connection.close()

    def _size(self) -> int:
        found = self._all('SELECT count(*) FROM nodes WHERE embedding IS NOT NULL', ())
        return int(found[0][0])

    def _times(self, text: str) -> dict[str, int]:
        words = list(dict.fromkeys(tokens(text)))
        rows = self._all(
            'SELECT word, (SELECT count(*) FROM nodes WHERE words @> ARRAY[word]) '
            'FROM unnest(%s::text[]) AS word',
            (words,),
        )
        return {word: int(count) for word, count in rows}

    def _select(self, rest: str, values: Sequence[Any]) -> list[Node]:
        return [node_of(row) for row in self._all(f'{SELECT} {rest}', values)]

    def _all(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._guarded():
            return self._usable().execute(query.encode(), values).fetchall()

    def _run(self, query: str, values: Sequence[Any]) -> None:
        with self._guarded():
            self._usable().execute(query.encode(), values)

    def _usable(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection; a new one where the old one is lost."""
        if self._connection is None or (self._connection.closed and not self._depth):
            self._open()
        assert self._connection is not None
        return self._connection

    def _open(self) -> None:
        self._connection = psycopg.connect(
            self._address, autocommit=True, connect_timeout=PATIENCE_S
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
            raise MemoryStoreError(
                f'The memory at {self._where} cannot be used ({one_line(str(error))[:300]}): '
                'start the server, or set memory.store to a file.'
            ) from None


def bm25(weights: dict[str, float], words: Sequence[str], mean: float) -> float:
    """Okapi BM25 (k1 1.2, b 0.75) of a document's words."""
    damp = 1.2 * (0.25 + 0.75 * len(words) / (mean or 1.0))
    return sum(
        weight * 2.2 * times / (times + damp)
        for word, weight in weights.items()
        if (times := words.count(word))
    )


def _vector(vector: Vector | None) -> str | None:
    return None if vector is None else '[' + ','.join(map(repr, map(float, vector))) + ']'


def _where(scope: Scope) -> tuple[str, list[Any]]:
    """What a scope asks of a row, besides its level."""
    parts: list[tuple[str, list[Any]]] = []
    if scope.frame_id:
        parts.append(('frame_id = %s', [scope.frame_id]))
    if scope.map_epoch is not None:
        parts.append(('map_epoch = %s', [scope.map_epoch]))
    if scope.within:
        low_x, low_y, high_x, high_y = scope.within
        box = 'x BETWEEN %s AND %s AND y BETWEEN %s AND %s'
        parts.append((box, [low_x, high_x, low_y, high_y]))
    if not scope.retracted:
        parts.append(("state <> 'RETRACTED'", []))
    return ''.join(f' AND {sql}' for sql, _ in parts), [each for _, some in parts for each in some]
