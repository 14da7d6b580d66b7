"""Setpoints of the navigator on the wire."""

from __future__ import annotations

from bt_executive_interfaces.msg import MotionSetpoint
from builtin_interfaces.msg import Time

from rover_common.ros.heartbeat import NANO
from rover_common.run_number import RunNumber
from rover_common.setpoint import Setpoint

SETPOINT = 'adapter/motion_setpoint'


def setpoint_to_ros(setpoint: Setpoint) -> MotionSetpoint:
    """The message of a setpoint."""
    seconds, nanoseconds = divmod(round(setpoint.sent_at * NANO), NANO)
    permit_sender, permit = setpoint.permit
    return MotionSetpoint(
        stamp=Time(sec=seconds, nanosec=nanoseconds),
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
