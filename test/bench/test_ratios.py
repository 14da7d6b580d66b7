"""What a tick, a tool call and a stop cost has not become much dearer than plain py_trees."""

from __future__ import annotations

from unittest import mock

import pytest

from bench.ratios import BOUNDS, CALL, STOP, TICK, measure
from bt_executive.tree.behaviours.sense import Sense

pytestmark = pytest.mark.long


def test_tick_call_and_stop_are_as_cheap_as_before() -> None:
    found = measure(60)
    assert set(found) == set(BOUNDS)
    assert {name for name, ratio in found.items() if ratio > BOUNDS[name]} == set(), found


def test_what_has_become_dearer_is_found() -> None:
    original = Sense.update

    def dear(self: Sense) -> object:
        sum(number * number for number in range(40_000))
        return original(self)

    with mock.patch.object(Sense, 'update', dear):
        found = measure(20)
    assert all(found[name] > BOUNDS[name] for name in (TICK, CALL, STOP)), found
