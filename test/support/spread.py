"""The order of the suite: tests that wait stand evenly between tests that compute.

Tests with the whole system spend most of their time waiting for other processes, those with nodes
or a process much of it. In the order of the folders they come together, and there is nothing to
compute meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

LATEST = 0.9  # of the suite is done when the last of them begins
Module = list[pytest.Item]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Orders the modules; the tests of a module stay together, so that they share fixtures."""
    modules = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    systems, others = _divide(modules, 'system')
    talking, computing = _divide(others, 'ros', 'process')
    ordered = spread(systems, spread(talking, computing))
    items[:] = [item for module in ordered for item in module]


def _divide(modules: Sequence[Module], *markers: str) -> tuple[list[Module], list[Module]]:
    """Those with a test that has one of the markers, and the others."""
    marked: list[Module] = []
    unmarked: list[Module] = []
    for module in modules:
        has = any(item.get_closest_marker(name) for item in module for name in markers)
        (marked if has else unmarked).append(module)
    return marked, unmarked


def spread(few: Sequence[Module], many: Sequence[Module]) -> list[Module]:
    """Both, each in its own order, with the `few` at even distances in tests of the `many`."""
    distance = LATEST * sum(map(len, many)) / max(len(few), 1)
    ordered, passed, left = [], 0, list(few)
    for module in many:
        while left and passed >= distance * (len(few) - len(left)):
            ordered.append(left.pop(0))
        ordered.append(module)
        passed += len(module)
    return [*ordered, *left]
