"""How a motion at a gate ended."""

from __future__ import annotations

from dataclasses import dataclass

from rover_common.permit import EndingCode, PermitId

EXECUTIVE_SILENT = 'the executive has fallen silent'
WITHDRAWN = 'the executive withdrew its permission'


@dataclass(frozen=True)
class GateEnding:
    """How a motion that had a permit ended.

    `stood`: a standstill had been commanded before, by whoever drove.
    """

    permit: PermitId
    code: EndingCode
    reason: str
    stood: bool
