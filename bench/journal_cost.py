"""What the journal costs the tick, and how long an act waits until its record is on disk.

A bare write and fsync of one page on the same disk, in the same run, is the measure: no journal
can be faster than it. The file lies in $TMPDIR, which may be in memory; the ratio still holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import os
from pathlib import Path
import statistics
import tempfile
import threading
import time

from bench._figures import report, report_times
from bt_executive.core.journal import Durability, Journal
from bt_executive.core.journal_records import CallChanged, CallOpened, LifeBegan, Record
from bt_executive.journal.start import Started, boot_id, start_journal
from rover_common.clocks import Now
from rover_common.config.settings import JournalSettings

PUTS = 200_000
PACE = 100  # records of a burst; then the writer catches up, as between two ticks
ACTS = 300
PAGE = os.urandom(4096)
NOW = Now.at(1.0)
PUT_TARGET_MS = 0.02
RATIO_TARGET = 4.0
START_TARGET_S = 2.0
SETTINGS = JournalSettings(file='', on_fault='safe', keep_days=30.0, max_mb=1000.0, patience_s=2.0)
CALL = CallOpened(
    goal_id='5d0c7a6e-0000-4000-8000-000000000000',
    session_id='call-1.1',
    call_id='call-1',
    label='/adapter/navigate_to_pose',
    skill='navigate_to',
    endpoint={'name': '/adapter/navigate_to_pose', 'kind': 'action'},
    arguments={'x': 1.0, 'y': 2.0, 'yaw': 0.5},
    action_id='ab' * 16,
    idempotent=False,
    cancellable=True,
    quiet=False,
    timeout_s=120.0,
    pose={'x': 0.1, 'y': 0.2, 'yaw': 0.3, 'stamp': 99.5},
)


def run() -> bool:
    """Measures put, throughput, the way of one ticket to the disk, and a start on a large file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'journal.sqlite'
        woken = threading.Event()
        journal = _start(path, woken).journal
        met = _bursts(journal, woken)
        met &= _acts(journal, woken, Path(folder) / 'page')
        journal.close(NOW, 'measured', 60.0)
        return met & _large_start(path, woken)


def _start(path: Path, woken: threading.Event) -> Started:
    began = LifeBegan(
        run_id='bench', run_dir='', pid=os.getpid(), boot_id=boot_id(), version='0.1.0'
    )
    return start_journal(path, SETTINGS, began, NOW, woken.set)


def _bursts(journal: Journal, woken: threading.Event) -> bool:
    """Calls that are opened and end, in bursts."""
    taken, began = [], time.perf_counter()
    for burst in range(PUTS // PACE):
        ticket = 0
        for record in _calls(burst):
            before = time.perf_counter()
            ticket = journal.put(NOW, record)
            taken.append((time.perf_counter() - before) * 1e3)
        _wait(journal, ticket, woken)
    rate = PUTS / (time.perf_counter() - began)
    report(f'records on disk in bursts of {PACE}, each waited for', rate, '/s')
    return report_times('put', taken, median=PUT_TARGET_MS)


def _calls(burst: int) -> Iterator[Record]:
    for number in range(PACE // 2):
        session_id = f'call-{burst}.{number}'
        yield replace(CALL, session_id=session_id)
        yield CallChanged(session_id=session_id, happened='succeed', state='succeeded')


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def _acts(journal: Journal, woken: threading.Event, page_file: Path) -> bool:
    """One act after the other, each followed by a bare sync: both meet the same disk."""
    acts, syncs = [], []
    with page_file.open('wb', buffering=0) as file:
        for _ in range(ACTS):
            began = time.perf_counter()
            _wait(journal, journal.put(NOW, CALL), woken)
            acted = time.perf_counter()
            file.write(PAGE)
            os.fsync(file.fileno())
            acts.append((acted - began) * 1e3)
            syncs.append((time.perf_counter() - acted) * 1e3)
    ratio = statistics.median(acts) / statistics.median(syncs)
    report_times('ticket to disk', acts)
    report_times('bare fsync of a page', syncs)
    return report('ticket to disk / bare fsync, medians', ratio, at_most=RATIO_TARGET)


def _large_start(path: Path, woken: threading.Event) -> bool:
    """Opens what was written: checked as a whole, and read for what is open."""
    before = time.perf_counter()
    started = _start(path, woken)
    taken = time.perf_counter() - before
    started.journal.close(NOW, 'measured', 60.0)
    calls = len(started.past.calls) if started.past else 0
    size = path.stat().st_size / 1e6
    what = f'start on {size:.0f} MB with {calls} open calls'
    return report(what, taken, 's', at_most=START_TARGET_S)


def _wait(journal: Journal, ticket: int, woken: threading.Event) -> None:
    while journal.durable(ticket) is Durability.WAITING:
        woken.wait()
        woken.clear()
