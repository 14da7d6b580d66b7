"""Why the navigator refuses a goal, or ends one."""

from __future__ import annotations

from enum import Enum, auto


class Cause(Enum):
    """The codes of the navigator's reasons; the sentences are where the reasons are found."""

    GOAL_NOT_USABLE = auto()
    GOAL_TOO_FAR = auto()
    POSITION_UNKNOWN = auto()
    SURROUNDINGS_UNKNOWN = auto()
    GOAL_UNDER_WAY = auto()
    NO_PATH = auto()
    NAVIGATION_INTERRUPTED = auto()
    # by the adapter, or because of its silence
    NAVIGATION_REFUSED = auto()
    NAVIGATION_ENDED = auto()
    MOTION_REFUSED = auto()
    STOP_UNCONFIRMED = auto()
    ADAPTER_SILENT = auto()
