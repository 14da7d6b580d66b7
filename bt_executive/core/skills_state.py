"""The tools in the state: the offered ones, the running ones, and the last result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class SkillDef:
    """A tool that this run offers, as robot.yaml describes it."""

    name: str
    interface_type: str
    args_schema: dict[str, Any] = field(default_factory=dict)
    resources_required: tuple[str, ...] = ()
    preemptible: bool = True
    cancel_supported: bool = True
    timeout_s: float = 60.0
    error_map: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunningSkill:
    """A running server call."""

    goal_id: str
    skill_name: str
    start_time: float
    timeout_s: float
    resources_occupied: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillResult:
    """The result of a call."""

    status: Literal['SUCCESS', 'FAILED', 'CANCELLED']
    error_code: str = ''
    error_msg: str = ''
    # robot_s and wall_s, by the robot's time and by steady time, and distance_m driven meanwhile
    metrics: dict[str, Any] = field(default_factory=dict)
    guard: str = ''  # that refused it; empty: none


@dataclass(frozen=True)
class SkillsState:
    """The offered and running tools, and the last result."""

    registry: dict[str, SkillDef] = field(default_factory=dict)
    running: tuple[RunningSkill, ...] = ()
    last_result: SkillResult | None = None
