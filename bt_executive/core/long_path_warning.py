"""A warning about a path that is long for its destination. Lengths in m. Pure."""

from __future__ import annotations

# A path is long beyond this share of the straight line plus this length.
LONG_SHARE, LONG_M = 1.5, 3.0


def why_long(path_m: float, straight_m: float, detour: str) -> str:
    """Return that a path is long, and why; empty: it is not, or its tool gives no reason.

    `detour`: of the tool's `destination` in the robot's file.
    """
    if not detour or path_m < LONG_SHARE * straight_m + LONG_M:
        return ''
    return f'{path_m:.0f} m to a place {straight_m:.1f} m away: {detour}'
