"""The inputs of a run: reads them from its journal, and exports them into its run folder.

The journal has the inputs of all runs within its retention. The export, `inbox.jsonl`, makes a run
folder complete, so that it can be copied and outlives the retention of the journal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
import json
from pathlib import Path
import sqlite3
from typing import Any

from bt_executive.store import run_folder_formats
from bt_executive.store.atomic_file_replacement import write_whole
from bt_executive.store.journal_location import RUN_JOURNAL
from bt_executive.store.run_configuration_and_metadata import read_run_metadata
from bt_executive.store.run_file_lines_and_damage import (
    Lines,
    ProcessLines,
    Trim,
    check_whole,
    keep_all,
    read_lines,
)
from bt_executive.store.run_folder_formats import TRACE_FILE
from bt_executive.store.sqlite_opening_and_faults import (
    FILE_ERRORS,
    NAME_ANOTHER,
    reading,
)
from bt_executive.store.store_rows import INPUT_COLUMNS, DamagedRowError, read_rows, read_value
from bt_executive.store.store_schema import is_intact
from rover_common.errors import JournalError, RecordingError
from rover_common.json_values import read_json_object

INBOX_FILE = 'inbox.jsonl'
# Run id and start time: in containers, two processes may have the same run id.
ProcessKey = tuple[str, str]


def process_key(header: dict[str, Any]) -> ProcessKey:
    """Return the key that identifies a process in all files of a run."""
    return str(header.get('run_id', '')), str(header.get('started_at', ''))


def read_inputs(folder: Path, traced: Sequence[ProcessKey], trim: Trim = keep_all) -> Lines:
    """Read the inputs of a run folder from its journal, and missing ones from its export.

    `traced`: the processes in the trace of the run. `trim`: see `read_lines`.

    Raises:
        RecordingError: Neither has them, or the file that has them is damaged.
    """
    metadata = read_run_metadata(folder) or {}
    # The latest process may have no trace event yet.
    wanted = list(dict.fromkeys((*traced, process_key(metadata))))
    exported = folder / INBOX_FILE
    lines = read_lines(exported, run_folder_formats.INBOX, trim) if exported.is_file() else Lines()
    processes = {process_key(process.header): process for process in lines.processes}
    reason = f'it has no {INBOX_FILE}, and its journal has no inputs of it, or no longer'
    if exported.is_file():
        reason = f'{INBOX_FILE} holds no tick'
    for journal in _journals(folder, metadata):
        found, why = _read_journal(journal, wanted, trim)
        for process in found:
            other = processes.get(process_key(process.header))
            if other is None or len(process.entries) > len(other.entries):
                processes[process_key(process.header)] = process
        reason = why or reason
    if not processes:
        raise RecordingError(f'{str(folder)!r} cannot be replayed: {reason}.')
    order = {key: number for number, key in enumerate(wanted)}
    ordered = sorted(
        processes.values(), key=lambda process: order.get(process_key(process.header), -1)
    )
    missing = [key for key in traced if key not in processes]
    if missing:
        lines.notes.append(f'The inputs of {len(missing)} of {len(traced)} processes are missing.')
    return Lines(ordered, lines.notes)


def export_inputs(folder: Path) -> int:
    """Write the inputs of a run into its folder; return the number of lines.

    An earlier export with a line that cannot be read stays as it is: without the line it would
    look whole.

    Raises:
        RecordingError: It is not a run folder, or its inputs cannot be read.
        OSError: The folder cannot be written.
    """
    trace = folder / TRACE_FILE
    traced = read_lines(trace, run_folder_formats.TRACE).processes if trace.is_file() else []
    processes = read_inputs(folder, [process_key(process.header) for process in traced]).processes
    for process in processes:
        check_whole(process)
    rows = [row for process in processes for row in (process.header, *process.entries)]
    text = ''.join(
        json.dumps(row, ensure_ascii=False, separators=(',', ':')) + '\n' for row in rows
    )
    write_whole(folder / INBOX_FILE, text.encode('utf-8', 'replace'))
    return len(rows)


def _journals(folder: Path, metadata: Mapping[str, Any]) -> Iterator[Path]:
    """Return the journals that may have the inputs: the folder's own, and that of run.json."""
    named = str(metadata.get('journal') or '')
    yield from dict.fromkeys([folder / RUN_JOURNAL, *([Path(named)] if named else [])])


def _read_journal(
    journal: Path, wanted: Collection[ProcessKey], trim: Trim
) -> tuple[list[ProcessLines], str]:
    """Return the processes before the first damaged row, and why the others cannot be read."""
    processes: list[ProcessLines] = []
    try:
        if journal.is_file():
            with reading(journal) as connection:
                for process in processes_in(connection, str(journal), wanted, trim):
                    processes.append(process)
    except JournalError as error:  # also after reading: then what was read may be of two times
        reason = str(error).removesuffix('.')  # a replay has no option for the journal
        for advice in (f', or {NAME_ANOTHER}', f': {NAME_ANOTHER}'):
            reason = reason.removesuffix(advice)
        return [], reason
    except (DamagedRowError, *FILE_ERRORS) as error:
        return processes, f'the journal {str(journal)!r} is damaged ({error})'
    except OSError as error:  # such as below the home folder of the user who ran it
        return [], f'the journal {str(journal)!r} cannot be read ({error.strerror})'
    return processes, ''


def processes_in(
    connection: sqlite3.Connection,
    journal: str,
    wanted: Collection[ProcessKey],
    trim: Trim = keep_all,
) -> Iterator[ProcessLines]:
    """Read the inputs of some processes from their journal. `trim`: see `read_lines`.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    if not connection.execute('PRAGMA table_info(runs)').fetchone():
        return  # written by a version without inputs
    rows = connection.execute(
        'SELECT run, entry, system_s, value, crc32, '
        'coalesce(lead(entry) OVER (ORDER BY run), 1 << 62) FROM runs ORDER BY run'
    )
    for run, entry, system_s, value, crc32, following in rows.fetchall():
        if not is_intact((run, entry, system_s, value), crc32):
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
                line = _to_line(row)
                trim(line)
                if line:
                    process.numbers.append(row[0])
                    process.entries.append(line)
            yield process


def _to_line(row: tuple[Any, ...]) -> dict[str, Any]:
    """Convert a row to a line of the export (`run_folder_formats.InboxEntry`)."""
    _, _, ros, robot, steady, _, event, nth, again, *_ = row
    line = {'ts': ros, 'robot': robot, 'steady': steady, 'event': event}
    line |= {'fields': read_value(row, f'input {row[0]}')}
    return line | ({'nth': nth} if nth > 1 else {}) | ({'again': True} if again else {})
