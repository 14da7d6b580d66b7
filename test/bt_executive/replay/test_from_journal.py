"""A run is replayed from its journal: killed, with a gap, damaged, or of another version."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import shutil
import sqlite3
from typing import Any

import pytest

from bt_executive.store.inputs_from_journal_or_export import INBOX_FILE
from bt_executive.store.journal_location import RUN_JOURNAL
from bt_executive.store.store_schema import checksum

THIRTIETH = '(SELECT entry FROM inputs ORDER BY entry LIMIT 1 OFFSET 30)'


@pytest.fixture
def kept(recorded: Path, tmp_path: Path) -> Path:
    """The run with its journal, and without the export."""
    left = shutil.ignore_patterns(INBOX_FILE)
    return Path(shutil.copytree(recorded, tmp_path / 'run', ignore=left))


def change(folder: Path, statement: str) -> None:
    """Changes the journal; rows that are changed still fit their checksums."""
    with closing(sqlite3.connect(folder / RUN_JOURNAL)) as connection:
        connection.create_function('crc', -1, checksum)
        connection.executescript(statement)


SET = (
    'crc32 = crc(entry, run, ros_s, robot_s, steady_s, system_s, {event}, nth, again, {value}), '
    'event = {event}, value = {value}'
)


def as_event(event: str, value: str) -> str:
    values = SET.format(event=f"'{event}'", value=f"'{value}'")
    return f'UPDATE inputs SET {values} WHERE entry = {THIRTIETH}'


@pytest.mark.slow
def test_the_journal_alone_gives_the_same_run_as_the_export(
    command: Any, kept: Path, recorded: Path
) -> None:
    assert command(kept)[0] == 0
    code, out, _ = command(kept, '--export')
    assert (code, INBOX_FILE in out) == (0, True)
    assert (kept / INBOX_FILE).read_bytes() == (recorded / INBOX_FILE).read_bytes()


@pytest.mark.parametrize(
    ('statement', 'words'),
    [
        (f'DELETE FROM inputs WHERE entry > {THIRTIETH}', 'without an end of its own'),
        (as_event('recording.gap', '{"count":7}'), '7 inputs are left out'),
    ],
)
@pytest.mark.slow
def test_a_run_is_replayed_up_to_where_its_inputs_end(
    command: Any, kept: Path, statement: str, words: str
) -> None:
    change(kept, statement)
    code, out, _ = command(kept)
    assert (code, 'identical' in out) == (0, True), out
    assert words in out


@pytest.mark.parametrize(
    ('statement', 'words'),
    [
        (as_event('StatuSeen', '{}'), "knows no 'StatuSeen'"),
        (as_event('StatusSeen', '{'), 'cannot be read'),
        (f"UPDATE inputs SET event = 'ZonesSeen' WHERE entry = {THIRTIETH}", 'its checksum'),
        ("UPDATE runs SET value = '{}'", 'run 1 does not fit its checksum'),
        ('DELETE FROM runs', 'no inputs of it, or no longer'),
        ('PRAGMA user_version = 9', 'its version is 9'),
    ],
)
def test_a_journal_that_cannot_be_believed_is_no_replay(
    command: Any, kept: Path, statement: str, words: str
) -> None:
    change(kept, statement)
    code, out, err = command(kept)
    assert code == 2, out
    assert words in err


@pytest.mark.slow
def test_an_export_is_good_though_the_journal_is_damaged(
    command: Any, kept: Path, recorded: Path
) -> None:
    change(kept, "UPDATE inputs SET value = '{}'")
    shutil.copy(recorded / INBOX_FILE, kept)
    assert command(kept)[0] == 0


def test_a_truncated_file_is_reported(command: Any, kept: Path) -> None:
    whole = (kept / RUN_JOURNAL).read_bytes()
    (kept / RUN_JOURNAL).write_bytes(whole[: len(whole) // 2])
    code, _, err = command(kept)
    # Where SQLite meets the end of the file depends on how long the paths in it are.
    assert code == 2, err
    assert any(words in err for words in ('cannot be read', 'nothing of it can be read')), err
