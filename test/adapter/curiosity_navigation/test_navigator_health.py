"""What the navigator tells of itself on /diagnostics."""

from __future__ import annotations

from typing import Any

import pytest

from curiosity_navigation.navigator_health import NavigatorHealth
from rover_common.diagnostic_status import Health, Level


@pytest.fixture
def told(plain: Any) -> dict[str, Any]:
    health = NavigatorHealth(plain.parts, lambda: None, lambda: plain.now)
    return {part.name: part for part in health.parts()}


def test_before_anything_was_heard_nothing_is_known(told: dict[str, Any]) -> None:
    assert told['adapter'].health().level is Level.STALE
    assert told['surroundings'].health().level is Level.STALE
    assert told['goal'].health() == Health()


@pytest.mark.slow
def test_what_is_left_of_the_way_is_a_figure_while_there_is_a_goal(
    plain: Any, told: dict[str, Any]
) -> None:
    left: list[float] = []

    def note() -> None:
        assert told['adapter'].health() == told['surroundings'].health() == Health()
        if plain.parts.navigator.progress:
            left.append(told['goal'].figures()['distance_left_m'])

    plain.go(5.0, 0.0, meanwhile=note)
    assert left[0] == pytest.approx(5.0, abs=0.5)
    assert told['goal'].figures() == {'distance_left_m': 'no goal', 'last_failure': 'none'}


def test_a_scan_that_does_not_come_is_told(plain: Any, told: dict[str, Any]) -> None:
    plain.habits.blind = True
    plain.go(5.0, 0.0)
    assert told['surroundings'].health().reason.startswith('no usable scan')
