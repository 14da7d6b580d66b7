"""Which store a memory's address means."""

from __future__ import annotations

from pathlib import Path

from embodied_nav.store.port import MemoryStore
from embodied_nav.store.sqlite_store import SqliteStore


def open_store(where: str | Path) -> MemoryStore:
    """The store at a file's path or at a database's address.

    Raises:
        MemoryStoreError: It cannot be opened; the text says why and what to do.
    """
    return SqliteStore(Path(where).expanduser())
