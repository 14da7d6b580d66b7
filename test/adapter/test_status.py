"""The status as JSON."""

from __future__ import annotations

import json

from bt_executive.transforms import Pose
from curiosity_adapter.status import AdapterStatus, status_to_json

STATUS = AdapterStatus(
    variant='B',
    mast_is_open=False,
    mast='closed',
    mast_command=None,
    move_allowed=True,
    moving=True,
    motion='turn_left',
    deadman='armed',
    last_error_reason='Need to close mast',
)


def test_the_pose_is_told_if_it_is_known() -> None:
    told = json.loads(status_to_json(STATUS, Pose.planar(0.0, 1.23456, -0.5, stamp=7.25)))
    assert told['motion'] == 'turn_left'
    assert (told['rover_x'], told['rover_y'], told['rover_yaw']) == (0.0, 1.2346, -0.5)
    assert told['rover_stamp'] == 7.25


def test_an_unknown_pose_is_null() -> None:
    told = json.loads(status_to_json(STATUS, None))
    assert all(told[f'rover_{key}'] is None for key in ('x', 'y', 'yaw', 'stamp'))
