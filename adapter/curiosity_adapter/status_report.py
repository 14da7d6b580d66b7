"""The adapter's status, in /adapter/get_status (JSON) and on /adapter/status (a message)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cache
import json
import os
from typing import Any
import uuid

from curiosity_adapter.mast_state import MastState
from curiosity_adapter.permit_and_deadman import DeadmanState
from rover_common.adapter_status import NOTHING, AdapterStatus, Ending, NavigationReport
from rover_common.config.settings import Variant
from rover_common.geometry.transforms import Transform
from rover_common.permit import Heartbeat, Permit
from rover_common.setpoint import Setpoint


def run_id() -> str:
    """The id of this process: another one means that the adapter was restarted."""
    return _run_id_of(os.getpid())


@cache
def _run_id_of(_pid: int) -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True)
class RoverStatus:
    """The part of the status that changes by events: equal values are published once.

    `mast_is_open` is anything but surely closed; None in Variant A and while nothing is known.
    `mast` is None in Variant A. `mast_moves`: a command is under way, or the joint states show it.
    `motion` and `mast_command` name what is under way; a navigation goal with all its parts is one
    motion.
    `at_rest`: nothing is under way, every stop was answered, and the rover does not roll; None:
    not known, and `standing_unknown` says why.
    `permit`: that of the latest heartbeat. `ending`: how the last motion with a permit ended, set
    as soon as it is to end. `navigation_goal`: the state of the latest one that the navigator has
    requested.
    `last_error_reason` is the latest reason of all, `last_refusal` the latest of a request that
    was not granted.
    """

    variant: Variant
    mast_is_open: bool | None
    mast: MastState | None
    mast_command: str | None
    mast_moves: bool
    move_allowed: bool
    moving: bool
    motion: str | None
    at_rest: bool | None
    standing_unknown: str | None
    permit: Permit
    ending: Ending | None
    navigation_goal: NavigationReport | None
    deadman: DeadmanState
    manual_mode: bool
    last_error_reason: str | None
    last_refusal: str | None


@dataclass(frozen=True)
class Measurements:
    """The part of the status that changes all the time. None: not known.

    Attributes:
        heartbeat: The latest that counts; by it its sender knows how young the status is.
        pose: Of the rover in the world frame, m and rad, with its ROS time in s.
        pose_age_s: Since that pose was received, in s.
        battery_pct: Charge in percent.
        joints: Position of each joint of the mast in rad.
        heartbeat_age_s: Since the executive's last heartbeat, in s.
        limits: The limits of motion, by their keys in `curiosity.motion`.
        setpoint: The latest one that counts; by it the navigator knows how young the status is.
    """

    heartbeat: Heartbeat | None
    pose: Transform | None
    pose_age_s: float | None
    battery_pct: float | None
    joints: dict[str, float | None]
    heartbeat_age_s: float | None
    limits: dict[str, float]
    setpoint: Setpoint | None


# Parts of `RoverStatus` with a field of their own in the message.
TYPED = frozenset(
    {'moving', 'at_rest', 'standing_unknown', 'manual_mode', 'permit', 'ending'}
    | {'navigation_goal'}
)
EVENTS = tuple(each.name for each in fields(RoverStatus) if each.name not in TYPED)


def report_of(status: RoverStatus, measured: Measurements) -> AdapterStatus:
    """Return the status of every adapter, with the details of this rover."""
    heartbeat, setpoint = measured.heartbeat, measured.setpoint
    return AdapterStatus(
        sender=run_id(),
        moving=status.moving,
        at_rest=status.at_rest,
        standing_unknown=status.standing_unknown or '',
        manual_mode=status.manual_mode,
        heartbeat=heartbeat.number if heartbeat else NOTHING,
        executive_alive=status.deadman == 'armed',
        permit=status.permit,
        ending=status.ending,
        setpoint=setpoint.run_number if setpoint else NOTHING,
        navigation_goal=status.navigation_goal,
        details=_details(status, measured),
    )


def status_to_json(status: RoverStatus, measured: Measurements) -> str:
    """Return one JSON object, with null for what is not known."""
    return json.dumps(_content(status, measured), ensure_ascii=False, allow_nan=False)


def _content(status: RoverStatus, measured: Measurements) -> dict[str, Any]:
    heartbeat, setpoint = measured.heartbeat, measured.setpoint
    return {
        **asdict(status),
        'ending': _ending(status.ending),
        'navigation_goal': status.navigation_goal and _navigation_goal(status.navigation_goal),
        'heartbeat': heartbeat and {'sender': heartbeat.sender, 'sequence': heartbeat.sequence},
        'setpoint': setpoint and {'sender': setpoint.sender, 'sequence': setpoint.sequence},
        'life': run_id(),
        **_details(status, measured),
    }


def _details(status: RoverStatus, measured: Measurements) -> dict[str, Any]:
    pose = measured.pose
    return {
        **{name: getattr(status, name) for name in EVENTS},
        'rover_x': pose and round(pose.x, 4),
        'rover_y': pose and round(pose.y, 4),
        'rover_z': pose and round(pose.z, 4),
        'rover_yaw': pose and round(pose.yaw, 4),
        'rover_stamp': pose and pose.stamp,
        'rover_age_s': _rounded(measured.pose_age_s, 1),
        'tilt': pose and round(pose.tilt, 4),
        'battery_pct': _rounded(measured.battery_pct, 2),
        'joints': {name: _rounded(value, 4) for name, value in measured.joints.items()},
        'heartbeat_age_s': _rounded(measured.heartbeat_age_s, 3),
        'limits': measured.limits,
    }


def _ending(ending: Ending | None) -> dict[str, str | int] | None:
    if ending is None:
        return None
    sender, number = ending.permit
    return {
        'sender': sender,
        'permit': number,
        'code': ending.code,
        'reason': ending.reason,
    }


def _navigation_goal(report: NavigationReport) -> dict[str, str | int | bool]:
    stages = {'stage': report.stage.value, 'motion_stage': report.motion_stage.value}
    return asdict(report) | stages


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
