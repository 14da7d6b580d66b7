"""Opens the store of a memory's address."""

from __future__ import annotations

from pathlib import Path

from embodied_nav.store.memory_store import MemoryStore
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra
from rover_common.process.path_option import named_path

POSTGRES = ('postgresql://', 'postgres://')


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
