"""The vectors of a SQLite file in RAM: exact search by one product of a matrix with a vector.

Up to 100,000 nodes this is as fast as reading the numbers once, and nothing beats it there that
gives the exact answer (docs/decisions/0041-the-store-of-the-memory.md). Things and areas lie
apart: most questions are about things, and then only their numbers are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.nodes_of_forest import NodeState
from embodied_nav.store.memory_store import Scope, Vector
from rover_common.errors import MemoryStoreError

FIRST_ROWS = 256
FEW = 8  # times fewer than all: such rows are copied and read instead of all
Row = tuple[str, int, int, str, str, float, float]  # id, level, epoch, frame, state, x, y


class VectorScan:
    """The vectors of all nodes, with what a scope asks of them."""

    def __init__(self) -> None:
        self._things, self._areas = Shelf(), Shelf()

    def __len__(self) -> int:
        return len(self._things) + len(self._areas)

    def load(self, rows: Sequence[Row], vectors: Vector, has_vector: Sequence[bool]) -> None:
        """Takes many at once; what was there before is forgotten."""
        self._things, self._areas = Shelf(), Shelf()
        area = np.array([row[1] > 0 for row in rows], np.bool_)
        bare = ~np.array(has_vector, np.bool_)
        for shelf, mine in ((self._things, ~area), (self._areas, area)):
            some = [row for row, is_mine in zip(rows, mine.tolist(), strict=True) if is_mine]
            shelf.load(some, vectors, np.flatnonzero(mine), bare[mine])

    def put(self, row: Row, vector: Vector | None) -> None:
        """Adds or replaces one.

        Raises:
            MemoryStoreError: The vector is not as long as the others.
        """
        shelf, other = (self._areas, self._things) if row[1] > 0 else (self._things, self._areas)
        if vector is not None:
            other.check(len(vector))
        other.delete((row[0],))
        shelf.put(row, vector)

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Of these nodes, or of all."""
        for shelf in self._both:
            shelf.forget_vectors(ids)

    def delete(self, ids: Sequence[str]) -> None:
        """Forgets nodes."""
        for shelf in self._both:
            shelf.delete(ids)

    def vectors(self, ids: Sequence[str]) -> Vector:
        """One row per id; zeros where there is none."""
        found = np.zeros((len(ids), max(shelf.width for shelf in self._both)), np.float32)
        for shelf in self._both:
            shelf.fill(found, ids)
        return found

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines, best first; of equal ones things, and what was filled first."""
        low, high = scope.levels
        found = self._things.nearest(vector, scope, limit) if low <= 0 else []
        if high > 0:
            found += self._areas.nearest(vector, scope, limit)
        return sorted(found, key=lambda each: -each[1])[:limit]

    def admitted(self, ids: Sequence[str], scope: Scope) -> list[str]:
        """Those of some nodes that are in a scope, in their order."""
        found = {each for shelf in self._both for each in shelf.admitted(ids, scope)}
        return [each for each in ids if each in found]

    @property
    def _both(self) -> tuple[Shelf, Shelf]:
        return self._things, self._areas


class Shelf:
    """Rows of vectors of one kind. A freed row is used again."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._free: list[int] = []
        self._frames: dict[str, int] = {'': -1}
        self._matrix: Vector = np.zeros((0, 0), np.float32)
        self._level = np.zeros(0, np.int8)  # -1: a free row
        self._gone = np.zeros(0, np.bool_)
        self._bare = np.zeros(0, np.bool_)  # without a vector
        self._epoch = np.zeros(0, np.int64)
        self._frame = np.zeros(0, np.int16)
        self._place = np.zeros((0, 2))
        self._last: tuple[bytes, Vector] | None = None  # a question's vector, and its cosines

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def width(self) -> int:
        """How many numbers a vector has; 0 before the first one."""
        return int(self._matrix.shape[1])

    def load(
        self,
        rows: Sequence[Row],
        vectors: Vector,
        places: NDArray[np.intp],
        bare: NDArray[np.bool_],
    ) -> None:
        """Takes many at once, into an empty shelf.

        Args:
            rows: Of this shelf.
            vectors: Of all nodes.
            places: Where in them the vectors of this shelf are.
            bare: Which rows have none.
        """
        if not rows:
            return
        ids, level, epoch, frame, state, x, y = zip(*rows, strict=True)
        count = len(rows)
        self._grow(count + max(FIRST_ROWS, count // 8), vectors.shape[1])
        self._ids = list(ids)
        self._rows = {each: row for row, each in enumerate(ids)}
        np.take(vectors, places, axis=0, out=self._matrix[:count], mode='clip')
        self._bare[:count] = bare
        self._level[:count] = level
        self._epoch[:count] = epoch
        numbers = {name: self._number(name) for name in set(frame)}
        self._frame[:count] = [numbers[each] for each in frame]
        gone = NodeState.RETRACTED.value
        self._gone[:count] = [each == gone for each in state]
        self._place[:count] = np.column_stack((x, y))

    def put(self, row: Row, vector: Vector | None) -> None:
        """Adds or replaces one."""
        node_id, level, epoch, frame, state, x, y = row
        at = self._rows.get(node_id)
        if at is None:
            at = self._room()
            self._rows[node_id] = at
            self._ids[at] = node_id
            self._bare[at] = True
        if vector is not None:
            self._fit(len(vector))
            self._matrix[at] = vector
            self._bare[at] = False
            self._last = None
        self._level[at], self._epoch[at] = level, epoch
        self._frame[at] = self._number(frame)
        self._gone[at] = state == NodeState.RETRACTED.value
        self._place[at] = (x, y)

    def forget_vectors(self, ids: Sequence[str] | None = None) -> None:
        """Of these nodes, or of all."""
        self._last = None
        if ids is None:
            self._matrix = np.zeros((len(self._matrix), 0), np.float32)
            self._bare[:] = True
            return
        at = [self._rows[each] for each in ids if each in self._rows]
        self._matrix[at], self._bare[at] = 0.0, True

    def delete(self, ids: Iterable[str]) -> None:
        """Frees rows."""
        for node_id in ids:
            at = self._rows.pop(node_id, None)
            if at is not None:
                self._level[at] = -1
                self._free.append(at)

    def fill(self, found: Vector, ids: Sequence[str]) -> None:
        """Puts the vectors of these nodes, as far as they are here, into their rows."""
        places = np.array([self._rows.get(each, -1) for each in ids], np.intp)
        if self.width:
            found[places >= 0] = self._matrix[places[places >= 0]]

    def nearest(self, vector: Vector, scope: Scope, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines, best first; of equal ones, the row that was filled first."""
        if not self._rows or len(vector) != self._matrix.shape[1] or not vector.any():
            return []
        rows = np.flatnonzero(self._mask(scope) & ~self._bare)
        cosines = self._cosines(vector, rows)
        return [(self._ids[rows[at]], float(cosines[at])) for at in _largest(cosines, limit)]

    def _cosines(self, vector: Vector, rows: NDArray[np.intp]) -> Vector:
        """Of these rows. A question is often asked of several scopes: reads all rows once at most.

        Of a small area only its own rows are read.
        """
        asked = vector.tobytes()
        if self._last is None or self._last[0] != asked:
            if len(rows) * FEW < len(self._matrix):
                few: Vector = np.einsum('ij,j->i', self._matrix[rows], vector)
                return few
            # Not `@`: on a busy machine the threads of BLAS wait for each other.
            self._last = asked, np.einsum('ij,j->i', self._matrix, vector)
        some: Vector = self._last[1][rows]
        return some

    def admitted(self, ids: Sequence[str], scope: Scope) -> list[str]:
        """Those of some nodes that are here and in a scope."""
        mine = [each for each in ids if each in self._rows]
        fits = self._mask(scope, [self._rows[each] for each in mine])
        return [each for each, is_fit in zip(mine, fits.tolist(), strict=True) if is_fit]

    def _mask(self, scope: Scope, rows: slice | list[int] = slice(None)) -> NDArray[np.bool_]:
        level, place = self._level[rows], self._place[rows]
        mask = (level >= scope.levels[0]) & (level <= scope.levels[1])
        if not scope.retracted:
            mask &= ~self._gone[rows]
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
        """Raises MemoryStoreError if there are vectors of another length."""
        if dimensions == self.width or not self.width:
            return
        if not self._bare[[*self._rows.values()]].all():
            raise MemoryStoreError(
                f'A vector has {dimensions} numbers, those of this memory {self.width}: the '
                'embedding model was changed under its name.'
            )

    def _fit(self, dimensions: int) -> None:
        """Makes the rows so long, where none has a vector yet."""
        if dimensions == self.width:
            return
        self.check(dimensions)
        self._last = None
        self._matrix = np.zeros((len(self._matrix), dimensions), np.float32)

    def _room(self) -> int:
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
        self._gone = np.concatenate((self._gone, np.zeros(more, np.bool_)))
        self._bare = np.concatenate((self._bare, np.ones(more, np.bool_)))
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
