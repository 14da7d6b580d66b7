"""Files of SQLite that several processes set up: scripts as a whole, and the mode of their log."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import sqlite3

import pytest

from rover_common.sqlite_transactions import run_script, use_write_ahead_log


def opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=0.0)


def test_a_script_is_run_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    script = "CREATE TABLE one (x); -- a; b\nINSERT INTO one VALUES ('c; d');"
    with closing(opened(tmp_path / 'one.sqlite')) as connection:
        with pytest.raises(sqlite3.Error):
            run_script(connection, lambda: f'{script} INSERT INTO missing VALUES (1)')
        assert not connection.in_transaction
        run_script(connection, lambda: script)
        assert connection.execute('SELECT x FROM one').fetchall() == [('c; d',)]


def test_a_script_is_asked_for_when_nobody_else_can_write(tmp_path: Path) -> None:
    path = tmp_path / 'one.sqlite'
    with closing(opened(path)) as connection, closing(opened(path)) as other:

        def script() -> str:
            with pytest.raises(sqlite3.OperationalError, match='locked'):
                other.execute('CREATE TABLE other (x)')
            return ''

        run_script(connection, script)


def test_a_file_that_another_process_locks_keeps_its_log_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / 'one.sqlite'
    with closing(opened(path)) as connection, closing(opened(path)) as other:
        other.execute('BEGIN EXCLUSIVE')
        with pytest.raises(sqlite3.OperationalError, match='locked'):
            use_write_ahead_log(connection, 0.0)
        monkeypatch.setattr('time.sleep', lambda _: other.execute('COMMIT'))
        use_write_ahead_log(connection, 60.0)
        assert connection.execute('PRAGMA journal_mode').fetchone() == ('wal',)
