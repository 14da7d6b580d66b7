"""The order of the suite: every process of pytest begins with the tests that take long.

xdist gives each of its processes (`workers`) an equal part of the tests, in their order; who has
ended its part takes over the end of another one's. Tests with the whole system mostly wait for
other processes, so all workers may run one at a time. Short tests come last, so that all
workers end together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
import os

import pytest

WORKERS = 'PYTEST_XDIST_WORKER_COUNT'
# Seconds that a test with this marker takes, roughly: only how they compare matters.
TAKES_S = {'system': 15.0, 'process': 2.0, 'ros': 1.0, 'long': 0.7}


@dataclass(frozen=True)
class Module:
    """The tests of a file. They stay together, so that they share fixtures.

    Attributes:
        test_s: What a test of it takes, roughly, in s; 0 for next to nothing.
    """

    items: list[pytest.Item]
    test_s: float = 0.0

    @property
    def takes_s(self) -> float:
        """All of its tests, roughly, in s."""
        return len(self.items) * self.test_s


@dataclass
class Part:
    """What one worker begins with."""

    modules: list[Module] = field(default_factory=list)

    @property
    def takes_s(self) -> float:
        """All of it, roughly, in s."""
        return sum(module.takes_s for module in self.modules)

    def items(self) -> list[pytest.Item]:
        """Its tests: which take longest come first."""
        ordered = sorted(self.modules, key=lambda module: -module.test_s)
        return [item for module in ordered for item in module.items]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Orders the modules."""
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    modules = [Module(each, _takes_s(each[0])) for each in files]
    items[:] = spread(modules, int(os.environ.get(WORKERS, '1')))


def _takes_s(item: pytest.Item) -> float:
    marked = [takes for marker, takes in TAKES_S.items() if item.get_closest_marker(marker)]
    return max(marked, default=0.0)


def spread(modules: Sequence[Module], workers: int) -> list[pytest.Item]:
    """A part of equal size for each worker: its share of the long modules, then short ones."""
    parts = [Part() for _ in range(workers)]
    for module in sorted(modules, key=lambda module: -module.takes_s):
        if module.takes_s:
            min(parts, key=lambda part: part.takes_s).modules.append(module)
    short = [item for module in modules if not module.takes_s for item in module.items]
    left = sum(len(module.items) for module in modules)
    ordered: list[pytest.Item] = []
    for number, part in enumerate(parts):
        begun = part.items()
        size = left // (workers - number)  # as xdist divides them
        room = max(size - len(begun), 0)
        ordered += begun + short[:room]
        left -= len(begun + short[:room])
        short = short[room:]
    return ordered + short
