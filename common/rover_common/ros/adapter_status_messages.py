"""The adapter's status on the wire: conversions."""

from __future__ import annotations

import json
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from bt_executive_interfaces.msg import MotionEnding, SetpointReport

from rover_common.adapter_status import AdapterStatus, Ending, NavigationReport
from rover_common.json_text import read_json_object
from rover_common.permit import Permit
from rover_common.ros.message_conversions import optional_bool_from_ros, optional_bool_to_ros
from rover_common.ros.sendable_message import sendable_message
from rover_common.run_number import RunNumber
from rover_common.setpoint import Stage

LONGEST_REASON = 1000  # characters of a reason that comes from another process
LONGEST_DETAILS = 1_000_000  # characters


def status_to_ros(status: AdapterStatus) -> StatusMessage:
    """Return the message of a status."""
    return sendable_message(
        StatusMessage(
            sender=status.sender,
            moving=optional_bool_to_ros(status.moving),
            at_rest=optional_bool_to_ros(status.at_rest),
            standing_unknown=status.standing_unknown,
            manual_mode=optional_bool_to_ros(status.manual_mode),
            heartbeat_sender=status.heartbeat.run,
            heartbeat_sequence=status.heartbeat.number,
            executive_alive=optional_bool_to_ros(status.executive_alive),
            permitted_motion=status.permit.motion,
            permit=status.permit.number,
            ending=_ending_to_ros(status.ending),
            setpoint_sender=status.setpoint.run,
            setpoint_sequence=status.setpoint.number,
            navigation_goal=_navigation_to_ros(status.navigation_goal),
            details=json.dumps(dict(status.details), ensure_ascii=False, allow_nan=False),
        )
    )


def status_from_ros(message: StatusMessage) -> AdapterStatus:
    """Read a status. Reasons are cut.

    Raises:
        ValueError: A field has no such value; the message names it.
    """
    truths = {
        name: optional_bool_from_ros(getattr(message, name), name)
        for name in ('moving', 'at_rest', 'manual_mode', 'executive_alive')
    }
    return AdapterStatus(
        sender=message.sender,
        **truths,
        standing_unknown=message.standing_unknown[:LONGEST_REASON],
        heartbeat=RunNumber(message.heartbeat_sender, message.heartbeat_sequence),
        permit=Permit(message.permitted_motion, message.permit),
        ending=_ending_from_ros(message.ending),
        setpoint=RunNumber(message.setpoint_sender, message.setpoint_sequence),
        navigation_goal=_navigation_from_ros(message.navigation_goal),
        details=_details(message.details),
    )


def _details(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_DETAILS:
        raise ValueError(f'details have {len(text)} characters, more than {LONGEST_DETAILS}')
    try:
        return read_json_object(text or '{}')
    except ValueError as error:
        raise ValueError(f'details are not a JSON object ({error}): {text:.80}') from None


def _ending_to_ros(ending: Ending | None) -> MotionEnding:
    if ending is None:
        return MotionEnding()
    sender, permit = ending.permit
    message = MotionEnding(sender=sender, permit=permit, code=ending.code, reason=ending.reason)
    return sendable_message(message)


def _ending_from_ros(message: MotionEnding) -> Ending | None:
    if not message.sender:
        return None
    permit = RunNumber(message.sender, message.permit)
    return Ending(permit, message.code, message.reason[:LONGEST_REASON])


def _navigation_to_ros(report: NavigationReport | None) -> SetpointReport:
    if report is None:
        return SetpointReport()
    return sendable_message(
        SetpointReport(
            sender=report.sender,
            navigation_goal=report.number,
            stage=report.stage.value,
            reason=report.reason,
            motion=report.motion,
            motion_stage=report.motion_stage.value,
            motion_reason=report.motion_reason,
            at_rest=report.at_rest,
            unstopped=report.unstopped,
        )
    )


def _navigation_from_ros(message: SetpointReport) -> NavigationReport | None:
    if not message.sender:
        return None
    return NavigationReport(
        sender=message.sender,
        number=message.navigation_goal,
        stage=_stage(message.stage, 'navigation_goal.stage'),
        reason=message.reason[:LONGEST_REASON],
        motion=message.motion,
        motion_stage=_stage(message.motion_stage, 'navigation_goal.motion_stage'),
        motion_reason=message.motion_reason[:LONGEST_REASON],
        at_rest=message.at_rest,
        unstopped=message.unstopped[:LONGEST_REASON],
    )


def _stage(text: str, field: str) -> Stage:
    try:
        return Stage(text)
    except ValueError:
        names = ', '.join(each.value for each in Stage)
        raise ValueError(f'{field} is {text!r:.40}; it can be {names}') from None
