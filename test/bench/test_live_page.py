"""What pages cost the tick is told apart from what slows the machine."""

from __future__ import annotations

import random

import pytest

from bench import live_page
from bench._timed_executive import Tick

pytestmark = pytest.mark.ros


def stretch(slower: float, showing_s: float) -> list[Tick]:
    spent = (slower * showing_s, slower * 0.0001)
    return [Tick(0.0, slower * 0.001, slower * 0.001 + sum(spent), *spent)] * 50


def test_a_machine_that_is_slow_for_a_while_is_no_cost_of_the_pages() -> None:
    draw = random.Random(7)
    alone = [stretch(draw.uniform(1.0, 3.0), 0.0001) for _ in range(12)]
    watched = [stretch(draw.uniform(1.0, 3.0), 0.000122) for _ in range(12)]
    found = live_page._more(alone, watched, live_page._of_tick)
    assert found == pytest.approx((2.0, 2.0, 2.0))


def test_what_the_pages_cost_is_found_with_how_sure_that_is() -> None:
    alone = [stretch(1.0, 0.0001)] * 8
    watched = [stretch(1.0, showing_s) for showing_s in (0.0002, 0.0004) * 4]
    more, low, high = live_page._more(alone, watched, live_page._of_tick)
    assert more == pytest.approx(100.0 * 0.2 / 1.1)
    assert 100.0 * 0.1 / 1.1 <= low < more < high <= 100.0 * 0.3 / 1.1
