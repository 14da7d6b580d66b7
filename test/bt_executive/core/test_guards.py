"""Conditions of robot.yaml, verdicts of guards, and paths beside keep-out zones."""

from __future__ import annotations

from itertools import pairwise
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.guard_view_and_verdict import Verdict, ZoneCache, allows, refuses
from bt_executive.core.guards import question_of, read_condition, zone_on_path
from bt_executive.core.robot_state import read_parts
from rover_common.config.settings import KeepOutZone, PartCondition, PartType
from rover_common.geometry.keep_out import ZoneAreas
from rover_common.geometry.planar_motion import Pose2D, path_of_motion

TYPES: dict[str, PartType] = {
    'gripper': ('open', 'closed'),
    'lamp_lit': 'boolean',
    'load_kg': 'number',
    'tool': 'string',
}
ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


def condition(**where: Any) -> PartCondition:
    return PartCondition.model_validate({'where': where, 'reason': 'No'})


def said(asked: PartCondition, **status: Any) -> str:
    return read_condition('it', asked, TYPES, read_parts(status, TYPES)).reason


@pytest.mark.parametrize(
    ('status', 'taken'),
    [
        ({'gripper': 'open', 'more': 1}, {'gripper': 'open'}),
        ({'gripper': 'stuck'}, {'gripper': 'stuck'}),  # no word of its: shown, and not known
        ({'gripper': True, 'lamp_lit': 'on', 'load_kg': '2', 'tool': 3}, {}),
        ({'lamp_lit': 1, 'load_kg': True}, {}),
        ({'load_kg': float('nan')}, {}),
        ({'load_kg': 10**400}, {}),
        ({'load_kg': 2, 'tool': 'x' * 201}, {'load_kg': 2}),
        ({'tool': None, 'lamp_lit': [True], 'gripper': {}}, {}),
    ],
)
def test_a_status_gives_what_is_of_the_configured_type(
    status: dict[str, Any], taken: dict[str, Any]
) -> None:
    assert read_parts(status, TYPES) == dict.fromkeys(TYPES) | taken


@pytest.mark.parametrize(
    ('where', 'status', 'reason'),
    [
        ({'gripper': 'closed'}, {'gripper': 'closed'}, ''),
        ({'gripper': 'closed'}, {'gripper': 'open'}, 'No'),
        ({'gripper': 'closed'}, {'gripper': 'stuck'}, 'gripper is not known'),
        ({'gripper': 'closed'}, {}, 'gripper is not known'),
        ({'lamp_lit': False}, {'lamp_lit': False}, ''),
        ({'lamp_lit': False}, {'lamp_lit': 0}, 'lamp_lit is not known'),
        ({'tool': ['none', 'brush']}, {'tool': 'brush'}, ''),
        ({'tool': ['none', 'brush']}, {'tool': 'drill'}, 'No'),
        ({'load_kg': {'at_most': 2}}, {'load_kg': 2.0}, ''),
        ({'load_kg': {'at_least': 1.0, 'at_most': 2.0}}, {'load_kg': 0.5}, 'No'),
        ({'load_kg': {'at_least': 1.0}}, {'load_kg': None}, 'load_kg is not known'),
        ({'gripper': 'closed', 'lamp_lit': True}, {'gripper': 'closed'}, 'lamp_lit is not known'),
        ({'gripper': 'closed', 'lamp_lit': True}, {'gripper': 'open'}, 'No'),
    ],
)
def test_a_condition_allows_refuses_or_does_not_know(
    where: dict[str, Any], status: dict[str, Any], reason: str
) -> None:
    assert said(condition(**where), **status) == reason


@given(status=st.dictionaries(st.sampled_from(sorted(TYPES)), ANYTHING))
def test_a_condition_allows_only_what_it_names(status: dict[str, Any]) -> None:
    asked = condition(gripper='closed', lamp_lit=False, load_kg={'at_most': 2.0})
    allowed = (
        status.get('gripper') == 'closed'
        and status.get('lamp_lit') is False
        and isinstance(status.get('load_kg'), (int, float))
        and not isinstance(status['load_kg'], bool)
        and -1e300 < status['load_kg'] <= 2.0
    )
    assert (said(asked, **status) == '') == allowed


def test_what_is_not_known_may_become_known_and_is_told_in_the_configured_words() -> None:
    raw = {'where': {'lamp_lit': True}, 'reason': 'No', 'unknown': 'Nobody knows of the lamp'}
    asked = PartCondition.model_validate(raw)
    reading = read_condition('it', asked, TYPES, {})
    assert (reading.reason, reading.passing, reading.seen) == (asked.unknown, True, None)


def test_what_is_seen_is_the_value_that_decided() -> None:
    asked = condition(gripper='closed', lamp_lit=True)
    seen = [
        read_condition('it', asked, TYPES, read_parts(status, TYPES)).seen
        for status in (
            {'gripper': 'closed', 'lamp_lit': True},
            {'gripper': 'open', 'lamp_lit': True},
            {'gripper': 'closed', 'lamp_lit': False},
        )
    ]
    assert seen == ['closed', 'open', False]


def test_the_question_in_the_tree() -> None:
    assert question_of('gripper_closed') == 'Gripper closed?'


def test_any_refusal_refuses_and_the_first_one_gives_the_reason() -> None:
    readings = allows('catalogue'), refuses('mast', 'Need to close mast'), refuses('zone', 'Near')
    assert Verdict('nudge', readings).refusal == readings[1]
    later = Verdict('nudge', (readings[1], allows('zone')))
    assert not later.allowed, 'whoever comes after a refusal does not take it back'
    assert later.reason == 'Need to close mast'


def test_without_a_refusal_it_allows() -> None:
    verdict = Verdict('nudge', (allows('catalogue'), allows('mast')))
    assert (verdict.allowed, verdict.refusal, verdict.reason) == (True, None, '')


POSES = st.builds(Pose2D, x=st.floats(-50, 50), y=st.floats(-50, 50), yaw=st.floats(-4, 4))
PIT = KeepOutZone(name='pit', polygon=((4.0, 2.0), (6.0, 2.0), (6.0, 4.0), (4.0, 4.0)))
AREAS = ZoneAreas([PIT])


@given(pose=POSES, speed=st.floats(0, 1), radius=st.sampled_from([0.0, 7.5, -7.5]))
def test_a_path_begins_at_the_pose_and_has_the_length_of_the_drive(
    pose: Pose2D, speed: float, radius: float
) -> None:
    points = path_of_motion(pose, speed, radius, seconds=10.0)
    length = sum(math.dist(a, b) for a, b in pairwise(points))
    assert points[0] == pytest.approx((pose.x, pose.y))
    assert length == pytest.approx(speed * 10.0, rel=1e-3, abs=1e-9)


def test_a_left_turn_goes_to_the_left_and_a_full_circle_comes_home() -> None:
    start = Pose2D(x=1.0, y=2.0, yaw=0.3)
    circle = 2 * math.pi * 7.5
    assert path_of_motion(start, 1.0, 7.5, circle)[-1] == pytest.approx((1.0, 2.0))
    assert path_of_motion(Pose2D(), 1.0, 7.5, circle / 4)[-1] == pytest.approx((7.5, 7.5))
    assert path_of_motion(Pose2D(), 1.0, -7.5, circle / 4)[-1] == pytest.approx((7.5, -7.5))
    backwards = path_of_motion(Pose2D(), -1.0, 7.5, circle / 4)[-1]
    assert backwards == pytest.approx((-7.5, 7.5))


@pytest.mark.parametrize(
    ('y', 'margin', 'zone'),
    [(3.0, 0.0, 'pit'), (0.6, 1.5, 'pit'), (0.4, 1.5, None), (5.4, 1.5, 'pit'), (5.6, 1.5, None)],
)
def test_a_zone_is_met_on_the_path_or_within_the_margin(
    y: float, margin: float, zone: str | None
) -> None:
    path = path_of_motion(Pose2D(y=y), 0.5, 0.0, 20.0)
    assert zone_on_path(path, AREAS, margin) == zone


def test_a_single_place_is_a_path() -> None:
    assert zone_on_path([(5.0, 0.6)], AREAS, 1.5) == 'pit'
    assert zone_on_path([(5.0, 0.4)], AREAS, 1.5) is None


def test_standing_in_a_zone_is_on_its_path() -> None:
    assert zone_on_path(path_of_motion(Pose2D(x=5.0, y=3.0), 0.0, 0.0, 0.0), AREAS, 0.0) == 'pit'


@pytest.mark.parametrize('radius', [0.0, 7.5, -7.5])
@pytest.mark.parametrize('seconds', [1e9, 1e300])
def test_a_motion_without_end_has_few_points(radius: float, seconds: float) -> None:
    assert len(path_of_motion(Pose2D(), 0.485, radius, seconds)) < 500


@pytest.mark.parametrize('y', [3.0, 30.0])
def test_a_line_without_end_still_meets_a_zone(y: float) -> None:
    path = path_of_motion(Pose2D(y=y), 0.485, 0.0, 1e9)
    assert zone_on_path(path, AREAS, 1.5) == ('pit' if y == 3.0 else None)


@pytest.mark.parametrize('seconds', [1e10, 1e153, 1e200, 1e308, math.inf, math.nan])
def test_what_cannot_be_measured_is_too_near(seconds: float) -> None:
    path = path_of_motion(Pose2D(y=100.0), 10.0, 0.0, seconds)
    assert zone_on_path(path, AREAS, 1.5) == 'pit'


def test_shapes_are_made_once_for_each_change_of_the_zones() -> None:
    known, cliff = ZoneCache(), PIT.model_copy(update={'name': 'cliff'})
    first = known.areas((PIT,), ())
    assert known.areas((PIT,), ()) is first
    both = known.areas((PIT,), (cliff,))
    assert both.names == ('pit', 'cliff')
    assert known.areas((PIT,), (cliff.model_copy(),)) is both
