"""The order of the suite: no test is lost, and every worker begins with tests that take long."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from spread import Module, spread


def modules(*files: tuple[int, float]) -> list[Module]:
    """Files by how many tests they have, and what a test takes in s."""
    return [
        Module([(at, number) for number in range(size)], test_s)  # type: ignore[misc]
        for at, (size, test_s) in enumerate(files)
    ]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from([0.0, 1.0, 15.0]))), st.integers(1, 6)
)
def test_no_test_is_lost_or_doubled(files: list[tuple[int, float]], workers: int) -> None:
    ordered: list[Any] = spread(modules(*files), workers)
    assert sorted(ordered) == [(at, n) for at, (size, _) in enumerate(files) for n in range(size)]


def test_each_worker_begins_with_its_share_of_the_long_ones() -> None:
    files = [(6, 0.0), (2, 15.0), (1, 15.0), (4, 1.0), (6, 0.0)]
    ordered: list[Any] = spread(modules(*files), workers=2)
    of_file = [at for at, _ in ordered]
    assert of_file[:9] == [1, 1] + 6 * [0] + [4]  # xdist gives the first worker 9 of 19 tests
    assert of_file[9:] == [2] + 4 * [3] + 5 * [4]


def test_one_process_runs_the_long_ones_first() -> None:
    ordered: list[Any] = spread(modules((2, 0.0), (1, 15.0)), 1)
    assert [at for at, _ in ordered] == [1, 0, 0]
