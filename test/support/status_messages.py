"""Messages of an adapter's status from a few facts, and the facts of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from statuses import status_of

from rover_common.ros.heartbeat_setpoint_and_status import status_from_ros, status_to_ros


def message_of(facts: Mapping[str, Any]) -> StatusMessage:
    """The message of a status with these facts."""
    return status_to_ros(status_of(facts))


def facts_of(message: StatusMessage) -> dict[str, Any]:
    """What a message says, by the names of get_status."""
    status = status_from_ros(message)
    navigation_goal, ending = status.navigation_goal, status.ending
    return {
        **status.details,
        'life': status.sender,
        'moving': status.moving,
        'at_rest': status.at_rest,
        'standing_unknown': status.standing_unknown or None,
        'manual_mode': status.manual_mode,
        'heartbeat': status.heartbeat.run
        and {'sender': status.heartbeat.run, 'sequence': status.heartbeat.number},
        'permit': {'motion': status.permit.motion, 'number': status.permit.number},
        'ending': ending
        and {
            'sender': ending.permit.run,
            'permit': ending.permit.number,
            'code': ending.code,
            'reason': ending.reason,
        },
        'navigation_goal': navigation_goal
        and {
            **vars(navigation_goal),
            'stage': navigation_goal.stage.value,
            'motion_stage': navigation_goal.motion_stage.value,
        },
    }
