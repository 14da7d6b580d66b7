"""How a motion that had a permit ended, for whoever gave the permit."""

from __future__ import annotations

from dataclasses import dataclass

from curiosity_adapter.permission import PermitId
from rover_common.permit import EndingCode


@dataclass(frozen=True)
class Ending:
    """The permit of the motion or journey, and why it ended."""

    permit: PermitId
    code: EndingCode
    reason: str
