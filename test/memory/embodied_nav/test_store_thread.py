"""The worker's thread: what is asked is answered or refused, whatever becomes of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
import threading
from typing import Any

import pytest

from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store_thread import MOST_WAITING, OVERDUE_S, Worker
from rover_common.errors import MemoryStoreError, StoreUnusableError

LIMIT_S = 60.0


class Answers:
    """What came back, in order; `wait` for as many."""

    def __init__(self) -> None:
        self.reports: list[Any] = []
        self._changed = threading.Condition()

    def take(self, value: Any) -> None:
        with self._changed:
            self.reports.append(value)
            self._changed.notify_all()

    def taking(self, value: Any) -> Callable[[SpatialMemory], None]:
        """A job that gives this."""
        return lambda _memory: self.take(value)

    def wait(self, count: int) -> list[Any]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.reports) >= count, LIMIT_S)
            return self.reports


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None)
    yield made
    made.end()


def test_questions_come_before_changes_and_changes_keep_their_order(
    worker: Worker, answers: Answers
) -> None:
    for name in ('first', 'second'):
        worker.change(answers.taking(name))
    worker.ask(lambda _memory: answers.take('question'), answers.take)
    worker.start()
    assert answers.wait(3) == ['question', 'first', 'second']
    assert worker.fault == ''


def test_a_store_that_cannot_be_opened_refuses_with_its_error(answers: Answers) -> None:
    def fail() -> SpatialMemory:
        raise MemoryStoreError('The disk is away.')

    reports = Answers()
    made = Worker(fail, reports.take)
    made.start()
    made.ask(lambda _memory: answers.take('done'), answers.take)
    made.change(lambda _memory: answers.take('done'), answers.take)
    assert answers.wait(2) == ['The disk is away.'] * 2
    assert reports.wait(1) == ['The disk is away.']
    made.change(lambda _memory: None)
    made.end()
    assert made.dropped == 1


def test_a_job_that_the_store_does_not_take_does_not_end_the_worker(
    worker: Worker, answers: Answers
) -> None:
    def fail(_memory: SpatialMemory) -> None:
        raise MemoryStoreError('It is full.')

    worker.change(fail, answers.take)
    worker.change(lambda _memory: answers.take('done'), answers.take)
    worker.start()
    assert answers.wait(2) == ['It is full.', 'done']


def test_a_lost_server_and_its_return_are_reported_each_time(tmp_path: Path) -> None:
    reports, answers = Answers(), Answers()

    def lose(_memory: SpatialMemory) -> None:
        raise StoreUnusableError('The server is away.')

    def refuse(_memory: SpatialMemory) -> None:
        raise MemoryStoreError('That is no place.')  # which says nothing of the server

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), reports.take)
    for job in (lose, lose, refuse):
        made.ask(job, answers.take)
    made.start()
    answers.wait(3)
    assert made.fault == 'The server is away.'
    made.ask(answers.taking('done'), answers.take)
    answers.wait(4)
    made.end()
    assert made.fault == ''
    assert reports.reports == ['', 'The server is away.', '']


def test_a_full_disk_is_reported_until_something_is_written(
    tmp_path: Path, answers: Answers
) -> None:
    reports = Answers()

    def fail(_memory: SpatialMemory) -> None:
        raise StoreUnusableError('The disk is full.')

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), reports.take)
    made.change(fail, answers.take)
    made.start()
    answers.wait(1)
    for number in (2, 3):  # what can be read says nothing of the disk
        made.ask(answers.taking(number), answers.take)
        answers.wait(number)
        assert made.fault == 'The disk is full.'
    made.change(answers.taking(4))
    answers.wait(4)
    made.end()
    assert reports.reports == ['', 'The disk is full.', '']


def test_a_server_that_is_lost_for_changes_and_questions_is_back_when_it_answers(
    tmp_path: Path, answers: Answers
) -> None:
    def fail(_memory: SpatialMemory) -> None:
        raise StoreUnusableError('The server is away.')

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None)
    made.change(fail, answers.take)
    made.start()
    answers.wait(1)
    made.ask(fail, answers.take)
    made.ask(answers.taking('done'), answers.take)
    answers.wait(3)
    made.end()
    assert made.fault == ''


def test_an_unexpected_error_is_answered_and_does_not_end_the_worker(
    worker: Worker, answers: Answers
) -> None:
    def fail(_memory: SpatialMemory) -> None:
        raise KeyError('object_7')

    worker.ask(fail, answers.take)
    worker.ask(lambda _memory: answers.take('done'), answers.take)
    worker.start()
    fault, done = answers.wait(2)
    assert done == 'done'
    assert fault == ("The memory has a fault of its own, please report it (KeyError: 'object_7').")


def test_an_unexpected_error_while_the_store_is_opened_is_reported(answers: Answers) -> None:
    def fail() -> SpatialMemory:
        raise OverflowError('too large')

    made = Worker(fail, lambda _fault: None)
    made.start()
    made.ask(lambda _memory: answers.take('done'), answers.take)
    assert 'OverflowError: too large' in answers.wait(1)[0]
    made.end()


def test_too_much_is_refused_and_counted(worker: Worker, answers: Answers) -> None:
    worker.change(lambda _memory: None, answers.take)
    for _ in range(MOST_WAITING + 2):
        worker.change(lambda _memory: None)
    assert answers.reports == ['Too much waits to be remembered']
    assert worker.dropped == 2


def test_at_the_end_what_waits_is_still_written(tmp_path: Path, answers: Answers) -> None:
    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None)
    for number in range(20):
        made.change(answers.taking(number))
    made.start()
    made.end(LIMIT_S)
    assert answers.reports == [*range(20)]


def test_upkeep_goes_on_while_nothing_waits_and_questions_come_first(
    tmp_path: Path, answers: Answers
) -> None:
    steps: list[str] = []
    asked = threading.Event()

    def step(_memory: SpatialMemory) -> str:
        steps.append('step')
        if len(steps) == 2:
            made.ask(answers.taking('question'), answers.take)
            made.change(answers.taking('change'))
            asked.set()
        elif asked.is_set():
            answers.take('step')
        return 'something' if len(steps) < 3 else ''

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None, step)
    made.start()
    assert answers.wait(3)[:3] == ['question', 'change', 'step']
    made.end()


def test_upkeep_goes_on_while_changes_come_without_a_pause(
    tmp_path: Path, answers: Answers
) -> None:
    seconds = count(0.0, 0.1)

    def change(_memory: SpatialMemory) -> None:
        if len(answers.reports) < 3:
            made.change(change)

    def keep_up(_memory: SpatialMemory) -> str:
        answers.take(next(seconds))
        return 'done'

    made = Worker(
        lambda: open_memory(tmp_path / 'm.sqlite'),
        lambda _fault: None,
        keep_up,
        clock=lambda: next(seconds),
    )
    made.change(change)
    made.start()
    first, second, third = answers.wait(3)[:3]
    made.end()
    assert min(second - first, third - second) >= OVERDUE_S


def test_upkeep_goes_on_while_something_is_asked_again_and_again(
    tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('embodied_nav.store_thread.UPKEEP_S', 3600.0)
    now, steps = [0.0], Answers()

    def keep_up(_memory: SpatialMemory) -> str:
        steps.take('step')
        return ''

    made = Worker(
        lambda: open_memory(tmp_path / 'm.sqlite'),
        lambda _fault: None,
        keep_up,
        clock=lambda: now[0],
    )
    made.start()
    steps.wait(1)
    for number, now[0] in enumerate((1800.0, 3599.0, 3600.0), 1):
        made.ask(answers.taking(number), answers.take, may_wait=True)
        answers.wait(number)
    assert steps.wait(2) == ['step'] * 2
    made.end()


def test_who_asks_has_a_models_answer_cut_and_who_has_time_waits(
    tmp_path: Path, answers: Answers
) -> None:
    cut, begun = threading.Event(), threading.Event()

    def step(_memory: SpatialMemory) -> str:
        begun.set()
        assert cut.wait(LIMIT_S)
        return ''

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None, step, cut.set)
    made.start()
    assert begun.wait(LIMIT_S)
    made.ask(answers.taking('later'), answers.take, may_wait=True)
    assert not cut.is_set()
    made.ask(answers.taking('now'), answers.take)
    assert answers.wait(2) == ['later', 'now']
    made.end()


def test_a_fault_of_the_upkeep_is_reported_and_ends_nothing(
    tmp_path: Path, answers: Answers
) -> None:
    failed = threading.Event()

    def step(_memory: SpatialMemory) -> str:
        failed.set()
        raise MemoryStoreError('It is full.')

    made = Worker(lambda: open_memory(tmp_path / 'm.sqlite'), lambda _fault: None, step)
    made.start()
    assert failed.wait(LIMIT_S)
    made.ask(answers.taking('done'), answers.take)
    assert answers.wait(1) == ['done']
    assert made.upkeep_fault == 'It is full.'
    made.end()
