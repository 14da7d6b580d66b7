"""The order of the suite: tests that wait stand evenly between tests that compute.

Tests with the whole system spend most of their time waiting for other processes. In the order of
the folders they come together, and last, when nothing is left to compute meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

LATEST = 0.9  # of the suite is done when the last of them begins


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Orders the modules; the tests of a module stay together, so that they share fixtures."""
    modules = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    waiting = [each for each in modules if each[0].get_closest_marker('system')]
    computing = [each for each in modules if not each[0].get_closest_marker('system')]
    items[:] = [item for module in spread(waiting, computing) for item in module]


def spread(
    few: Sequence[list[pytest.Item]], many: Sequence[list[pytest.Item]]
) -> list[list[pytest.Item]]:
    """Both, each in its own order, with the `few` at even distances in tests of the `many`."""
    distance = LATEST * sum(map(len, many)) / max(len(few), 1)
    ordered, passed, left = [], 0, list(few)
    for module in many:
        while left and passed >= distance * (len(few) - len(left)):
            ordered.append(left.pop(0))
        ordered.append(module)
        passed += len(module)
    return [*ordered, *left]
