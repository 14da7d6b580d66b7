"""What may be decided: one tool call with its reason, or final words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Act:
    """Call this tool; `why` is one sentence."""

    tool: str
    why: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Say:
    """End with this answer: all that was asked for is done and confirmed."""

    text: str


@dataclass(frozen=True)
class GiveUp:
    """End without having done what was asked for."""

    reason: str


Decision: TypeAlias = Act | Say | GiveUp
