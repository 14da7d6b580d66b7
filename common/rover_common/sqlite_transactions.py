"""Reading and changing the format of an SQLite file that several processes may open at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import sqlite3
import time

_RETRY_S = 0.01


def use_write_ahead_log(connection: sqlite3.Connection, within_s: float) -> None:
    """Set WAL mode, which stays set. SQLite itself does not wait for another process that sets it.

    Raises:
        sqlite3.Error: It cannot be set, or not within so many s.
    """
    latest = time.monotonic() + within_s
    while True:
        try:
            connection.execute('PRAGMA journal_mode = WAL')
        except sqlite3.OperationalError as error:
            if 'is locked' not in str(error) or time.monotonic() > latest:
                raise
            time.sleep(_RETRY_S)
        else:
            return


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = 'DEFERRED') -> Iterator[None]:
    """Run the block as one transaction of a connection without one of its own.

    All that is read in a deferred one is of one moment; what is read in an immediate one, no other
    process changes before its end.
    """
    connection.execute(f'BEGIN {kind}')
    try:
        yield
        connection.execute('COMMIT')
    finally:
        if connection.in_transaction:
            connection.execute('ROLLBACK')


def run_script(connection: sqlite3.Connection, script: Callable[[], str]) -> None:
    """Run a script as one transaction. It is asked for within it, after what others have written.

    `executescript` would end the transaction first.
    """
    with transaction(connection, 'IMMEDIATE'):
        for statement in _statements(script()):
            connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ''
    for part in script.split(';'):
        statement += f'{part};'
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ''
