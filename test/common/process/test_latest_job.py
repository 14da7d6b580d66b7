from __future__ import annotations

import threading

from rover_common.process.latest_job import LatestJob

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
