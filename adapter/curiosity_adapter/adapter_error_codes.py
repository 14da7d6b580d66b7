"""Why the adapter refuses a request, ends a motion or cannot carry out a command."""

from __future__ import annotations

from enum import Enum, auto


class Cause(Enum):
    """The codes of the adapter's reasons; the sentences are where the reasons are found."""

    # base or mast, never both
    NEED_TO_CLOSE_MAST = auto()
    MOVE_IN_PROGRESS = auto()
    MAST_UNKNOWN = auto()
    MAST_BUSY = auto()
    STANDING_UNKNOWN = auto()
    # permission of a running executive
    EXECUTIVE_SILENT = auto()
    EXECUTIVE_ALIVE = auto()  # manual mode is refused meanwhile
    NO_PERMISSION = auto()
    PERMISSION_USED = auto()
    PERMISSION_WITHDRAWN = auto()
    MANUAL_MODE = auto()  # somebody drives by hand instead of the executive
    MANUAL_MODE_ENDED = auto()
    # limits
    TILT = auto()
    BATTERY = auto()
    KEEP_OUT = auto()
    POSITION_UNKNOWN = auto()
    TOO_LONG = auto()
    # the course of a motion
    STOP_CALLED = auto()
    NOT_ASKED_FOR = auto()
    ADAPTER_ENDS = auto()
    START_CAME_LATE = auto()
    NAVIGATOR_SILENT = auto()
    SETPOINT_WITHDRAWN = auto()
    # of rover and joints
    SERVICE_ABSENT = auto()
    SERVICE_SILENT = auto()
    JOINTS_SILENT = auto()
    MAST_NOT_AT_GOAL = auto()


# What may recover within a moment by itself.
GAPS = frozenset({Cause.EXECUTIVE_SILENT, Cause.POSITION_UNKNOWN, Cause.NAVIGATOR_SILENT})
