"""Every store that there is; PostgreSQL with pgvector comes from a package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
import os
from pathlib import Path
import shutil
import tempfile

from forked import end_hooks
from packaged_postgres import packaged_postgres, server_in
import psutil
import psycopg
import pytest

from embodied_nav.spatial_memory import open_store
from embodied_nav.store.memory_store import MemoryStore

PREFIX = 'bt_executive-postgres-'  # and the process that runs the tests


def end_left_server(folder: Path) -> None:
    """End the server in a folder, and remove that, if the process that started it is gone."""
    if psutil.pid_exists(int(folder.name.removeprefix(PREFIX))):
        return
    with suppress(OSError, ValueError, IndexError, psutil.Error):
        server = server_in(folder)
        if str(folder) in server.cmdline():
            server.terminate()
            server.wait(10)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope='session')
def postgres(pytestconfig: pytest.Config) -> str:
    """The address of a server that runs for these tests alone.

    It ends after all tests, as this starts a process: the last test may be one that may not. A
    server of a suite that was killed ends here.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f'{PREFIX}*'):
        end_left_server(left)
    running = ExitStack()
    server = running.enter_context(packaged_postgres(place / f'{PREFIX}{os.getpid()}'))
    if pytestconfig.option.forks:  # its processes run no clean-up of pytest's
        end_hooks.append(running.close)
    else:
        pytestconfig.add_cleanup(running.close)
    return server.address


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
