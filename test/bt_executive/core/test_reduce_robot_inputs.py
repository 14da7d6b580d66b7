"""State from topics and from the adapter: values, their age, causes of SAFE, and standstill."""

from __future__ import annotations

import math
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point32, Polygon, PolygonStamped, PoseStamped, PoseWithCovariance
from hypothesis import given
from hypothesis import strategies as st
import pytest
from sensor_msgs.msg import BatteryState, JointState, LaserScan
from std_msgs.msg import Bool, Header, String, UInt8MultiArray

from bt_executive.core.causes_of_safe import not_yet_received, unsafe
from bt_executive.core.guards import read_condition
from bt_executive.core.inputs import StatusReceived, TopicReceived
from bt_executive.core.reduce_robot_inputs import (
    with_status,
    with_topic,
    with_unknown_parts,
    with_young_values,
    without_old_values,
)
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, state_from_json, state_to_json
from bt_executive.skills.state_and_guard_validation import part_faults
from rover_common.adapter_status import MOVING_AT, AdapterStatus
from rover_common.clocks import Now, Standstill
from rover_common.config.load import load_config
from rover_common.config.settings import PartCondition
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.dataclass_replace import replace
from rover_common.errors import ConfigError
from rover_common.message_order import RunNumber
from rover_common.state_values import value_of

NAN, INF = math.nan, math.inf
POINTS = Polygon(points=[Point32(x=2.5), Point32(x=1.5)])
SCAN = LaserScan(ranges=[2.0, 0.5, 3.0])


def entry(field: str, **keys: Any) -> TopicField:
    return TopicField.model_validate({'topic': '/t', 'field': field, **keys})


@pytest.mark.parametrize(
    ('message', 'asked', 'value'),
    [
        (Bool(data=True), entry('data'), True),
        (String(data='up'), entry('data', words=['up', 'down']), 'up'),
        (BatteryState(percentage=0.5), entry('percentage', scale=100), 50.0),
        (PoseStamped(), entry('pose.orientation.w'), 1.0),
        (SCAN, entry('ranges', reduce='min'), 0.5),
        (SCAN, entry('ranges[0:1]', reduce='max'), 2.0),
        (SCAN, entry('ranges', reduce='mean'), 5.5 / 3),
        (SCAN, entry('ranges[-1]'), 3.0),
        (SCAN, entry('ranges', reduce='count'), 3),
        (LaserScan(), entry('ranges', reduce='count'), 0),
        (LaserScan(ranges=[INF, 5.0]), entry('ranges', reduce='min', if_infinite=30), 5.0),
        (LaserScan(ranges=[INF]), entry('ranges', reduce='min', if_infinite=30), 30.0),
        (
            PolygonStamped(polygon=Polygon(points=[Point32(x=1.5)])),
            entry('polygon.points[0].x'),
            1.5,
        ),
        (POINTS, entry('points.x', reduce='max'), 2.5),
        (POINTS, entry('points[1:].x', reduce='max'), 1.5),
        (POINTS, entry('points.x', reduce='count'), 2),
        (PoseWithCovariance(covariance=[0.25] * 36), entry('covariance[35]'), 0.25),
        (DiagnosticStatus(level=DiagnosticStatus.ERROR), entry('level'), 2),
        (UInt8MultiArray(data=[1, 200]), entry('data', reduce='max'), 200),
        (Header(stamp=Time(sec=3, nanosec=500_000_000)), entry('stamp'), 3.5),
        (Header(stamp=Time(sec=3)), entry('stamp.sec'), 3),
    ],
)
def test_a_message_has_a_value(message: Any, asked: TopicField, value: Any) -> None:
    found = value_of(message, asked)
    assert found == pytest.approx(value)
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ('message', 'asked', 'reason'),
    [
        (SCAN, entry('rangs', reduce='min'), "no field 'rangs'"),
        (SCAN, entry('ranges'), 'a list'),
        (SCAN, entry('ranges[7]'), 'no entry 7'),
        (LaserScan(), entry('ranges', reduce='min'), 'is empty'),
        (SCAN, entry('ranges[9:]', reduce='mean'), 'is empty'),
        (LaserScan(ranges=[1.0, NAN]), entry('ranges', reduce='min'), 'nan'),
        (LaserScan(ranges=[1.0, -INF]), entry('ranges', reduce='min', if_infinite=9), '-inf'),
        (LaserScan(ranges=[INF]), entry('ranges', reduce='min'), 'inf'),
        (SCAN, entry('ranges', reduce='any'), 'no list of booleans'),
        (SCAN, entry('header', reduce='count'), 'no list'),
        (SCAN, entry('header.frame_id[0]'), 'no list'),
        (JointState(name=['a']), entry('name', reduce='max'), 'no number'),
        (BatteryState(percentage=NAN), entry('percentage', scale=100), 'nan'),
        (BatteryState(percentage=3e38), entry('percentage', scale=1e300), 'inf'),
        (String(data='x' * 201), entry('data'), 'xxx'),
        (String(data='open'), entry('data', scale=2.0), 'no number'),
        (Bool(), entry('data', scale=2.0), 'False'),
        (PoseStamped(), entry('pose'), 'Pose'),
        (Bool(), entry('get_fields_and_field_types'), 'no field'),
        (Bool(), entry('data.real'), 'no field'),
        (POINTS, entry('points.w', reduce='max'), "no field 'w', only x, y, z"),
        (POINTS, entry('points.x'), 'a list'),
        (Polygon(), entry('points.x', reduce='max'), 'is empty'),
        (Polygon(points=[Point32()] * 10_001), entry('points.x', reduce='max'), 'more than 10000'),
    ],
)
def test_what_cannot_be_read_is_not_known(message: Any, asked: TopicField, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        value_of(message, asked)


@pytest.mark.parametrize(
    'path',
    ['', '.', 'a..b', 'a[', 'a[1', 'a[x]', 'a[1:2:3]', '__class__', 'a b', 'a' * 201, 'a()'],
)
def test_a_path_that_is_none_is_refused_at_the_start(path: str) -> None:
    with pytest.raises(ValueError, match='no path'):
        entry(path)


ROBOT = load_config(
    None,
    [
        'robot.state.estop={topic: /estop, field: data, max_age_s: 1.0}',
        'robot.state.near_m={topic: /scan, field: ranges, reduce: min, max_age_s: 0.5}',
        'robot.safe_when.estop=true',
    ],
).robot
NEAR = PartCondition.model_validate({'where': {'near_m': {'at_least': 0.4}}, 'reason': 'Near'})
START = with_unknown_parts(BrainState(), ROBOT).robot


def seen(topic: str, at: float = 10.0, robot: RobotState = START, **values: Any) -> RobotState:
    return with_topic(robot, TopicReceived(at, topic, values), ROBOT.from_topics)


def said(robot: RobotState) -> str:
    return read_condition('near', NEAR, ROBOT.types, robot.parts, robot.parts_unknown).reason


def test_a_value_counts_while_it_is_young() -> None:
    robot = seen('/scan', near_m=0.6)
    assert said(START) == 'near_m is not known: nothing was received yet'
    assert said(robot) == ''
    assert without_old_values(robot, Now.at(10.5), ROBOT.from_topics) is robot
    old = without_old_values(robot, Now.at(10.7), ROBOT.from_topics)
    assert said(old) == 'near_m is not known: the latest is 0.7 s old, over 0.5 s'
    assert said(seen('/scan', 11.0, old, near_m=0.3)) == 'Near'
    assert said(seen('/scan', 11.0, old, near_m=0.6)) == ''


def test_a_standstill_of_the_executive_makes_no_value_old_that_something_runs_on() -> None:
    robot = seen('/scan', near_m=0.6)
    asleep = (Standstill(70.0, 60.0),)
    for now, is_known in ((70.0, True), (71.0, True), (71.1, False)):
        moment = replace(Now.at(now), standstills=asleep)
        known_then = without_old_values(robot, moment, ROBOT.from_topics)
        assert (known_then is robot) == is_known
        young = with_young_values(robot, moment, ROBOT.from_topics)
        assert young.parts['near_m'] is None, 'nothing begins on it'
    assert said(known_then) == 'near_m is not known: the latest is 61.1 s old, over 0.5 s'


def test_a_value_that_comes_no_more_is_not_known() -> None:
    given = TopicReceived(11.0, '/scan', {}, {'near_m': 'ranges is empty'})
    robot = with_topic(seen('/scan', near_m=0.6), given, ROBOT.from_topics)
    assert said(robot) == 'near_m is not known: ranges is empty'
    assert robot.parts_at['near_m'] == 10.0


def test_a_state_with_topics_has_a_round_trip() -> None:
    state = replace(BrainState(), robot=seen('/scan', near_m=0.6))
    assert state_from_json(state_to_json(state)) == state


@pytest.mark.parametrize(
    ('robot', 'causes', 'awaited'),
    [
        (START, [], ('estop',)),
        (seen('/estop', estop=False), [], ()),
        (seen('/estop', estop=True), ['estop is yes'], ()),
        (seen('/estop', estop='yes'), ['estop is not known: it has another type'], ()),
        (seen('/estop', estop=1), ['estop is not known: it has another type'], ()),
        (
            without_old_values(seen('/estop', estop=False), Now.at(12.0), ROBOT.from_topics),
            ['estop is not known: the latest is 2.0 s old, over 1 s'],
            (),
        ),
    ],
)
def test_what_is_unsafe_and_what_is_known_no_more_makes_safe(
    robot: RobotState, causes: list[str], awaited: tuple[str, ...]
) -> None:
    assert list(unsafe(robot, ROBOT)) == causes
    assert not_yet_received(robot, ROBOT) == awaited


BOTH = {'where': {'near_m': {'at_least': 1}}}
ONE = {'any_of': [{'near_m': {'at_least': 1}}, {'estop': False}]}
NOT = {'not': {'estop': True}}


@pytest.mark.parametrize(
    ('rule', 'parts', 'verdict'),
    [
        (ONE, {'near_m': 2.0}, True),  # one is enough, whatever the other is
        (ONE, {'near_m': 0.5, 'estop': False}, True),
        (ONE, {'near_m': 0.5, 'estop': True}, False),
        (ONE, {'near_m': 0.5}, None),
        (NOT, {'estop': False}, True),
        (NOT, {'estop': True}, False),
        (NOT, {}, None),
        (NOT, {'estop': 0}, None),  # a number is not taken for false
        (BOTH | NOT, {'near_m': 2.0}, None),
        (BOTH | NOT, {'near_m': 0.5}, False),
        (BOTH, {'near_m': True}, None),
    ],
)
def test_groups_and_exceptions(rule: Any, parts: Any, verdict: bool | None) -> None:
    condition = PartCondition.model_validate({**rule, 'reason': 'No'})
    reading = read_condition('it', condition, ROBOT.types, parts)
    assert reading.allowed is (verdict is True)
    assert (reading.reason == 'No') is (verdict is False)


HOSTILE = [
    ('robot.state.x={topic: "/a b", field: data}', 'topic'),
    ('robot.state.x={topic: /a}', 'field'),
    ('robot.state.x={topic: /a, field: data, type: std_srvs/srv/Trigger}', 'type'),
    ('robot.state.x={topic: /a, field: data, reduce: eval}', 'reduce'),
    ('robot.state.x={topic: /a, field: data, scale: .nan}', 'scale'),
    ('robot.state.x={topic: /a, field: data, max_age_s: 0}', 'max_age_s'),
    ('robot.state.x={topic: /a, field: data, max_age_s: .inf}', 'max_age_s'),
    ('robot.state.x={topic: /a, field: data, more: 1}', 'more'),
    ('robot.safe_when.nothing=true', 'nothing'),
    ('robot.guards.x={reason: "No"}', 'where, any_of or not'),
    ('robot.guards.x={reason: "No", not: {nothing: 1}}', 'nothing'),
]


@pytest.mark.parametrize(('override', 'named'), HOSTILE)
def test_a_file_with_a_fault_is_refused_by_name(override: str, named: str) -> None:
    try:
        config = load_config(None, [override])
        faults = ' '.join(part_faults(config.robot))
    except ConfigError as error:
        faults = str(error)
    assert named in faults
    assert len(faults) < 2000


KNOWN = st.sampled_from([True, False, None])


def robot(base: bool | None, arm: bool | None) -> RobotState:
    """As a status of two gates says it."""
    each = (base, arm)
    moves = True if any(each) else None if None in each else False
    status = AdapterStatus(
        sender='gates',
        moving=moves,
        at_rest=None if moves is None else not moves,
        heartbeat=RunNumber('', 0),
        details={MOVING_AT: {'base': base, 'arm': arm}},
    )
    return with_status(BrainState(), StatusReceived(1.0, status), {}).robot


@pytest.mark.parametrize(
    ('base', 'arm', 'moved', 'stands'),
    [
        (False, False, {}, True),
        (False, True, {'arm'}, True),  # the executive itself moves the arm
        (False, True, {}, False),  # somebody else does
        (False, True, {'base'}, False),
        (False, None, {'arm'}, None),  # nothing is known of the arm
        (True, True, {'arm'}, False),
        (True, False, {'base'}, False),
        (None, True, {'arm'}, False),
    ],
)
def test_a_drive_begins_beside_an_arm_that_the_executive_moves(
    base: bool | None, arm: bool | None, moved: set[str], stands: bool | None
) -> None:
    assert robot(base, arm).stands_at('base', moved) is stands


@given(KNOWN, KNOWN, st.sets(st.sampled_from(['base', 'arm'])))
def test_a_base_that_is_not_measured_to_stand_never_counts_as_standing(
    base: bool | None, arm: bool | None, moved: set[str]
) -> None:
    seen = robot(base, arm)
    if base is not False or arm is None or (arm and 'arm' not in moved):
        assert seen.stands_at('base', moved) is not True
    assert seen.stands_at('', moved) is seen.stands  # a tool without a gate


def test_a_status_with_anything_else_in_their_place_says_nothing_of_gates() -> None:
    for odd in (None, 7, [True]):
        status = AdapterStatus(
            'a', True, False, heartbeat=RunNumber('', 0), details={MOVING_AT: odd}
        )
        seen = with_status(BrainState(), StatusReceived(1.0, status), {}).robot
        assert (seen.moving_at, seen.stands_at('base', {'arm'})) == ({}, False)
    status = AdapterStatus(
        'a', True, False, heartbeat=RunNumber('', 0), details={MOVING_AT: {'base': 0, 'arm': True}}
    )
    seen = with_status(BrainState(), StatusReceived(1.0, status), {}).robot
    assert seen.moving_at == {'base': None, 'arm': True}
