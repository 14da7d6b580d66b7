"""Records as rows: each class of record has a table, each of its fields a column.

SQLite finds damage of its pages' structure, not of what stands in them. So each row has the CRC-32
of its values, and a row that does not fit it is reported instead of being believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import Enum
import json
import math
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from bt_executive.core import journal_records as kinds
from bt_executive.core.journal_records import Record
from bt_executive.journal.schema import checksum
from rover_common.json_text import read_json
from rover_common.printable import sendable

Column = str | int | float | None
Kind = TypeVar('Kind', bound=Record, covariant=True)
TABLES: dict[type[Record], str] = {
    kinds.LifeBegan: 'lives',
    kinds.LifeEnded: 'life_ends',
    kinds.GoalReceived: 'goals',
    kinds.GoalMoved: 'goal_moves',
    kinds.GoalEnded: 'goal_ends',
    kinds.BudgetUsed: 'budgets',
    kinds.Proposed: 'proposals',
    kinds.Judged: 'verdicts',
    kinds.RoundEnded: 'round_ends',
    kinds.ApprovalAsked: 'approvals',
    kinds.ApprovalChanged: 'approval_changes',
    kinds.CallOpened: 'calls',
    kinds.CallChanged: 'call_changes',
    kinds.LeaseChanged: 'leases',
    kinds.PermitChanged: 'permits',
    kinds.ModeChanged: 'modes',
    kinds.Message: 'messages',
    kinds.TraceReference: 'trace_references',
}
SCALARS = (bool, int, float, str)


class DamagedRowError(Exception):
    """A row is not what was written; the text is a sentence that names it."""


@dataclass(frozen=True)
class Stamp:
    """When something was entered, in s on each clock; see `rover_common.clocks.Now`.

    `system_s`: time of day, since 1970 (UTC).
    """

    ros_s: float
    robot_s: float
    steady_s: float
    system_s: float


@dataclass(frozen=True)
class Entry(Generic[Kind]):
    """A record with its place. `number` counts all entries of the file, `life` its executives."""

    number: int
    life: int
    at: Stamp
    record: Kind


class Table(Generic[Kind]):
    """How one class of records is written and read."""

    def __init__(self, kind: type[Kind], name: str) -> None:
        self.name = name
        hints = get_type_hints(kind)
        self._scalars = {each.name: _scalar(hints[each.name]) for each in fields(kind)}
        self._adapter: TypeAdapter[Kind] = TypeAdapter(kind)
        places = ['entry', 'life', *(each.name for each in fields(Stamp))]
        self.columns = (*places, *self._scalars, 'crc32')
        marks = ', '.join('?' * len(self.columns))
        self.insert = f'INSERT INTO {name} ({", ".join(self.columns)}) VALUES ({marks})'
        self.select = f'SELECT {", ".join(f"{name}.{each}" for each in self.columns)} FROM {name}'

    def row(self, entry: Entry[Record]) -> tuple[Column, ...]:
        """The values of an entry's columns.

        Raises:
            ValueError, TypeError, RecursionError: A field holds what cannot be written.
        """
        at = entry.at
        values = (
            entry.number,
            entry.life,
            *(_stored(each) for each in (at.ros_s, at.robot_s, at.steady_s, at.system_s)),
            *(
                _written(getattr(entry.record, name), scalar)
                for name, scalar in self._scalars.items()
            ),
        )
        return (*values, self._checksum(values))

    def entry(self, row: Sequence[Any]) -> Entry[Kind]:
        """The entry of a row.

        Raises:
            DamagedRowError: It is not what was written.
        """
        number, life, *rest = row
        where = f'entry {number} of table {self.name}'
        if self._checksum(row[:-1]) != row[-1]:
            raise DamagedRowError(f'{where} does not fit its checksum')
        stamps = len(fields(Stamp))
        pairs = zip(self._scalars.items(), rest[stamps:-1], strict=True)
        try:
            values = {name: _read(value, scalar) for (name, scalar), value in pairs}
            record = self._adapter.validate_python(values)
        except (ValidationError, ValueError) as error:
            raise DamagedRowError(f'{where} cannot be read: {error}') from None
        return Entry(number, life, Stamp(*rest[:stamps]), record)

    def _checksum(self, values: Sequence[Any]) -> int:
        return checksum(self.name, *values)


def table_of(kind: type[Kind]) -> Table[Kind]:
    """The table of a class of records."""
    return cast(Table[Kind], _TABLES[kind])


def all_tables() -> tuple[Table[Record], ...]:
    """Every table of records."""
    return tuple(_TABLES.values())


def _scalar(hint: Any) -> type | None:
    """The type of a column that is one value; None for what is written as JSON."""
    if get_origin(hint) is UnionType:
        (hint,) = (each for each in get_args(hint) if each is not NoneType)
    if get_origin(hint) is Literal:
        return str
    return hint if hint in SCALARS else None


def _written(value: Any, scalar: type | None) -> Column:
    if value is None:
        return None
    if scalar is None:
        text = json.dumps(value, ensure_ascii=False, separators=(',', ':'), default=_plain)
        return sendable(text)
    if scalar is float:
        return _stored(value)
    return sendable(value) if scalar is str else int(value)


def _stored(value: float) -> float | None:
    """The number as SQLite gives it back: it knows neither NaN nor a negative zero."""
    return None if math.isnan(value) else float(value) + 0.0


def _read(value: Any, scalar: type | None) -> Any:
    if value is None or scalar in (str, int, float):
        return value
    return bool(value) if scalar is bool else read_json(value)


def _plain(value: Any) -> Any:
    """What JSON has no form for, in the nearest one; a guard may have seen anything."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


_TABLES: dict[type[Record], Table[Record]] = {
    kind: Table(kind, name) for kind, name in TABLES.items()
}
