"""The health of the navigator's parts for /diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from curiosity_navigation.navigator import NavigatorParts
from rover_common.diagnostic_status import Health, Part, stale


class NavigatorHealth:
    """Judges the navigator's parts.

    Args:
        parts: What is judged.
        last_failure: Gives the latest reason for which a goal was refused or ended early.
        clock: Steady time in s.
    """

    def __init__(
        self,
        parts: NavigatorParts,
        last_failure: Callable[[], str | None],
        clock: Callable[[], float],
    ) -> None:
        self._parts = parts
        self._last_failure = last_failure
        self._clock = clock

    def parts(self) -> tuple[Part, ...]:
        """What is reported."""
        return (
            Part('adapter', self._adapter),
            Part('surroundings', self._surroundings, self._surroundings_figures),
            Part('goal', Health, self._goal_figures),
        )

    def _adapter(self) -> Health:
        lost = self._parts.adapter.lost
        return stale(lost.sentence) if lost else Health()

    def _surroundings(self) -> Health:
        if self._parts.poses.pose(self._clock()) is None:
            return stale('the position is not known: no new transform')
        refusal = self._parts.obstacle_monitor.refusal()
        return stale(refusal.sentence) if refusal else Health()

    def _surroundings_figures(self) -> Mapping[str, Any]:
        monitor = self._parts.obstacle_monitor
        return {
            'obstacle_cells': len(monitor.costmap().obstacles),
            'zones': len(self._parts.keep_out.zones),
        }

    def _goal_figures(self) -> Mapping[str, Any]:
        progress = self._parts.navigator.progress
        return {
            'distance_left_m': progress.distance_left if progress else 'no goal',
            'last_failure': self._last_failure() or 'none',
        }
