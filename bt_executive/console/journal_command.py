"""`bt-executive journal`: lists goals, shows one as its timeline, exports, prunes, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
import sqlite3
import sys
import time
from typing import Any

from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bt_executive.console.journal_words import entry_in_words
from bt_executive.core.journal import JournalCode
from bt_executive.core.journal_records import GoalReceived, Record
from bt_executive.core.readable import span
from bt_executive.journal.entries import entries_of_goal, readable_entries
from bt_executive.journal.faults import FILE_ERRORS, code_of
from bt_executive.journal.goals import GoalLine, goal_ids, goals_of
from bt_executive.journal.opening import damage_of, open_for_reading
from bt_executive.journal.retention import MEGABYTE, Retention, size_bytes
from bt_executive.journal.rows import DamagedRowError, Entry
from bt_executive.journal.schema import version_of
from bt_executive.journal.start import open_to_prune
from rover_common.errors import JournalError, UsageError
from rover_common.printable import one_line

DONE, FAULTY = 0, 1
ID_CHARACTERS = 8  # of a goal's id, which a list shows and `show` understands
SENTENCES = 20  # about damage, at most
_OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


@dataclass(frozen=True)
class JournalCommand:
    """What is wanted. `goal`: its id or how that begins; empty: all. `last`: goals of a list."""

    action: str
    path: Path
    goal: str = ''
    last: int = 50
    keep_days: float = 30.0
    max_mb: float = 100.0


def run_journal(command: JournalCommand) -> int:
    """Does it and returns the exit code: 0, or 1 if the journal is damaged.

    Raises:
        JournalError: The journal cannot be read.
        UsageError: There is no such goal, or an executive has the journal.
    """
    act: Callable[[JournalCommand], int] = {
        'list': _list,
        'show': _show,
        'export': _export,
        'prune': _prune,
        'check': _check,
    }[command.action]
    try:
        return act(command)
    except DamagedRowError as error:
        raise JournalError(_damaged(command.path, error)) from None
    except FILE_ERRORS as error:
        if code_of(error) is JournalCode.DAMAGED:
            raise JournalError(_damaged(command.path, error)) from None
        raise JournalError(
            f'The journal {str(command.path)!r} cannot be read ({one_line(str(error))}): end the '
            'program that has it open for itself alone, or look at the disk.'
        ) from None


def _damaged(path: Path, error: Exception) -> str:
    return (
        f'The journal {str(path)!r} is damaged ({one_line(str(error))}): `check` says where, '
        '`export` gives what can still be read.'
    )


def _list(command: JournalCommand) -> int:
    with closing(open_for_reading(command.path)) as connection:
        lines = list(goals_of(connection, command.last))
    if not lines:
        _print(Text('No goals yet.'))
        return DONE
    table = _table('goal', 'received', 'status', 'steps', 'words')
    for line in lines:
        table.add_row(*_line(line))
    _print(table)
    return DONE


def _show(command: JournalCommand) -> int:
    with closing(open_for_reading(command.path)) as connection:
        goal_id = _the_goal(connection, command.goal)
        entries = list(entries_of_goal(connection, goal_id))
    _print(Text.assemble('Goal ', (goal_id, 'bold')))
    table = _table('time', 'after', 'life', '', '')
    for entry in entries:
        said = entry_in_words(entry.record)
        passed = max(entry.at.system_s - entries[0].at.system_s, 0.0)
        table.add_row(
            Text(_clock(entry.at.system_s, '%H:%M:%S'), 'dim'),
            Text(f'{passed:.1f} s' if passed < 60 else span(passed), 'dim'),
            Text(str(entry.life), 'dim'),
            said.label,
            Text(one_line(said.text), said.style),
        )
    _print(table)
    return DONE


def _export(command: JournalCommand) -> int:
    damaged: list[str] = []
    with closing(open_for_reading(command.path)) as connection:
        goal_id = _the_goal(connection, command.goal) if command.goal else ''
        for entry in readable_entries(connection, damaged.append):
            if not goal_id or entry.record.goal_id == goal_id:
                print(entry_as_json(entry))
    return _tell(damaged)


def _prune(command: JournalCommand) -> int:
    retention = Retention(command.keep_days, command.max_mb)
    forgotten = 0
    with open_to_prune(command.path) as connection:
        while retention.make_room(connection, time.time()) is not None:
            forgotten += 1
        size = size_bytes(connection)
    _print(Text(f'{forgotten} goals forgotten; the journal has {size / MEGABYTE:.1f} MB.'))
    return DONE


def _check(command: JournalCommand) -> int:
    damaged: list[str] = []
    with closing(open_for_reading(command.path)) as connection:
        damaged += damage_of(connection)
        entries = lives = 0
        goals: set[str] = set()
        for entry in readable_entries(connection, damaged.append):
            entries, lives = entries + 1, max(lives, entry.life)
            if isinstance(entry.record, GoalReceived):
                goals.add(entry.record.goal_id)
        size, version = size_bytes(connection), version_of(connection)
    _print(
        Text(
            f'{command.path}: version {version}, {size / MEGABYTE:.1f} MB, {lives} lives, '
            f'{len(goals)} goals, {entries} entries'
        ),
        Text('damaged', 'bold red') if damaged else Text('Every entry is as it was written.'),
    )
    return _tell(damaged)


def entry_as_json(entry: Entry[Record]) -> str:
    """One line of an export."""
    place = {'entry': entry.number, 'life': entry.life, 'kind': type(entry.record).__name__}
    return _OBJECT.dump_json(place | asdict(entry.at) | asdict(entry.record)).decode()


def _the_goal(connection: sqlite3.Connection, beginning: str) -> str:
    found = goal_ids(connection, beginning)
    if len(found) == 1 or beginning in found:
        return beginning if beginning in found else found[0]
    if not found:
        raise UsageError(f'No goal {beginning!r} in this journal: `list` shows those there are.')
    raise UsageError(f'{len(found)} goals begin with {beginning!r}: give more of the id.')


def _line(line: GoalLine) -> tuple[Text, ...]:
    received = line.received
    status = line.moved.record.status.lower() if line.moved else 'pending'
    style = 'cyan'
    if line.ended is not None:
        status = line.ended.record.outcome.replace('_', ' ')
        style = 'green' if status in ('reached', 'answered') else 'yellow'
    words = entry_in_words(received.record).text
    return (
        Text(received.record.goal_id[:ID_CHARACTERS], 'bold'),
        Text(_clock(received.at.system_s, '%Y-%m-%d %H:%M:%S'), 'dim'),
        Text(status, style),
        Text(str(line.budget.record.steps if line.budget else 0)),
        Text(one_line(words)),
    )


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style='dim')
    for title in titles[:-1]:
        table.add_column(title, no_wrap=True)
    table.add_column(titles[-1], overflow='fold')
    return table


def _clock(system_s: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(system_s).strftime(form)
    except (OverflowError, OSError, ValueError):  # no date
        return f'{system_s:.1f} s'


def _print(*parts: Table | Text) -> None:
    console = Console(highlight=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))


def _tell(damaged: Iterable[str]) -> int:
    """The first sentences about damage, on standard error; the exit code that they mean."""
    told = list(damaged)
    for sentence in told[:SENTENCES]:
        print(one_line(sentence), file=sys.stderr)
    if len(told) > SENTENCES:
        print(f'and {len(told) - SENTENCES} more', file=sys.stderr)
    return FAULTY if told else DONE
