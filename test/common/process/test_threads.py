"""No thread ends without a word, whatever ends it."""

from __future__ import annotations

import ast
import asyncio
import os
from pathlib import Path
import re
import subprocess
import sys
import threading

import pytest

from rover_common.process.threads import LatestJob, end_process, start_thread

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ('bt_executive', 'common', 'adapter', 'sim', 'viz', 'memory', 'vision', 'launch')
HELPER = ROOT / 'common/rover_common/process/threads.py'
# Cuts sockets and takes no part in anything else; what it calls cannot fail.
TIMERS = ROOT / 'common/rover_common/llm/bounded_http.py'
MADE = re.compile(r'\b(Thread|Timer)\(')
ENDS = [
    RuntimeError('broken'),
    SystemExit(0),
    KeyboardInterrupt(),
    GeneratorExit(),
    asyncio.CancelledError(),
    MemoryError(),
]


@pytest.mark.parametrize('end', ENDS, ids=lambda end: type(end).__name__)
def test_whatever_ends_a_thread_is_reported(end: BaseException) -> None:
    def work() -> None:
        raise end

    found: list[BaseException] = []
    start_thread(work, 'works', found.append).join()
    assert found == [end]


def test_a_thread_that_has_done_its_work_reports_nothing() -> None:
    found: list[BaseException] = []
    start_thread(lambda: None, 'works', found.append).join()
    assert found == []


@pytest.mark.process
@pytest.mark.parametrize(
    'end', ['RuntimeError("no disk")', 'SystemExit(0)', 'KeyboardInterrupt()']
)
@pytest.mark.parametrize('failed', ['None', 'lambda error: 1 / 0'])
def test_where_nobody_is_told_the_process_ends_with_the_reason(end: str, failed: str) -> None:
    script = f"""
import threading
from rover_common.process.threads import start_thread

def work():
    raise {end}

start_thread(work, 'heart', {failed})
threading.Event().wait(60)
"""
    ended = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert "'heart' failed" in ended.stderr
    assert ('ZeroDivisionError' if '/' in failed else end.partition('(')[0]) in ended.stderr
    assert 'Traceback' not in ended.stderr


def test_a_process_ends_also_if_its_reason_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def exits(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, '_exit', exits)
    with open('/dev/full', 'w') as full:
        monkeypatch.setattr(sys, '__stderr__', full)
        for _ in range(2):  # a full disk, then a closed stream
            with pytest.raises(SystemExit, match='1'):
                end_process('heart', RuntimeError('broken'))
            full.close()


@pytest.mark.slow
def test_every_thread_of_the_product_is_made_by_the_helper() -> None:
    found = [
        f'{path.relative_to(ROOT)}:{node.lineno}'
        for folder in FOLDERS
        for path in (ROOT / folder).rglob('*.py')
        if path not in (HELPER, TIMERS) and MADE.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and _name_of(node.func) in ('Thread', 'Timer')
    ]
    assert found == []


def _name_of(called: ast.expr) -> str:
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ''


LIMIT_S = 30.0


def test_of_the_jobs_that_wait_the_latest_is_done_in_another_thread() -> None:
    begun, may_go_on, done = threading.Event(), threading.Event(), threading.Event()
    did: list[tuple[str, bool]] = []

    def note(name: str) -> None:
        did.append((name, threading.current_thread() is threading.main_thread()))

    def first() -> None:
        begun.set()
        may_go_on.wait(LIMIT_S)
        note('first')

    def last() -> None:
        note('last')
        done.set()

    jobs = LatestJob('latest', lambda error: None)
    jobs.do(first)
    assert begun.wait(LIMIT_S)
    for name in ('second', 'third'):
        jobs.do(lambda name=name: note(name))  # type: ignore[misc]
    jobs.do(last)
    may_go_on.set()
    assert done.wait(LIMIT_S)
    assert did == [('first', False), ('last', False)]
    jobs.close(LIMIT_S)
    assert not jobs._thread.is_alive()


def test_a_job_that_fails_ends_no_other() -> None:
    failures: list[str] = []
    failed, done = threading.Event(), threading.Event()

    def note(error: Exception) -> None:
        failures.append(str(error))
        failed.set()

    jobs = LatestJob('latest', note)
    jobs.do(lambda: [][0])
    assert failed.wait(LIMIT_S)
    jobs.do(done.set)
    assert done.wait(LIMIT_S)
    assert failures == ['list index out of range']
    jobs.close(LIMIT_S)


def test_one_that_never_began_ends_at_once() -> None:
    jobs = LatestJob('latest', lambda error: None)
    jobs.close(LIMIT_S)
    assert jobs._thread.ident is None
