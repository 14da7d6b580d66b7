"""Heartbeats, setpoints and the adapter's status on the wire; the publisher of heartbeats."""

from __future__ import annotations

import itertools
import json
import re
import time
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from bt_executive_interfaces.msg import GatePermit, MotionEnding, MotionSetpoint, SetpointReport
from bt_executive_interfaces.msg import Heartbeat as HeartbeatMessage
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile

from rover_common.adapter_status import AdapterStatus, Ending, NavigationReport
from rover_common.json_values import read_json_object
from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT, Heartbeat, Permit
from rover_common.ros.message_conversions import (
    optional_bool_from_ros,
    optional_bool_to_ros,
    sendable_message,
)
from rover_common.setpoint import Setpoint, Stage

HEARTBEAT = 'executive/heartbeat'
LATEST = QoSProfile(depth=1)  # an older heartbeat is of no use beside a newer one
NANO = 1_000_000_000
_GOAL_ID = re.compile('[0-9a-f]{32}')


def heartbeat_to_ros(heartbeat: Heartbeat) -> HeartbeatMessage:
    """Return the message of a heartbeat."""
    return HeartbeatMessage(
        stamp=_stamp(heartbeat.sent_at),
        sender=heartbeat.sender,
        sequence=heartbeat.sequence,
        motion=heartbeat.permit.motion,
        permit=heartbeat.permit.number,
        gates=[
            GatePermit(
                gate=permit.gate, motion=permit.motion, permit=permit.number, goal=permit.goal
            )
            for permit in heartbeat.gates
        ],
    )


def _stamp(sent_at: float) -> Time:
    seconds, nanoseconds = divmod(round(sent_at * NANO), NANO)
    return Time(sec=seconds, nanosec=nanoseconds)


def heartbeat_from_ros(message: HeartbeatMessage) -> Heartbeat:
    """Return the heartbeat of a message; `sent_at` is as exact as a float of it can be.

    A permit for what is no goal's UUID permits nothing, and is left out.
    """
    return Heartbeat(
        sender=message.sender,
        sequence=message.sequence,
        sent_at=message.stamp.sec + message.stamp.nanosec / NANO,
        permit=Permit(message.motion, message.permit),
        gates=tuple(
            Permit(permit.motion, permit.permit, permit.gate, permit.goal)
            for permit in message.gates
            if not permit.goal or _GOAL_ID.fullmatch(permit.goal)
        ),
    )


class HeartbeatPublisher:
    """Publishes the heartbeats of one run. Not thread-safe."""

    def __init__(self, node: Node, sender: str) -> None:
        self._publisher = node.create_publisher(HeartbeatMessage, HEARTBEAT, LATEST)
        self._sender = sender
        self._numbers = itertools.count(1)
        self._permits: dict[str, Permit] = {}  # by gate

    def publish(self) -> Heartbeat:
        """Publish the next heartbeat, with the current permits."""
        permit = self._permits.get('', NO_PERMIT)
        gates = tuple(each for gate, each in self._permits.items() if gate and each.number)
        heartbeat = Heartbeat(self._sender, next(self._numbers), time.time(), permit, gates)
        self._publisher.publish(heartbeat_to_ros(heartbeat))
        return heartbeat

    def permit(self, permit: Permit) -> Heartbeat:
        """Replace the permit of its gate, and publish it at once."""
        self._permits[permit.gate] = permit
        return self.publish()


SETPOINT = 'adapter/motion_setpoint'


def setpoint_to_ros(setpoint: Setpoint) -> MotionSetpoint:
    """The message of a setpoint."""
    permit_sender, permit = setpoint.permit
    return MotionSetpoint(
        stamp=_stamp(setpoint.sent_at),
        sender=setpoint.sender,
        sequence=setpoint.sequence,
        adapter=setpoint.adapter,
        navigation_goal=setpoint.navigation_goal,
        permit_sender=permit_sender,
        permit=permit,
        motion=setpoint.motion,
        number=setpoint.number,
    )


def setpoint_from_ros(message: MotionSetpoint) -> Setpoint:
    """The setpoint of a message; `sent_at` to the nanosecond as far as a float holds it."""
    return Setpoint(
        sender=message.sender,
        sequence=message.sequence,
        sent_at=message.stamp.sec + message.stamp.nanosec / NANO,
        adapter=message.adapter,
        navigation_goal=message.navigation_goal,
        permit=RunNumber(message.permit_sender, message.permit),
        motion=message.motion,
        number=message.number,
    )


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
