"""The status as JSON."""

from __future__ import annotations

import json
import math

from curiosity_adapter.status_report import Measurements, RoverStatus, report_of, status_to_json
from rover_common.adapter_status import Ending, NavigationReport
from rover_common.geometry.transforms import Transform
from rover_common.message_order import RunNumber
from rover_common.permit import EndingCode, Heartbeat, Permit
from rover_common.ros.heartbeat_setpoint_and_status import status_from_ros, status_to_ros
from rover_common.setpoint import Setpoint, Stage

STATUS = RoverStatus(
    variant='B',
    mast_is_open=False,
    mast='closed',
    mast_command=None,
    mast_moves=False,
    move_allowed=True,
    moving=True,
    motion='turn_left',
    at_rest=False,
    standing_unknown=None,
    permit=Permit('turn_left', 4),
    ending=Ending(
        RunNumber('life', 3), EndingCode.HALTED.value, 'turn_left was stopped: too steep'
    ),
    navigation_goal=NavigationReport(
        'navigator', 2, Stage.RUNNING, motion=5, motion_stage=Stage.ASKED
    ),
    deadman='armed',
    manual_mode=False,
    last_error_reason='Need to close mast',
    last_refusal='Need to close mast',
)


def measured(pose: Transform | None, battery_pct: float | None) -> Measurements:
    joints = {'mast_p_joint': 1.570001, 'mast_02_joint': None}
    limits, setpoint = {'longest_s': 30.0}, Setpoint('navigator', 9, 1e9)
    heartbeat = Heartbeat('life', 17, 1e9, Permit('turn_left', 4))
    age = 8.24 if pose else None
    return Measurements(heartbeat, pose, age, battery_pct, joints, 0.0504, limits, setpoint)


def told(pose: Transform | None, battery_pct: float | None) -> dict[str, object]:
    content: dict[str, object] = json.loads(status_to_json(STATUS, measured(pose, battery_pct)))
    return content


def test_what_is_known_is_told() -> None:
    leaning = Transform(0.0, 1.23456, 2.0, qx=math.sin(0.1), qw=math.cos(0.1), stamp=7.25)
    content = told(leaning, 71.2345)
    assert content['motion'] == 'turn_left'
    assert content['heartbeat'] == {'sender': 'life', 'sequence': 17}
    assert content['setpoint'] == {'sender': 'navigator', 'sequence': 9}
    assert content['navigation_goal'] == {
        'sender': 'navigator',
        'number': 2,
        'stage': 'RUNNING',
        'reason': '',
        'motion': 5,
        'motion_stage': 'ASKED',
        'motion_reason': '',
        'at_rest': True,
        'unstopped': '',
    }
    assert content['permit'] == {'motion': 'turn_left', 'number': 4, 'gate': '', 'goal': ''}
    assert content['ending'] == {
        'sender': 'life',
        'permit': 3,
        'code': 'HALTED',
        'reason': 'turn_left was stopped: too steep',
    }
    assert [content[f'rover_{key}'] for key in ('x', 'y', 'z', 'yaw')] == [0.0, 1.2346, 2.0, 0.0]
    assert content['rover_stamp'] == 7.25
    assert content['rover_age_s'] == 8.2
    assert content['tilt'] == 0.2
    assert content['battery_pct'] == 71.23
    assert content['joints'] == {'mast_p_joint': 1.57, 'mast_02_joint': None}
    assert content['heartbeat_age_s'] == 0.05
    assert content['limits'] == {'longest_s': 30.0}


def test_what_is_unknown_is_null() -> None:
    content = told(None, None)
    keys = (
        'rover_x',
        'rover_y',
        'rover_z',
        'rover_yaw',
        'rover_stamp',
        'rover_age_s',
        'tilt',
        'battery_pct',
    )
    assert all(content[key] is None for key in keys)


def test_a_status_is_the_same_on_the_other_side_and_says_nothing_twice() -> None:
    report = report_of(STATUS, measured(None, 71.2345))
    assert status_from_ros(status_to_ros(report)) == report
    whole = told(None, 71.2345)
    assert {key: whole[key] for key in report.details} == report.details
    typed = {
        'heartbeat',
        'setpoint',
        'navigation_goal',
        'permit',
        'ending',
        'life',
        'moving',
        'at_rest',
    }
    assert whole.keys() - report.details.keys() == typed | {'standing_unknown', 'manual_mode'}
