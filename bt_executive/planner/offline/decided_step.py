"""Decisions of the offline model: a tool call, a final answer, or to give up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Act:
    """Call this tool; `why` is a sentence."""

    tool: str
    why: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FinalAnswer:
    """End with this answer: all tasks are done and confirmed."""

    text: str


@dataclass(frozen=True)
class GiveUp:
    """End without having reached the goal."""

    reason: str


Decision: TypeAlias = Act | FinalAnswer | GiveUp
