"""Writes and reads rows of the store, each with its checksum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
import math
import sqlite3
from typing import Any, NamedTuple

from bt_executive.core.store_port import Entry, InputLine
from bt_executive.core.stored_names import stored_fields
from bt_executive.store.sqlite_opening_and_faults import FILE_ERRORS
from bt_executive.store.store_schema import TABLES, VERSION, checksum, is_intact, version_of
from rover_common.clocks import Now
from rover_common.json_values import read_json, write_json
from rover_common.text_sanitizing import sendable

_TIMES = 'entry, run, ros_s, robot_s, steady_s, system_s'
PART_COLUMNS = f'part, {_TIMES}, value, crc32'
ENTRY_COLUMNS = f'{_TIMES}, kind, goal_id, goal_end, value, crc32'
WRITE_PART = (
    f'INSERT INTO parts ({PART_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) '
    'ON CONFLICT (part) DO UPDATE SET (entry, run, ros_s, robot_s, steady_s, system_s, value, '
    'crc32) = (excluded.entry, excluded.run, excluded.ros_s, excluded.robot_s, '
    'excluded.steady_s, excluded.system_s, excluded.value, excluded.crc32)'
)
DELETE_PART = 'DELETE FROM parts WHERE part = ?'
WRITE_ENTRY = f'INSERT INTO trace ({ENTRY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
INPUT_COLUMNS = f'{_TIMES}, event, nth, again, value, crc32'
WRITE_INPUT = f'INSERT INTO inputs ({INPUT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
WRITE_RUN = (
    'INSERT INTO runs (run, entry, system_s, inputs_bytes, value, crc32) VALUES (?, ?, ?, ?, ?, ?)'
)
Row = tuple[str, tuple[Any, ...]]  # statement and values

# Raised for a value that has no JSON text.
WRITE_ERRORS = (ValueError, TypeError, RecursionError, RuntimeError)


class DamagedRowError(Exception):
    """A row differs from what was written; the message names it."""


class Stamp(NamedTuple):
    """Number and time of a row.

    Attributes:
        entry: Unique and increasing over the whole file.
        run: Number of the run that wrote it.
        system_s: Time of day in s since 1970 (UTC); the other times: `rover_common.clocks.Now`.
    """

    entry: int
    run: int
    ros_s: float | None
    robot_s: float | None
    steady_s: float | None
    system_s: float | None

    @classmethod
    def of(cls, entry: int, run: int, now: Now, system_s: float) -> Stamp:
        """Make a stamp of the given times."""
        times = (_to_sql(time_s) for time_s in (now.ros, now.robot, now.steady, system_s))
        return cls(entry, run, *times)


@dataclass(frozen=True)
class SavedPart:
    """The latest checkpoint of a part. `value`: JSON."""

    at: Stamp
    name: str
    value: Any


@dataclass(frozen=True)
class SavedEntry:
    """An entry of the trace. `value`: a JSON object; see `core.store_port.Entry`."""

    at: Stamp
    kind: str
    goal_id: str
    goal_end: str | None
    value: dict[str, Any]


def part_row(at: Stamp, name: str, value: Any) -> Row:
    """Return the statement that writes a checkpoint; None as a value deletes the part.

    Raises:
        ValueError, TypeError, RecursionError, RuntimeError: The value cannot be written.
    """
    if value is None:
        return DELETE_PART, (name,)
    values = (name, *at, write_json(value))
    return WRITE_PART, (*values, checksum(*values))


def entry_row(at: Stamp, entry: Entry) -> Row:
    """Return the statement that writes an entry of the trace; raises like `part_row`."""
    goal_id = sendable(entry.goal_id)
    values = (*at, entry.kind, goal_id, entry.goal_end, write_json(entry.value))
    return WRITE_ENTRY, (*values, checksum(*values))


def input_row(at: Stamp, line: InputLine) -> Row:
    """Return the statement that writes an input; raises like `part_row`."""
    value = stored_fields(line.value) if is_dataclass(line.value) else line.value
    values = (*at, line.event, line.nth, int(line.again), write_json(value))
    return WRITE_INPUT, (*values, checksum(*values))


def run_row(at: Stamp, start: Any) -> Row:
    """Return the statement that writes the begin of a run (`RunStart`); raises like `part_row`."""
    value = write_json(start)
    crc32 = checksum(at.run, at.entry, at.system_s, value)
    return WRITE_RUN, (at.run, at.entry, at.system_s, 0, value, crc32)


def count_inputs(latest: Row, size: int) -> Row:
    """Return the statement that sets the size of a run's inputs; `latest`: its latest row."""
    return 'UPDATE runs SET inputs_bytes = ? WHERE run = ?', (size, latest[1][1])


def read_parts(
    connection: sqlite3.Connection, on_damage: Callable[[str], None] | None = None
) -> dict[str, SavedPart]:
    """Read the latest checkpoint of every part.

    `on_damage` receives a sentence for each row that cannot be read.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged, and there is no `on_damage`.
    """
    rows = read_rows(connection, f'SELECT {PART_COLUMNS} FROM parts', (), _part, on_damage)
    return {part.name: part for part in rows}


def read_entries(
    connection: sqlite3.Connection,
    where: str = '1',
    *values: Any,
    on_damage: Callable[[str], None] | None = None,
) -> Iterator[SavedEntry]:
    """Read the entries of the trace for which a condition in SQL holds, in order.

    `values` stand for its question marks; `on_damage` and errors as in `read_parts`.
    """
    query = f'SELECT {ENTRY_COLUMNS} FROM trace WHERE {where} ORDER BY entry'
    return read_rows(connection, query, values, _entry, on_damage)


def latest_entries(
    connection: sqlite3.Connection,
    where: str,
    count: int,
    on_damage: Callable[[str], None] | None = None,
) -> tuple[SavedEntry, ...]:
    """Read the last few entries for which a condition in SQL holds, oldest first.

    `on_damage` and errors as in `read_parts`.
    """
    latest = f'SELECT entry FROM trace WHERE {where} ORDER BY entry DESC LIMIT {count}'
    return tuple(read_entries(connection, f'entry IN ({latest})', on_damage=on_damage))


def last_entry(connection: sqlite3.Connection) -> int:
    """Return the number of the latest row; 0 if there is none."""
    latest = (f'(SELECT coalesce(max(entry), 0) FROM {table})' for table in TABLES)
    return int(connection.execute(f'SELECT max({", ".join(latest)})').fetchone()[0])


def read_rows(
    connection: sqlite3.Connection,
    query: str,
    values: tuple[Any, ...],
    read: Callable[[tuple[Any, ...]], Any],
    on_damage: Callable[[str], None] | None = None,
) -> Iterator[Any]:
    """Read rows of a query; `on_damage` and errors as in `read_parts`."""
    try:
        for row in connection.execute(query, values):
            try:
                yield read(row)
            except DamagedRowError as error:
                if on_damage is None:
                    raise
                on_damage(str(error))
    except FILE_ERRORS as error:
        if on_damage is None:
            raise
        on_damage(f'The file cannot be read to its end: {error}')


def check_inputs(connection: sqlite3.Connection, on_damage: Callable[[str], None]) -> int:
    """Check the inputs and the begins of runs row by row; return the number of valid inputs."""
    if version_of(connection) < VERSION:
        return 0  # these tables are missing

    def count(columns: str, table: str, name: str) -> int:
        query = f'SELECT {columns} FROM {table}'
        rows = read_rows(
            connection, query, (), lambda row: read_value(row, f'{name} {row[0]}'), on_damage
        )
        return sum(1 for _ in rows)

    count('run, entry, system_s, value, crc32', 'runs', 'run')
    return count(INPUT_COLUMNS, 'inputs', 'input')


def _part(row: tuple[Any, ...]) -> SavedPart:
    name, *rest = row
    return SavedPart(Stamp(*rest[:6]), name, read_value(row, f'part {name!r:.80}'))


def _entry(row: tuple[Any, ...]) -> SavedEntry:
    value = read_value(row, f'entry {row[0]} of the trace')
    return SavedEntry(Stamp(*row[:6]), row[6], row[7], row[8], value)


def read_value(row: tuple[Any, ...], where: str) -> Any:
    """Return the JSON value of a row, which is the last column but the checksum.

    Raises:
        DamagedRowError: It differs from what was written; `where` names the row.
    """
    if not is_intact(row[:-1], row[-1]):
        raise DamagedRowError(f'{where} does not fit its checksum')
    try:
        return read_json(row[-2])
    except ValueError as error:
        raise DamagedRowError(f'{where} cannot be read: {error}') from None


def _to_sql(value: float) -> float | None:
    """Convert a number as SQLite returns it: it has neither NaN nor a negative zero."""
    return None if math.isnan(value) else float(value) + 0.0
