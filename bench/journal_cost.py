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
from typing import Any

from bench._figures import report, report_times
from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.store_port import Durability, Entry, RunStart, Store
from bt_executive.store.store_lock_and_previous_run import StartedRun, boot_id, start_store
from bt_executive.tree.persistent_state import CALLS
from rover_common.clocks import Now
from rover_common.config.load import load_config

PUTS = 100_000
PACE = 100  # puts of a burst; then the writer catches up, as between two ticks
ACTS = 300
PAGE = os.urandom(4096)
NOW = Now.at(1.0)
PUT_TARGET_MS = 0.02
RATIO_TARGET = 4.0
START_TARGET_S = 2.0
SETTINGS = load_config(None, ['journal.max_mb=1000']).executive.journal
GOAL_ID = '5d0c7a6e-0000-4000-8000-000000000000'
CALL = ServerCall(
    server_call_id='call-1.1',
    call_id='call-1',
    label='/adapter/navigate_to_pose',
    skill='navigate_to',
    arguments={'x': 1.0, 'y': 2.0, 'yaw': 0.5},
    goal_id='ab' * 16,
    idempotent=False,
    cancellable=True,
    started_at=NOW,
    counts_from=NOW,
    timeout_s=120.0,
    limit_s=120.0,
)


def run() -> bool:
    """Measures put, throughput, the way of one ticket to the disk, and a start on a large file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'journal.sqlite'
        woken = threading.Event()
        store = _start(path, woken).store
        met = _bursts(store, woken)
        met &= _acts(store, woken, Path(folder) / 'page')
        store.close(NOW, 'measured', 60.0)
        return met & _large_start(path, woken)


def _start(path: Path, woken: threading.Event) -> StartedRun:
    run = RunStart(run_id='bench', run_dir='', pid=os.getpid(), boot_id=boot_id(), version='0.1.0')
    return start_store(path, SETTINGS, run, NOW, woken.set)


def _bursts(store: Store, woken: threading.Event) -> bool:
    """Calls that are opened and end, in bursts."""
    taken, began = [], time.perf_counter()
    for burst in range(PUTS // PACE):
        ticket = 0
        for parts, entries in _calls(burst):
            before = time.perf_counter()
            ticket = store.put(NOW, parts, entries)
            taken.append((time.perf_counter() - before) * 1e3)
        _wait(store, ticket, woken)
    rate = PUTS / (time.perf_counter() - began)
    report(f'changes on disk in bursts of {PACE}, each burst waited for', rate, '/s')
    return report_times('put', taken, median=PUT_TARGET_MS)


def _calls(burst: int) -> Iterator[tuple[dict[str, Any], list[Entry]]]:
    """What a call changes: the part with the open calls, and two entries of the trace."""
    for number in range(PACE // 2):
        call = replace(CALL, server_call_id=f'call-{burst}.{number}')
        yield {CALLS: (call,)}, [Entry('CALL', call, GOAL_ID)]
        yield {CALLS: ()}, [Entry('CALL', replace(call, state=CallState.SUCCEEDED), GOAL_ID)]


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def _acts(store: Store, woken: threading.Event, page_file: Path) -> bool:
    """One act after the other, each followed by a bare sync: both meet the same disk."""
    acts, syncs = [], []
    with page_file.open('wb', buffering=0) as file:
        for _ in range(ACTS):
            began = time.perf_counter()
            _wait(store, store.put(NOW, {CALLS: (CALL,)}, [Entry('CALL', CALL)]), woken)
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
    started.store.close(NOW, 'measured', 60.0)
    calls = len(started.saved.parts[CALLS]) if started.saved else 0
    size = path.stat().st_size / 1e6
    what = f'start on {size:.0f} MB with {calls} open calls'
    return report(what, taken, 's', at_most=START_TARGET_S)


def _wait(store: Store, ticket: int, woken: threading.Event) -> None:
    while store.durable(ticket) is Durability.WAITING:
        woken.wait()
        woken.clear()
