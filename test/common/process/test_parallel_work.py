"""The same results in the same order, whatever the work is spread over."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

from process_runs import runs
import pytest
from waiting import wait_until

from rover_common.errors import UsageError
from rover_common.process.parallel_work import check_workers, parallel_imap, parallel_map

ITEMS = [str(number) for number in range(9)]


@pytest.mark.process
@pytest.mark.parametrize('workers', [1, 2])
def test_the_results_are_the_same_whatever_the_split(workers: int) -> None:
    assert parallel_map(json.loads, ITEMS, workers) == list(range(9))


@pytest.mark.process
def test_workers_end_with_the_process_that_began_them(tmp_path: Path) -> None:
    work = tmp_path / 'work.py'
    work.write_text(
        'import os, pathlib, sys, threading\n'
        'from rover_common.process.parallel_work import parallel_map\n'
        'def hang(name):\n'
        '    pathlib.Path(name).write_text(str(os.getpid()))\n'
        '    threading.Event().wait()\n'
        "if __name__ == '__main__':\n"
        '    parallel_map(hang, sys.argv[1:], 2)\n'
    )
    files = [tmp_path / 'one', tmp_path / 'two']
    parent = subprocess.Popen([sys.executable, work, *files])
    try:
        wait_until(lambda: all(each.exists() and each.read_text() for each in files))
    finally:
        parent.kill()
        parent.wait()
    workers = [int(each.read_text()) for each in files]
    wait_until(lambda: not any(runs(each) for each in workers))


@pytest.mark.process
@pytest.mark.parametrize('killed', [0, 8])
def test_a_worker_that_is_killed_is_said(killed: int) -> None:
    items = list(ITEMS)
    items[killed] = "__import__('signal').raise_signal(9)"
    with pytest.raises(UsageError, match='--workers 2: one of these processes has died'):
        parallel_map(eval, items, workers=2)


@pytest.mark.process
def test_who_wants_no_more_results_waits_for_none() -> None:
    hangs = "__import__('threading').Event().wait()"
    results = parallel_imap(eval, ['7', hangs, hangs], workers=2)
    assert next(results) == 7
    results.close()  # type: ignore[attr-defined]  # a generator


def test_a_cluster_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'ray', None)  # as where the extra is not installed
    with pytest.raises(UsageError, match='--ray needs the extra ray'):
        parallel_map(json.loads, ITEMS, ray='local')


def test_no_workers_are_refused() -> None:
    with pytest.raises(UsageError, match='--workers 0'):
        check_workers(0)
