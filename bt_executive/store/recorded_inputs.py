"""What the ticks of a run were given: read from its journal, and exported into its run folder.

The journal has the inputs of every run that it still keeps. The export, `inbox.jsonl`, makes a run
folder whole, so that it can be copied away and outlives the journal's own bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
import json
from pathlib import Path
import sqlite3
from typing import Any

from bt_executive.store import run_folder_formats
from bt_executive.store.atomic_write import write_whole
from bt_executive.store.journal_location import RUN_JOURNAL
from bt_executive.store.json_lines_reading import Lines, ProcessLines, read_lines
from bt_executive.store.run_folder_formats import TRACE_FILE
from bt_executive.store.run_metadata import RUN_FILE
from bt_executive.store.sqlite_errors import FILE_ERRORS
from bt_executive.store.sqlite_opening import open_for_reading
from bt_executive.store.store_rows import INPUT_COLUMNS, DamagedRowError, read_rows, read_value
from bt_executive.store.store_schema import checksum
from rover_common.errors import JournalError, RecordingError
from rover_common.json_text import read_json_object

INBOX_FILE = 'inbox.jsonl'
Key = tuple[str, str]  # run id and start: in a container, two processes may have one run id


def process_key(header: dict[str, Any]) -> Key:
    """Return by which a process is known in each file of a run."""
    return str(header.get('run_id', '')), str(header.get('started_at', ''))


def read_inputs(folder: Path, traced: Sequence[Key]) -> Lines:
    """Read the inputs of a run folder: from its journal, and what is not there from its export.

    `traced`: the processes of the run, as its trace names them.

    Raises:
        RecordingError: Neither has them, or what has them is damaged.
    """
    facts = _facts_of(folder)
    wanted = list(dict.fromkeys((*traced, process_key(facts))))  # the latest may have no event yet
    exported = folder / INBOX_FILE
    lines = read_lines(exported, run_folder_formats.INBOX) if exported.is_file() else Lines()
    processes = {process_key(process.header): process for process in lines.processes}
    why = f'it has no {INBOX_FILE}, and its journal has no inputs of it, or no longer'
    if exported.is_file():
        why = f'{INBOX_FILE} holds no tick'
    for journal in _journals_of(folder, facts):
        try:
            for process in _kept(journal, wanted):
                there = processes.get(process_key(process.header))
                if there is None or len(process.entries) > len(there.entries):
                    processes[process_key(process.header)] = process
        except RecordingError as error:
            why = str(error)
    if not processes:
        raise RecordingError(f'{str(folder)!r} cannot be replayed: {why}.')
    order = {key: number for number, key in enumerate(wanted)}
    found = sorted(
        processes.values(), key=lambda process: order.get(process_key(process.header), -1)
    )
    missing = [key for key in traced if key not in processes]
    if missing:
        lines.notes.append(f'The inputs of {len(missing)} of {len(traced)} processes are missing.')
    return Lines(found, lines.notes)


def export_inputs(folder: Path) -> int:
    """Write the inputs of a run into its folder; returns how many lines there are.

    Raises:
        RecordingError: It is no run folder, or its inputs cannot be read.
        OSError: The folder cannot be written.
    """
    trace = folder / TRACE_FILE
    traced = read_lines(trace, run_folder_formats.TRACE).processes if trace.is_file() else []
    processes = read_inputs(folder, [process_key(process.header) for process in traced]).processes
    rows = [row for process in processes for row in (process.header, *process.entries)]
    text = ''.join(
        json.dumps(row, ensure_ascii=False, separators=(',', ':')) + '\n' for row in rows
    )
    write_whole(folder / INBOX_FILE, text.encode('utf-8', 'replace'))
    return len(rows)


def _facts_of(folder: Path) -> dict[str, Any]:
    """What run.json says; nothing, where it cannot be read."""
    try:
        return read_json_object((folder / RUN_FILE).read_text('utf-8'))
    except (OSError, ValueError):
        return {}


def _journals_of(folder: Path, facts: Mapping[str, Any]) -> Iterator[Path]:
    """The files in which the inputs may be: the folder's own, and the one that run.json names."""
    named = str(facts.get('journal') or '')
    candidates = [folder / RUN_JOURNAL, *([Path(named)] if named else [])]
    return (each for each in dict.fromkeys(candidates) if each.is_file())


def _kept(journal: Path, wanted: Collection[Key]) -> Iterator[ProcessLines]:
    try:
        with closing(open_for_reading(journal)) as connection:
            yield from processes_in(connection, str(journal), wanted)
    except JournalError as error:
        raise RecordingError(str(error).rstrip('.')) from None
    except (DamagedRowError, *FILE_ERRORS) as error:
        raise RecordingError(f'the journal {str(journal)!r} is damaged ({error})') from None


def processes_in(
    connection: sqlite3.Connection, journal: str, wanted: Collection[Key]
) -> Iterator[ProcessLines]:
    """Read the inputs of some processes from their journal.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    if not connection.execute('PRAGMA table_info(runs)').fetchone():
        return  # a file of a version without inputs
    rows = connection.execute(
        'SELECT run, entry, system_s, value, crc32, '
        'coalesce(lead(entry) OVER (ORDER BY run), 1 << 62) FROM runs ORDER BY run'
    )
    for run, entry, system_s, value, crc32, following in rows.fetchall():
        if checksum(run, entry, system_s, value) != crc32:
            raise DamagedRowError(f'run {run} does not fit its checksum')
        start = read_json_object(value)
        header = {
            'schema': run_folder_formats.INBOX,
            'version': run_folder_formats.VERSIONS[run_folder_formats.INBOX],
            **{name: start.get(name, '') for name in ('run_id', 'started_at')},
            **{name: start.get(name, '') for name in ('approvals', 'configuration')},
        }
        if process_key(header) in wanted:
            process = ProcessLines(header, source=f'{journal}, input')
            query = f'SELECT {INPUT_COLUMNS} FROM inputs WHERE entry > ? AND entry < ? ORDER BY 1'
            for row in read_rows(connection, query, (entry, following), tuple):
                process.numbers.append(row[0])
                process.entries.append(_as_line(row))
            yield process


def _as_line(row: tuple[Any, ...]) -> dict[str, Any]:
    """A row as a line of the export (`formats.InboxEntry`)."""
    _, _, ros, robot, steady, _, event, nth, again, *_ = row
    line = {'ts': ros, 'robot': robot, 'steady': steady, 'event': event}
    line |= {'fields': read_value(row, f'input {row[0]}')}
    return line | ({'nth': nth} if nth > 1 else {}) | ({'again': True} if again else {})
