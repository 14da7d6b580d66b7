"""The actions of `bt-executive journal`: list, show, export, prune and check.

Each returns the exit code: 0, or 1 if the journal is damaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
import sqlite3
import sys
from tempfile import SpooledTemporaryFile
import time
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bt_executive.console.log_line import journal_line
from bt_executive.core.store_port import GOAL, PROGRESS, StoreCode
from bt_executive.core.value_formatting import format_duration
from bt_executive.store.sqlite_opening_and_faults import (
    FILE_ERRORS,
    NAME_ANOTHER,
    code_of,
    describe_read_error,
    find_damage,
    reading,
)
from bt_executive.store.store_lock_and_previous_run import open_for_pruning
from bt_executive.store.store_retention import MEGABYTE, Retention, size_bytes
from bt_executive.store.store_rows import (
    DamagedRowError,
    SavedEntry,
    SavedPart,
    check_inputs,
    latest_entries,
    read_entries,
    read_parts,
)
from bt_executive.store.store_schema import version_of
from rover_common.call_text import format_call
from rover_common.errors import JournalError, UsageError
from rover_common.json_values import write_json
from rover_common.text_sanitizing import one_line


@dataclass(frozen=True)
class JournalGoal:
    """One goal.

    Attributes:
        entry: Number of its first row: the clock may have been set back since.
        status: Its outcome if it has ended, else PENDING, ACTIVE or PARKED.
    """

    entry: int
    goal_id: str
    goal: str
    status: str
    ended: bool
    steps: int
    received_s: float | None


def latest_goals(connection: sqlite3.Connection, last: int) -> tuple[JournalGoal, ...]:
    """Return the latest goals, oldest first. `last`: their maximum number.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    ends = latest_entries(connection, 'goal_end IS NOT NULL', last)
    goals = [_ended(connection, end) for end in ends]
    goals += _open(connection, read_parts(connection))
    goals.sort(key=lambda goal: goal.entry)
    return tuple(goals[-last:])


def find_goal_ids(connection: sqlite3.Connection, prefix: str) -> tuple[str, ...]:
    """Return the ids of goals with a prefix; an empty one matches all."""
    rows = connection.execute(
        "SELECT DISTINCT goal_id FROM trace WHERE goal_id <> '' UNION "
        'SELECT substr(part, ?) FROM parts WHERE part LIKE ?',
        (len(GOAL) + 1, f'{GOAL}%'),
    )
    return tuple(str(row[0]) for row in rows if str(row[0]).startswith(prefix))


def _ended(connection: sqlite3.Connection, end: SavedEntry) -> JournalGoal:
    summary = (end.value.get('data') or {}).get('goal_ended') or {}
    text, steps = str(summary.get('goal', '')), int(summary.get('steps', 0))
    entry, received_s = _received(connection, end.goal_id) or (end.at.entry, None)
    return JournalGoal(entry, end.goal_id, text, str(end.goal_end), True, steps, received_s)


def _open(connection: sqlite3.Connection, parts: Mapping[str, SavedPart]) -> Iterator[JournalGoal]:
    for name, part in parts.items():
        if name.startswith(GOAL):
            goal_id, task = name.removeprefix(GOAL), part.value
            progress = parts.get(PROGRESS + goal_id)
            at = part.at
            entry, received_s = _received(connection, goal_id) or (at.entry, at.system_s)
            yield JournalGoal(
                entry,
                goal_id,
                _title(task),
                str(task['status']),
                False,
                int(progress.value['steps']) if progress else 0,
                received_s,
            )


def _title(task: Mapping[str, Any]) -> str:
    title = format_call(task['tool'], task['arguments']) if task['tool'] else task['goal']
    return f'{title} (priority {task["priority"]})' if task['priority'] else str(title)


def _received(connection: sqlite3.Connection, goal_id: str) -> tuple[int, float | None] | None:
    """Return number and time of day of the first row of a goal; None: the trace has none."""
    query = 'SELECT entry, system_s FROM trace WHERE goal_id = ? ORDER BY entry LIMIT 1'
    row: tuple[int, float | None] | None = connection.execute(query, (goal_id,)).fetchone()
    return row


DONE, FAULTY = 0, 1
ID_CHARACTERS = 8  # of a goal's id, which a list shows and `show` understands
GOAL_CHARACTERS = 200  # of a goal's text in a list; `show` has all of it
SENTENCES = 20  # about damage, at most
SPOOL_BYTES = 10_000_000  # of an export that are kept in memory


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Raise a JournalError that says why, where the journal at `path` cannot be read."""
    try:
        yield
    except DamagedRowError as error:
        raise JournalError(_damaged(path, error)) from None
    except FILE_ERRORS as error:
        if code_of(error) is StoreCode.DAMAGED:
            raise JournalError(_damaged(path, error)) from None
        raise JournalError(describe_read_error(path, error)) from None


def _damaged(path: Path, error: Exception) -> str:
    return (
        f'The journal {str(path)!r} is damaged ({one_line(str(error))}): `check` says where, '
        '`export` gives what can still be read.'
    )


def list_goals(path: Path, last: int) -> int:
    """Prints the latest goals."""
    with reading(path) as connection:
        lines = list(latest_goals(connection, last))
    if not lines:
        _print(Text('No goals yet.'))
        return DONE
    table = _table('goal', 'received', 'status', 'steps', 'words')
    for line in lines:
        table.add_row(*_line(line))
    _print(table)
    return DONE


def show_goal(path: Path, goal: str) -> int:
    """Prints the timeline of a goal. `goal`: its id, or the beginning of it."""
    with reading(path) as connection:
        goal_id = _the_goal(connection, goal)
        entries = list(read_entries(connection, 'goal_id = ?', goal_id))
    _print(Text.assemble('Goal ', (goal_id, 'bold')))
    table = _table('time', 'after', 'run', '', '')
    started_at = (entries[0].at.system_s or 0.0) if entries else 0.0
    for entry in entries:
        line = journal_line(entry)
        elapsed_s = max((entry.at.system_s or 0.0) - started_at, 0.0)
        table.add_row(
            Text(_clock(entry.at.system_s, '%H:%M:%S'), 'dim'),
            Text(f'{elapsed_s:.1f} s' if elapsed_s < 60 else format_duration(elapsed_s), 'dim'),
            Text(str(entry.at.run), 'dim'),
            line.label,
            Text(one_line(line.text), line.style),
        )
    _print(table)
    return DONE


def export(path: Path, goal: str) -> int:
    """Prints entries as lines of JSON: of one goal, or of all if it is empty.

    They are read before the first one is printed: a pager may keep this program waiting for hours,
    and while the journal is read an executive cannot begin its write-ahead log anew.
    """
    damaged: list[str] = []
    with SpooledTemporaryFile(SPOOL_BYTES, 'w+', encoding='utf-8') as lines:
        with reading(path) as connection:
            goal_id = _the_goal(connection, goal) if goal else ''
            where = ('goal_id = ?', goal_id) if goal_id else ('1',)
            for entry in read_entries(connection, *where, on_damage=damaged.append):
                lines.write(f'{entry_as_json(entry)}\n')
            for part in read_parts(connection, damaged.append).values():
                if not goal_id or part.name.endswith(f'/{goal_id}'):
                    lines.write(f'{entry_as_json(part)}\n')
        lines.seek(0)
        sys.stdout.writelines(lines)
    return _report_damage(path, damaged)


def prune(path: Path, retention: Retention) -> int:
    """Deletes goals that ended long ago."""
    forgotten = 0
    with open_for_pruning(path) as connection:
        while (goal_id := retention.delete_oldest(connection, time.time())) is not None:
            forgotten += bool(goal_id)
        size = size_bytes(connection)
    _print(Text(f'{forgotten} goals forgotten; the journal has {size / MEGABYTE:.1f} MB.'))
    return DONE


def check(path: Path) -> int:
    """Checks whether every row of every table is as it was written."""
    damaged: list[str] = []
    with reading(path) as connection:
        damaged += find_damage(connection)
        entries, runs, goals = 0, 0, {''}
        for entry in read_entries(connection, on_damage=damaged.append):
            entries, runs = entries + 1, max(runs, entry.at.run)
            goals.add(entry.goal_id)
        parts = read_parts(connection, damaged.append)
        goals |= {name.removeprefix(GOAL) for name in parts if name.startswith(GOAL)}
        inputs = check_inputs(connection, damaged.append)
        size, version = size_bytes(connection), version_of(connection)
    _print(
        Text(
            f'{path}: version {version}, {size / MEGABYTE:.1f} MB, {runs} runs, '
            f'{len(goals) - 1} goals, {entries} entries, {len(parts)} parts, {inputs} inputs'
        ),
        Text('damaged', 'bold red') if damaged else Text('Every row is as it was written.'),
    )
    return _report_damage(path, damaged)


def entry_as_json(row: SavedEntry | SavedPart) -> str:
    """Return one line of an export."""
    own = {name: value for name, value in vars(row).items() if name != 'at'}
    return write_json(row.at._asdict() | own)


def _the_goal(connection: sqlite3.Connection, beginning: str) -> str:
    found = find_goal_ids(connection, beginning)
    if len(found) == 1 or beginning in found:
        return beginning if beginning in found else found[0]
    if not found:
        raise UsageError(f'No goal {beginning!r} in this journal: `list` shows those there are.')
    raise UsageError(f'{len(found)} goals begin with {beginning!r}: give more of the id.')


def _line(line: JournalGoal) -> tuple[Text, ...]:
    status, style = line.status.lower().replace('_', ' '), 'cyan'
    if line.ended:
        style = 'green' if status in ('reached', 'answered') else 'yellow'
    return (
        Text(line.goal_id[:ID_CHARACTERS], 'bold'),
        Text(_clock(line.received_s, '%Y-%m-%d %H:%M:%S'), 'dim'),
        Text(status, style),
        Text(str(line.steps)),
        Text(one_line(line.goal)[:GOAL_CHARACTERS]),
    )


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style='dim')
    for title in titles[:-1]:
        table.add_column(title, no_wrap=True)
    table.add_column(titles[-1], overflow='fold')
    return table


def _clock(system_s: float | None, form: str) -> str:
    try:
        return datetime.fromtimestamp(system_s or 0.0).strftime(form)
    except (OverflowError, OSError, ValueError):  # no date
        return f'{system_s} s'


def _print(*parts: Table | Text) -> None:
    console = Console(highlight=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))


def _report_damage(path: Path, damaged: Iterable[str]) -> int:
    """Print the first sentences about damage, and what to do, to stderr; return the exit code."""
    sentences = list(damaged)
    if not sentences:
        return DONE
    for sentence in sentences[:SENTENCES]:
        print(one_line(sentence), file=sys.stderr)
    if len(sentences) > SENTENCES:
        print(f'and {len(sentences) - SENTENCES} more', file=sys.stderr)
    print(
        f'The journal {str(path)!r} is damaged: save what `export` gives and move the file away, '
        f'or {NAME_ANOTHER}.',
        file=sys.stderr,
    )
    return FAULTY
