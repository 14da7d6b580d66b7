"""Errors of rcl and rclpy as our own, with what to do."""

from __future__ import annotations

import os

from rover_common.errors import UsageError


def node_refused(error: Exception) -> UsageError:
    """An error of ROS that refuses a node, or a part of it, as our own error."""
    advice = _about_log(error) + _about_security()
    return UsageError(f'ROS refuses this node: {_reason(error)}.{advice}')


def unusable_ros_arguments(error: Exception) -> UsageError:
    """What rcl or rclpy has against the ROS arguments, as our own error."""
    if _about_log(error):
        return node_refused(error)
    return UsageError(f'The ROS arguments cannot be used: {_reason(error)}{_about_security()}')


def _reason(error: Exception) -> str:
    """The message of rcl in one line, without the place in its source."""
    text = str(error).removeprefix('failed to initialize rcl: ').partition(', at /')[0]
    return ' '.join(text.split())


def _about_log(error: Exception) -> str:
    is_it = 'log directory' in str(error)
    return ' Make that folder, or name one that can be written in ROS_LOG_DIR.' * is_it


def _about_security() -> str:
    enabled = os.environ.get('ROS_SECURITY_ENABLE') == 'true'
    return ' ROS_SECURITY_ENABLE is true: docs/security.md says what that needs.' * enabled
