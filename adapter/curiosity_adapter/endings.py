"""How a motion that had a permit ended, for whoever gave the permit."""

from __future__ import annotations

from dataclasses import dataclass

from rover_common.permit import EndingCode, PermitId


@dataclass(frozen=True)
class Ending:
    """The permit of the motion or journey, and why it ended."""

    permit: PermitId
    code: EndingCode
    reason: str
