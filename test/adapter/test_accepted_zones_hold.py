"""Whatever zone is accepted, executive and adapter refuse a drive through its middle."""

from __future__ import annotations

import math

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bt_executive.kernel.keep_out import path_of_motion, zone_on_path
from bt_executive.settings import KeepOutZone
from bt_executive.state import Pose
from bt_executive.zones import ZoneAreas, area_of, zones_from_json, zones_to_json
from curiosity_adapter.keep_out import KeepOut

SPEED_M_S = 0.485
# Of every size, also beyond what is accepted.
metres = st.one_of(
    st.floats(-20.0, 20.0), st.floats(-1e7, 1e7), st.floats(allow_nan=False, allow_infinity=False)
)


@st.composite
def strips(draw: st.DrawFn) -> list[tuple[float, float]]:
    """Long and narrow, at any slant."""
    x, y, heading = draw(metres), draw(metres), draw(st.floats(-4.0, 4.0))
    length, width = draw(st.floats(0.01, 1e17)), draw(st.floats(1e-9, 10.0))
    along = length * math.cos(heading), length * math.sin(heading)
    across = -width * math.sin(heading), width * math.cos(heading)
    corners = [(-1, 0), (1, 0), (1, 1), (-1, 1)]
    return [
        (x + a * along[0] + b * across[0], y + a * along[1] + b * across[1]) for a, b in corners
    ]


polygons = st.one_of(st.lists(st.tuples(metres, metres), min_size=3, max_size=6), strips())


def accepted(polygon: list[tuple[float, float]]) -> KeepOutZone | None:
    unchecked = KeepOutZone.model_construct(name='zone', polygon=tuple(polygon))
    try:
        return zones_from_json(zones_to_json([unchecked]))[0]
    except ValueError:
        return None


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    polygon=polygons,
    heading=st.floats(-4.0, 4.0),
    away_m=st.floats(3.0, 1e5),
    margin_m=st.floats(0.01, 2.0),
)
def test_a_drive_through_the_middle_of_an_accepted_zone_is_refused(
    polygon: list[tuple[float, float]], heading: float, away_m: float, margin_m: float
) -> None:
    zone = accepted(polygon)
    assume(zone is not None)
    middle = area_of(zone).representative_point()
    start = Pose(
        x=middle.x - away_m * math.cos(heading),
        y=middle.y - away_m * math.sin(heading),
        yaw=heading,
    )
    path = path_of_motion(start, SPEED_M_S, 0.0, 2.0 * away_m / SPEED_M_S)
    areas = ZoneAreas([zone])
    assert zone_on_path(path, areas, margin_m) == 'zone'
    assert zone_on_path([(middle.x, middle.y)], areas, margin_m) == 'zone'
    if not areas.near(path[:1], margin_m):  # who begins too near may leave
        assert KeepOut([zone]).intrusion(path, margin_m) == 'zone'
