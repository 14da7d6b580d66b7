"""Reasons for a look without a picture."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from rover_common.reason import Reason


class LookCode(str, Enum):
    """Reasons for a look without a picture."""

    NO_CLIENT = 'NO_CLIENT'
    TIMED_OUT = 'TIMED_OUT'
    CLIENT_ERROR = 'CLIENT_ERROR'
    SKIPPED = 'SKIPPED'
    BAD_ANSWER = 'BAD_ANSWER'
    CANCELLED = 'CANCELLED'
    REFUSED = 'REFUSED'  # by the tree


LookFault: TypeAlias = Reason[LookCode]
