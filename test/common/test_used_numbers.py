"""Numbers that begin something once."""

from __future__ import annotations

from rover_common.used_numbers import MOST_SENDERS, UsedNumbers


def test_a_number_is_used_with_all_before_it() -> None:
    used = UsedNumbers()
    used.use('one', 7)
    used.use('one', 5)
    assert [number for number in range(10) if not used.has('one', number)] == [8, 9]


def test_each_sender_has_its_own_numbers_and_keeps_them() -> None:
    used = UsedNumbers()
    used.use('one', 7)
    used.use('two', 1)
    assert used.has('one', 7)
    assert not used.has('two', 2)


def test_the_sender_that_was_silent_longest_is_forgotten_first() -> None:
    used = UsedNumbers()
    for number in range(MOST_SENDERS):
        used.use(str(number), 1)
    used.use('0', 2)
    used.use('another', 1)
    assert used.has('0', 2)
    assert not used.has('1', 1)
    assert used.has('2', 1)
