"""The vectors of a SQLite file in RAM: exact search by one product of a matrix with a vector.

Up to 100,000 nodes this is as fast as reading the numbers once, which no exact search beats
(docs/decisions/0041-the-store-of-the-memory.md). Things and areas are stored apart: most queries
are for things, and then only their numbers are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.nodes_of_forest import RETRIEVED, NodeState
from embodied_nav.store.memory_store import Scope, Vector
from rover_common.errors import MemoryStoreError

FIRST_ROWS = 256
FEW = 8  # with so many times fewer rows than all, they are copied and read instead of all
# id, kind, level, epoch, frame, state, x, y
Row = tuple[str, str, int, int, str, str, float, float]


class VectorScan:
    """The vectors of all nodes, with the columns that a scope filters by."""

    def __init__(self) -> None:
        self._things, self._areas = VectorTable(), VectorTable()

    def load(self, rows: Sequence[Row], vectors: Vector, has_vector: Sequence[bool]) -> None:
        """Replace all rows."""
        self._things, self._areas = VectorTable(), VectorTable()
        is_area = np.array([row[2] > 0 for row in rows], np.bool_)
        without_vector = ~np.array(has_vector, np.bool_)
        for table, mask in ((self._things, ~is_area), (self._areas, is_area)):
            selected = [row for row, is_selected in zip(rows, mask.tolist(), strict=True)
                        if is_selected]  # fmt: skip
            table.load(selected, vectors, np.flatnonzero(mask), without_vector[mask])

    def put(self, row: Row, vector: Vector | None) -> None:
        """Add or replace one.

        Raises:
            MemoryStoreError: The vector is not as long as the others.
        """
        table, other = (self._areas, self._things) if row[2] > 0 else (self._things, self._areas)
        if vector is not None:
            for each in self._both:
                each.check(len(vector))
            for each in self._both:  # one without a vector has the length of the other
                each.fit(len(vector))
        other.delete((row[0],))
        table.put(row, vector)

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Delete the vectors of these nodes, or of all."""
        for table in self._both:
            table.forget_vectors(ids)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete nodes."""
        for table in self._both:
            table.delete(ids)

    def vectors(self, ids: Sequence[str]) -> Vector:
        """Return one row per id; zeros where there is none."""
        found = np.zeros((len(ids), max(table.width for table in self._both)), np.float32)
        for table in self._both:
            table.fill(found, ids)
        return found

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Return ids and cosines, best first; of equal ones things, then the lower row."""
        low, high = scope.levels
        found = self._things.nearest(vector, scope, limit) if low <= 0 else []
        if high > 0:
            found += self._areas.nearest(vector, scope, limit)
        return sorted(found, key=lambda each: -each[1])[:limit]

    def in_scope(self, ids: Sequence[str], scope: Scope) -> list[str]:
        """Return the nodes that are in a scope, in their order."""
        found = {each for table in self._both for each in table.in_scope(ids, scope)}
        return [each for each in ids if each in found]

    @property
    def _both(self) -> tuple[VectorTable, VectorTable]:
        return self._things, self._areas


class VectorTable:
    """The vectors of things, or of areas. A freed row is reused."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._free: list[int] = []
        self._frames: dict[str, int] = {'': -1}
        self._matrix: Vector = np.zeros((0, 0), np.float32)
        self._level = np.zeros(0, np.int8)  # -1: a free row
        self._retracted = np.zeros(0, np.bool_)
        self._pose = np.zeros(0, np.bool_)
        self._without_vector = np.zeros(0, np.bool_)
        self._epoch = np.zeros(0, np.int64)
        self._frame = np.zeros(0, np.int16)
        self._place = np.zeros((0, 2))
        self._last: tuple[bytes, Vector] | None = None  # vector of a query, and its cosines

    @property
    def width(self) -> int:
        """The length of a vector; 0 before the first one."""
        return int(self._matrix.shape[1])

    def load(
        self,
        rows: Sequence[Row],
        vectors: Vector,
        indices: NDArray[np.intp],
        without_vector: NDArray[np.bool_],
    ) -> None:
        """Fill an empty table.

        Args:
            rows: Of this table.
            vectors: Of all nodes.
            indices: Of the rows in them.
            without_vector: Which rows have none.
        """
        if not rows:
            return
        ids, kind, level, epoch, frame, state, x, y = zip(*rows, strict=True)
        count = len(rows)
        self._grow(count + max(FIRST_ROWS, count // 8), vectors.shape[1])
        self._ids = list(ids)
        self._rows = {each: row for row, each in enumerate(ids)}
        np.take(vectors, indices, axis=0, out=self._matrix[:count], mode='clip')
        self._without_vector[:count] = without_vector
        self._level[:count] = level
        self._epoch[:count] = epoch
        numbers = {name: self._number(name) for name in set(frame)}
        self._frame[:count] = [numbers[each] for each in frame]
        retracted = NodeState.RETRACTED.value
        self._retracted[:count] = [each == retracted for each in state]
        self._pose[:count] = [each not in RETRIEVED for each in kind]
        self._place[:count] = np.column_stack((x, y))

    def put(self, row: Row, vector: Vector | None) -> None:
        """Add or replace one."""
        node_id, kind, level, epoch, frame, state, x, y = row
        at = self._rows.get(node_id)
        if at is None:
            at = self._free_row()
            self._rows[node_id] = at
            self._ids[at] = node_id
            self._without_vector[at] = True
        if vector is not None:
            self._matrix[at] = vector
            self._without_vector[at] = False
            self._last = None
        self._level[at], self._epoch[at] = level, epoch
        self._frame[at] = self._number(frame)
        self._retracted[at] = state == NodeState.RETRACTED.value
        self._pose[at] = kind not in RETRIEVED
        self._place[at] = (x, y)

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Delete the vectors of these nodes, or of all."""
        self._last = None
        if ids is None:
            self._matrix = np.zeros((len(self._matrix), 0), np.float32)
            self._without_vector[:] = True
            return
        at = [self._rows[each] for each in ids if each in self._rows]
        self._matrix[at], self._without_vector[at] = 0.0, True

    def delete(self, ids: Iterable[str]) -> None:
        """Delete nodes."""
        for node_id in ids:
            at = self._rows.pop(node_id, None)
            if at is not None:
                self._level[at] = -1
                self._free.append(at)

    def fill(self, found: Vector, ids: Sequence[str]) -> None:
        """Fill in the vectors of these nodes, as far as they are in this table."""
        places = np.array([self._rows.get(each, -1) for each in ids], np.intp)
        if self.width:
            found[places >= 0] = self._matrix[places[places >= 0]]

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Return ids and cosines, best first; of equal ones, the lower row."""
        if not self._rows or len(vector) != self._matrix.shape[1] or not vector.any():
            return []
        rows = np.flatnonzero(self._mask(scope) & ~self._without_vector)
        cosines = self._cosines(vector, rows)
        return [(self._ids[rows[at]], float(cosines[at])) for at in _largest(cosines, limit)]

    def _cosines(self, vector: Vector, rows: NDArray[np.intp]) -> Vector:
        """Return the cosines of rows.

        A query is often run in several scopes: all rows are read once at most, and of a small area
        only its own ones.
        """
        key = vector.tobytes()
        found: Vector
        if self._last is None or self._last[0] != key:
            if len(rows) * FEW < len(self._matrix):
                found = np.einsum('ij,j->i', self._matrix[rows], vector)
                return found
            # Not `@`: on a busy machine the threads of BLAS wait for each other.
            self._last = key, np.einsum('ij,j->i', self._matrix, vector)
        found = self._last[1][rows]
        return found

    def in_scope(self, ids: Sequence[str], scope: Scope) -> list[str]:
        """Return the nodes that are in this table and in a scope."""
        own = [each for each in ids if each in self._rows]
        mask = self._mask(scope, [self._rows[each] for each in own])
        return [each for each, is_in in zip(own, mask.tolist(), strict=True) if is_in]

    def _mask(self, scope: Scope, rows: slice | list[int] = slice(None)) -> NDArray[np.bool_]:
        level, place = self._level[rows], self._place[rows]
        mask = (level >= scope.levels[0]) & (level <= scope.levels[1])
        if not scope.retracted:
            mask &= ~self._retracted[rows]
        if not scope.poses:
            mask &= ~self._pose[rows]
        if scope.frame_id:
            mask &= self._frame[rows] == self._number(scope.frame_id)
        if scope.map_epoch is not None:
            mask &= self._epoch[rows] == scope.map_epoch
        if scope.within:
            low_x, low_y, high_x, high_y = scope.within
            mask &= (place[:, 0] >= low_x) & (place[:, 0] <= high_x)
            mask &= (place[:, 1] >= low_y) & (place[:, 1] <= high_y)
        return mask

    def _number(self, frame: str) -> int:
        return self._frames.setdefault(frame, len(self._frames))

    def check(self, dimensions: int) -> None:
        """Raise MemoryStoreError if there are vectors of another length."""
        if dimensions == self.width or not self.width:
            return
        if not self._without_vector[[*self._rows.values()]].all():
            raise MemoryStoreError(
                f'A vector has {dimensions} numbers, those of this memory {self.width}: the '
                'embedding model was changed under its name.'
            )

    def fit(self, dimensions: int) -> None:
        """Set the length of the rows, where none has a vector yet."""
        if dimensions == self.width:
            return
        self._last = None
        self._matrix = np.zeros((len(self._matrix), dimensions), np.float32)

    def _free_row(self) -> int:
        if self._free:
            return self._free.pop()
        at = len(self._ids)
        if at == len(self._matrix):
            self._grow(max(FIRST_ROWS, 2 * at), self._matrix.shape[1])
        self._ids.append('')
        return at

    def _grow(self, rows: int, dimensions: int) -> None:
        self._last = None
        more = rows - len(self._matrix)
        matrix = np.zeros((rows, dimensions), np.float32)
        matrix[: len(self._matrix), : self._matrix.shape[1]] = self._matrix
        self._matrix = matrix
        self._level = np.concatenate((self._level, np.full(more, -1, np.int8)))
        self._retracted = np.concatenate((self._retracted, np.zeros(more, np.bool_)))
        self._pose = np.concatenate((self._pose, np.zeros(more, np.bool_)))
        self._without_vector = np.concatenate((self._without_vector, np.ones(more, np.bool_)))
        self._epoch = np.concatenate((self._epoch, np.zeros(more, np.int64)))
        self._frame = np.concatenate((self._frame, np.zeros(more, np.int16)))
        self._place = np.concatenate((self._place, np.zeros((more, 2))))


def _largest(values: NDArray[np.float32], limit: int) -> list[int]:
    if limit < len(values):
        candidates = np.argpartition(-values, limit)[:limit]
    else:
        candidates = np.arange(len(values))
    order = np.lexsort((candidates, -values[candidates]))
    return [int(each) for each in candidates[order]]
