"""A run that was ended goes on where it was, and only with the same sources."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.guard import kept
from bench.guard.kept import Kept, digest_of_sources


@dataclass(frozen=True)
class Squared:
    number: int
    of: tuple[int, ...]


class Squares:
    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, number: int) -> Squared:
        self.asked.append(number)
        return Squared(number * number, (number,))


@pytest.mark.slow
def test_what_is_kept_is_not_done_again(tmp_path: Path) -> None:
    file, squares = tmp_path / 'squares.jsonl', Squares()
    store = Kept[int, Squared](file, Squared, str)
    assert store.spread(squares, [1, 2]) == [Squared(1, (1,)), Squared(4, (2,))]
    assert store.spread(squares, [2, 3, 1])[1] == Squared(9, (3,))
    assert squares.asked == [1, 2, 3]


@pytest.mark.slow
def test_half_a_line_at_the_end_is_done_again(tmp_path: Path) -> None:
    file, squares = tmp_path / 'squares.jsonl', Squares()
    store = Kept[int, Squared](file, Squared, str)
    store.spread(squares, [1, 2])
    file.write_text(file.read_text()[:-5])
    assert [each.number for each in store.spread(squares, [1, 2])] == [1, 4]
    assert squares.asked == [1, 2, 2]
    assert store.spread(squares, [1, 2])[1].number == 4


@pytest.mark.slow
def test_other_sources_make_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    squares = Squares()
    store = Kept[int, Squared](tmp_path / 'squares.jsonl', Squared, str)
    store.spread(squares, [1])
    monkeypatch.setattr(kept, 'digest_of_sources', lambda: 'another')
    store.spread(squares, [1])
    assert squares.asked == [1, 1]


def test_the_digest_is_of_the_sources(tmp_path: Path) -> None:
    (tmp_path / 'adapter').mkdir()
    source = tmp_path / 'adapter' / 'a.py'
    source.write_text('one')
    first = digest_of_sources(tmp_path)
    source.write_text('two')
    assert digest_of_sources(tmp_path) != first
