"""Numbers that begin something once."""

from __future__ import annotations

from rover_common.run_number import MOST_RUNS, RunNumber, UsedNumbers


def test_a_number_is_used_with_all_before_it() -> None:
    used = UsedNumbers()
    used.use(RunNumber('one', 7))
    used.use(RunNumber('one', 5))
    assert [number for number in range(10) if not used.has(RunNumber('one', number))] == [8, 9]


def test_each_sender_has_its_own_numbers_and_keeps_them() -> None:
    used = UsedNumbers()
    used.use(RunNumber('one', 7))
    used.use(RunNumber('two', 1))
    assert used.has(RunNumber('one', 7))
    assert not used.has(RunNumber('two', 2))


def test_the_sender_that_was_silent_longest_is_forgotten_first() -> None:
    used = UsedNumbers()
    for number in range(MOST_RUNS):
        used.use(RunNumber(str(number), 1))
    used.use(RunNumber('0', 2))
    used.use(RunNumber('another', 1))
    assert used.has(RunNumber('0', 2))
    assert not used.has(RunNumber('1', 1))
    assert used.has(RunNumber('2', 1))
