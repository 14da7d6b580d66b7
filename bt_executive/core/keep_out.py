"""Keep-out zones: whether a path comes too near to one."""

from __future__ import annotations

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.zones import Path, ZoneAreas


def zone_on_path(path: Path, zones: ZoneAreas, margin_m: float) -> str | None:
    """The name of the first zone that the path touches or passes nearer than the margin.

    None: it comes too near to none. A path that cannot be measured counts as too near.
    """
    return next((zones.names[number] for number in zones.near(path, margin_m)), None)


class KnownZones:
    """The zones that hold as shapes, which are made anew only when the zones have changed."""

    def __init__(self) -> None:
        self._zones: tuple[tuple[KeepOutZone, ...], ...] = ()
        self._areas = ZoneAreas()

    def areas(
        self, configured: tuple[KeepOutZone, ...], told: tuple[KeepOutZone, ...]
    ) -> ZoneAreas:
        """The shapes of the configured zones and of those that were told."""
        zones = (configured, told)
        if zones != self._zones:  # the same objects compare at once
            self._zones, self._areas = zones, ZoneAreas((*configured, *told))
        return self._areas
