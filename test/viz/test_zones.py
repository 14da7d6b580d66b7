"""Keep-out zones are drawn as they were told, or refused whole."""

from __future__ import annotations

from typing import Any

import pytest

from curiosity_viz.layers.keep_out import MOST_CORNERS, MOST_ZONES, drawable_zones
from rover_common.config.settings import KeepOutZone

ZONE = KeepOutZone(name='crater', polygon=((0.0, 0.0), (4.0, 0.0), (4.0, 4.0)))


def zone(*corners: tuple[float, float]) -> KeepOutZone:
    return KeepOutZone(name='odd', polygon=corners)


def test_zones_come_as_they_were_told() -> None:
    assert drawable_zones((ZONE,)) == (ZONE,)


@pytest.mark.parametrize(
    ('zones', 'fault'),
    [
        ([ZONE] * (MOST_ZONES + 1), 'zones, more than'),
        ([zone(*((x, x * x) for x in range(MOST_CORNERS + 1)))], 'corners'),
        ([zone((0, 0), (1e6, 0), (1e6, 1e6))], 'out of sight'),
    ],
)
def test_what_is_too_much_to_draw_is_refused_with_the_reason(zones: list[Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        drawable_zones(tuple(zones))
