"""The folder of a robot's vision: the names of its files, and how its SQLite files are opened."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
import os
from pathlib import Path
import sqlite3
from urllib.parse import quote

from rover_common.config.settings import Config
from rover_common.errors import EpisodesError
from rover_common.process.user_paths import named_path, state_folder
from rover_common.ros.ros_arguments import domain_of
from rover_common.sqlite_transactions import run_script, transaction, use_write_ahead_log

SETTINGS_FILE = 'settings.db'
EPISODES_FILE = 'episodes.sqlite'
PICTURES = 'pictures'
PORT_FILE = 'port'  # has the current port of the gateway
SUFFIX = '.vision'
BUSY_S = 5.0


def vision_folder(config: Config, environment: Mapping[str, str], namespace: str = '/') -> Path:
    """Return the configured folder; by default beside the executive's journal.

    Each robot has its own, like its journal: by ROS domain and namespace.
    """
    if config.vision.folder:
        return named_path(config.vision.folder)
    journal = config.executive.journal.file
    if journal:
        path = named_path(journal)
        return path.with_name(f'{path.stem}{SUFFIX}')
    robot = '.'.join(part for part in (*namespace.split('/'), 'executive') if part)
    return state_folder(environment) / f'{domain_of(environment)}.{robot}{SUFFIX}'


def remove_port_file(path: Path, port: int) -> None:
    """Remove the file with the port of a gateway that has ended, unless it has another's.

    Two systems may have been started with one folder; the later one has written its port.
    """
    with suppress(OSError):
        if path.read_bytes().strip() == str(port).encode():
            path.unlink()


def open_database(
    path: Path, application_id: int, version: int, schema: str
) -> sqlite3.Connection:
    """Open the file for writing.

    Args:
        path: Of the file.
        application_id: Of the file, in its SQLite header.
        version: Of its schema, in the header as well.
        schema: Name of the SQL file beside this module.

    Raises:
        EpisodesError: It cannot be created, is damaged, or belongs to another program.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create_private(path)
        connection = sqlite3.connect(
            path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection, path, application_id, version, schema)
        except BaseException:
            connection.close()
            raise
        path.chmod(0o600)
    except (sqlite3.Error, OSError) as error:
        raise EpisodesError(_unusable(path, str(error))) from None
    return connection


def _create_private(path: Path) -> None:
    """Create a missing file for this user alone: SQLite's log of changes is as private as it."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def open_for_reading(path: Path, application_id: int, version: int) -> sqlite3.Connection:
    """Open the file read-only, also while it is written.

    Raises:
        EpisodesError: It is missing, damaged, or belongs to another program.
    """
    if path.is_file() and not path.stat().st_size:
        raise EpisodesError(f'{str(path)!r} is empty: nothing was kept in it so far.')
    try:
        connection = sqlite3.connect(f'file:{quote(str(path))}?mode=ro', uri=True, timeout=BUSY_S)
        found = _pragma(connection, 'application_id'), _pragma(connection, 'user_version')
    except sqlite3.Error as error:
        raise EpisodesError(_unusable(path, str(error))) from None
    if found != (application_id, version):
        connection.close()
        raise EpisodesError(_unusable(path, _foreign(found[0] == application_id)))
    return connection


def _prepare(
    connection: sqlite3.Connection, path: Path, application_id: int, version: int, schema: str
) -> None:
    expected = application_id, version
    with transaction(connection):
        is_ready = _is_ready(connection, path, expected)
    use_write_ahead_log(connection, BUSY_S)
    connection.execute('PRAGMA synchronous = NORMAL')
    if is_ready:
        return

    def script() -> str:
        if _is_ready(connection, path, expected):  # by another process
            return ''
        tables = (files('rover_vision') / schema).read_text(encoding='utf-8')
        marks = f'PRAGMA application_id = {application_id}; PRAGMA user_version = {version};'
        return f'{tables}; {marks}'

    run_script(connection, script)


def _is_ready(connection: sqlite3.Connection, path: Path, expected: tuple[int, int]) -> bool:
    """Return whether the file has its tables.

    Raises:
        EpisodesError: It has others.
    """
    found, tables = _pragma(connection, 'application_id'), _pragma(connection, 'schema_version')
    if tables and (found, _pragma(connection, 'user_version')) != expected:
        raise EpisodesError(_unusable(path, _foreign(found == expected[0])))
    return bool(tables)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f'PRAGMA {name}').fetchone()[0])


def _foreign(own: bool) -> str:
    other = 'version of this one' if own else 'program'
    return f'it is the file of another {other}'


def _unusable(path: Path, reason: str) -> str:
    return (
        f'{str(path)!r} cannot be used ({reason}): move it away, or name another folder with '
        '--set vision.folder=DIR.'
    )
