"""Whatever zone is accepted, executive and adapter refuse a drive through its middle."""

from __future__ import annotations

import math

from hypothesis import HealthCheck, example, given, reject, settings
from hypothesis import strategies as st
import pytest

from bt_executive.core.guards import zone_on_path
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import KeepOut, Path, ZoneAreas, area_of, read_zones
from rover_common.geometry.planar_motion import Pose2D, path_of_motion

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
    try:
        return read_zones([('zone', polygon)])[0]
    except ValueError:
        return None


def drive_to(x: float, y: float, heading: float, away_m: float, beyond_m: float) -> Path:
    """A straight drive from far away to a place, and on beyond it."""
    cos, sin = math.cos(heading), math.sin(heading)
    start = Pose2D(x=x - away_m * cos, y=y - away_m * sin, yaw=heading)
    return path_of_motion(start, SPEED_M_S, 0.0, (away_m + beyond_m) / SPEED_M_S)


def assert_refused(zone: KeepOutZone, path: Path, margin_m: float) -> None:
    areas = ZoneAreas([zone])
    assert zone_on_path(path, areas, margin_m) == 'zone'
    if not areas.near(path[:1], margin_m):  # who begins too near may leave
        assert KeepOut([zone]).intrusion(path, margin_m) == 'zone'


HEADINGS, AWAY, MARGINS = st.floats(-4.0, 4.0), st.floats(3.0, 1e5), st.floats(0.01, 2.0)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(polygon=polygons, heading=HEADINGS, away_m=AWAY, margin_m=MARGINS)
def test_a_drive_through_the_middle_of_an_accepted_zone_is_refused(
    polygon: list[tuple[float, float]], heading: float, away_m: float, margin_m: float
) -> None:
    zone = accepted(polygon)
    if zone is None:
        reject()
    middle = area_of(zone).representative_point()
    assert_refused(zone, drive_to(middle.x, middle.y, heading, away_m, away_m), margin_m)
    assert_refused(zone, [(middle.x, middle.y)], margin_m)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@example(
    polygon=[(10, -1e154), (10, 1e154), (11, 1e154), (11, -1e154)],
    edge=0,
    heading=0.0,
    away_m=10.0,
    margin_m=1.5,
)
@example(
    polygon=[(-1e16, -1e16), (1e16, 1e16), (1e16, 1e16 + 4)],
    edge=0,
    heading=-0.8,
    away_m=10.0,
    margin_m=1.5,
)
@given(
    polygon=polygons,
    edge=st.integers(0, 5),
    heading=HEADINGS,
    away_m=AWAY,
    margin_m=MARGINS,
)
def test_a_drive_that_ends_in_front_of_an_accepted_zone_is_refused(
    polygon: list[tuple[float, float]],
    edge: int,
    heading: float,
    away_m: float,
    margin_m: float,
) -> None:
    """To half the margin from the middle of an edge, by arithmetic of its own."""
    zone = accepted(polygon)
    if zone is None:
        reject()
    a, b = (zone.polygon[(edge + step) % len(zone.polygon)] for step in (0, 1))
    x, y = (a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0
    before = drive_to(x, y, heading, away_m, -margin_m / 2.0)
    assert_refused(zone, before, margin_m)
    assert_refused(zone, before[-1:], margin_m)
