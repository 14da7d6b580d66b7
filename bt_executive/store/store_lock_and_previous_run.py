"""Opens the store of an executive: locks and checks it, and reads what the previous run saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
import os
from pathlib import Path
import sqlite3
from typing import TextIO

from bt_executive.core.store_port import (
    ENDS_KEPT,
    GOAL,
    MESSAGES_KEPT,
    RUN,
    Durability,
    Entry,
    NoStore,
    RunStart,
    Saved,
    Store,
    StoreCode,
    StoreFault,
)
from bt_executive.store.inputs_to_write import ignore
from bt_executive.store.journal_location import without_links
from bt_executive.store.sqlite_opening_and_faults import (
    FILE_ERRORS,
    fault,
    fault_of,
    open_for_reading,
    open_for_writing,
)
from bt_executive.store.store_retention import Retention
from bt_executive.store.store_rows import (
    DamagedRowError,
    SavedPart,
    last_entry,
    latest_entries,
    read_entries,
    read_parts,
)
from bt_executive.store.store_writer import OpenFile, SqliteStore
from rover_common.clocks import Now
from rover_common.config.settings import JournalSettings
from rover_common.errors import JournalError, UsageError
from rover_common.json_values import read_json_object
from rover_common.process.node_name_lock import holder_of, sign
from rover_common.reason import Reason


def read_saved(connection: sqlite3.Connection) -> Saved | None:
    """Read the state that an executive resumes from; None: the journal has no previous run.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    parts = read_parts(connection)
    run = parts.pop(RUN, None)
    if run is None:
        return None
    latest: SavedPart = max(parts.values(), key=lambda part: part.at.entry, default=run)
    open_goals = (name.removeprefix(GOAL) for name in parts if name.startswith(GOAL))
    messages = latest_entries(connection, "kind = 'MESSAGE'", MESSAGES_KEPT, _skip)
    ends = latest_entries(connection, 'goal_end IS NOT NULL', ENDS_KEPT, _skip)
    return Saved(
        run=run.at.run,
        run_id=run.value['run_id'],
        ended=run.value['ended'],
        parts={part.name: part.value for part in parts.values()},
        ros_s=latest.at.ros_s or 0.0,
        steps={goal_id: _steps(connection, goal_id) for goal_id in open_goals},
        messages=tuple(entry.value for entry in messages),
        ends=tuple(entry.value for entry in ends),
    )


def _skip(_sentence: str) -> None:
    """Skip a damaged message or end: no open goal depends on it."""


def _steps(connection: sqlite3.Connection, goal_id: str) -> tuple[dict[str, object], ...]:
    steps = read_entries(connection, "goal_id = ? AND kind = 'STEP'", goal_id)
    return tuple(entry.value for entry in steps)


BOOT_ID = Path('/proc/sys/kernel/random/boot_id')
FRESH = 'Started fresh'


@dataclass(frozen=True)
class StartedRun:
    """The store of this run.

    Attributes:
        run: Its number in the file, from 1; 0: nothing is stored, see `store.fault()`.
        saved: The checkpoints of the previous run; None: there are none, or the start is fresh.
    """

    store: Store
    run: int = 0
    saved: Saved | None = None


def start_store(
    path: Path,
    settings: JournalSettings,
    start: RunStart,
    now: Now,
    wake: Callable[[], None],
    report: Callable[[str], None] = ignore,
) -> StartedRun:
    """Begin a run. A file that cannot be used becomes a fault of the store.

    `wake` is called from another thread when `durable` or `fault` may have changed, `report` with
    a sentence when inputs are left out.

    Raises:
        UsageError: Another executive writes this journal.
    """
    path = without_links(path)
    on_fault = Durability.NEVER if settings.on_fault == 'safe' else Durability.NOT_KEPT
    lock = _lock(path)
    if isinstance(lock, Reason):
        return StartedRun(NoStore(_until_next_start(lock), on_fault))
    opened = _open(path, lock, start.fresh)
    if isinstance(opened, Reason):
        lock.close()
        return StartedRun(NoStore(_until_next_start(opened), on_fault))
    file, saved, parts = opened
    max_inputs_mb = settings.max_inputs_mb
    retention = Retention(settings.keep_days, settings.max_mb, max_inputs_mb=max_inputs_mb)
    store = SqliteStore(file, start, now, on_fault, wake, retention, max_inputs_mb, report)
    if start.fresh:
        store.put(now, dict.fromkeys(parts), tuple(_ended(parts)))
        saved = None
    return StartedRun(store, file.run, saved)


def _until_next_start(fault: StoreFault) -> StoreFault:
    """Return the fault of a start, which stays although its cause may pass."""
    advice = f'{fault.sentence.removesuffix(".")}, and start the executive again.'
    return replace(fault, sentence=advice)


def boot_id() -> str:
    """Return the id of the machine's boot; empty if the system has none."""
    try:
        return BOOT_ID.read_text(encoding='ascii').strip()
    except OSError:
        return ''


def _ended(parts: Mapping[str, str]) -> Iterator[Entry]:
    """The ends of the goals that were open before a fresh start."""
    for goal_id in (name.removeprefix(GOAL) for name in parts if name.startswith(GOAL)):
        summary = {'outcome': 'interrupted', 'answer': FRESH}
        with suppress(ValueError):  # a damaged row has no text
            summary['goal'] = str(read_json_object(parts[GOAL + goal_id]).get('goal'))
        end = {'message': FRESH, 'data': {'task_id': goal_id, 'goal_ended': summary}}
        yield Entry('RESULT', end, goal_id, 'interrupted')


def _lock(path: Path) -> TextIO | StoreFault:
    """Lock the file beside the journal, until the returned file is closed."""
    name = path.with_name(f'{path.name}.lock')
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return fault(StoreCode.NO_FOLDER, path, error.strerror or str(error))
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.fdopen(os.open(name, flags, 0o600), 'r+', encoding='utf-8', errors='replace')
    except OSError as error:
        return fault_of(path, error)
    if os.fstat(file.fileno()).st_nlink != 1:  # else another file would be written, too
        file.close()
        return fault(StoreCode.UNWRITABLE, path, f'{name.name!r} is a hard link: remove it')
    holder = holder_of(file)
    if holder:
        file.close()
        raise UsageError(
            f'The journal {str(path)!r} belongs to an executive that runs (process {holder}): end '
            'it, or name another journal with --journal FILE.'
        )
    sign(file)
    return file


def _open(
    path: Path, lock: TextIO, fresh: bool
) -> tuple[OpenFile, Saved | None, dict[str, str]] | StoreFault:
    connection = open_for_writing(path)
    if isinstance(connection, Reason):
        return connection
    try:
        saved = None if fresh else read_saved(connection)  # a fresh start ignores damaged rows
        rows = connection.execute('SELECT part, value FROM parts WHERE part <> ?', (RUN,))
        parts = dict(rows.fetchall())
        last = last_entry(connection)
        numbers = 'SELECT run FROM parts UNION ALL SELECT run FROM runs'
        (run,) = connection.execute(f'SELECT coalesce(max(run), 0) FROM ({numbers})').fetchone()
        file = OpenFile(connection, path, run + 1, last, lock)
    except DamagedRowError as error:
        connection.close()
        return fault(StoreCode.DAMAGED, path, str(error))
    except FILE_ERRORS as error:
        connection.close()
        return fault_of(path, error)
    return file, saved, parts


def make_if_missing(path: Path) -> None:
    """Creates an empty journal for a writer that is no executive. An existing one is unchanged.

    Raises:
        JournalError: It cannot be created.
        UsageError: An executive creates it at this moment.
    """
    path = without_links(path)
    if path.exists():
        return
    lock = _lock(path)
    connection = lock if isinstance(lock, Reason) else open_for_writing(path)
    if isinstance(connection, Reason):
        raise JournalError(connection.sentence)
    connection.close()
    assert not isinstance(lock, Reason)
    lock.close()


@contextmanager
def open_for_pruning(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a journal that no executive uses: an executive prunes its own.

    Raises:
        JournalError: It cannot be read or written.
        UsageError: An executive uses it.
    """
    path = without_links(path)
    open_for_reading(path).close()
    lock = _lock(path)
    connection = lock if isinstance(lock, Reason) else open_for_writing(path)
    if isinstance(connection, Reason):
        raise JournalError(connection.sentence)
    assert not isinstance(lock, Reason)
    with lock, closing(connection):
        yield connection
