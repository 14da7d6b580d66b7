"""How a motion that had a permit ended, for whoever gave the permit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from curiosity_adapter.permission import PermitId


class EndingCode(Enum):
    """Who ended it."""

    STOP_CALLED = 'STOP_CALLED'  # somebody called move_stop
    WITHDRAWN = 'WITHDRAWN'  # the executive gives another permit now, or none
    HALTED = 'HALTED'  # the adapter itself: a limit, the mast, silence


@dataclass(frozen=True)
class Ending:
    """The permit of the motion or journey, and why it ended."""

    permit: PermitId
    code: EndingCode
    reason: str
