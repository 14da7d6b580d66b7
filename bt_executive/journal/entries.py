"""Reads entries back: all of them, those of a goal, the latest ones; damaged rows are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import heapq
import sqlite3

from bt_executive.core.journal_records import Record
from bt_executive.journal.faults import FILE_ERRORS
from bt_executive.journal.rows import DamagedRowError, Entry, Kind, Table, all_tables, table_of


def all_entries(connection: sqlite3.Connection) -> Iterator[Entry[Record]]:
    """Every entry, in the order in which they were put.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    return _merged(_rows(connection, table, '1', ()) for table in all_tables())


def readable_entries(
    connection: sqlite3.Connection, damaged: Callable[[str], None]
) -> Iterator[Entry[Record]]:
    """Every entry that can be read, in order; of the others `damaged` is told."""
    return _merged(_readable(connection, table, damaged) for table in all_tables())


def entries_of_goal(connection: sqlite3.Connection, goal_id: str) -> Iterator[Entry[Record]]:
    """The entries of one goal, in order; raises like `all_entries`."""
    return _merged(_rows(connection, table, 'goal_id = ?', (goal_id,)) for table in all_tables())


def entries_of_kind(
    connection: sqlite3.Connection, kind: type[Kind], where: str = '1', *values: object
) -> Iterator[Entry[Kind]]:
    """The entries of one class of records, in order; raises like `all_entries`.

    `where` is a condition in SQL on the columns of its table, `values` what stands for its
    question marks.
    """
    return _rows(connection, table_of(kind), where, values)


def last_number(connection: sqlite3.Connection) -> int:
    """The number of the latest entry; 0: there is none."""
    latest = (
        connection.execute(f'SELECT max(entry) FROM {table.name}').fetchone()[0]
        for table in all_tables()
    )
    return max((number for number in latest if number is not None), default=0)


def _merged(streams: Iterable[Iterator[Entry[Record]]]) -> Iterator[Entry[Record]]:
    return heapq.merge(*streams, key=lambda entry: entry.number)


def _rows(
    connection: sqlite3.Connection, table: Table[Kind], where: str, values: tuple[object, ...]
) -> Iterator[Entry[Kind]]:
    for row in connection.execute(f'{table.select} WHERE {where} ORDER BY entry', values):
        yield table.entry(row)


def _readable(
    connection: sqlite3.Connection, table: Table[Record], damaged: Callable[[str], None]
) -> Iterator[Entry[Record]]:
    try:
        for row in connection.execute(f'{table.select} ORDER BY entry'):
            try:
                yield table.entry(row)
            except DamagedRowError as error:
                damaged(str(error))
    except FILE_ERRORS as error:
        damaged(f'table {table.name} cannot be read to its end: {error}')
