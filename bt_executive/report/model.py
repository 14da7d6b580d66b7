"""What a report tells, as plain values. Times are ROS seconds, lengths m, angles rad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict

from bt_executive.recording.formats import PictureEntry, RecordedNode, TreeTick
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

UNFINISHED = 'unfinished'


@dataclass(frozen=True)
class RecordedPose:
    """Where the robot stood, in the world frame."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Charge:
    """The battery's charge."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    percent: float


@dataclass(frozen=True)
class TreeLife:
    """The tree in one life of the executive. `ticks`: what each tick changed, oldest first."""

    nodes: tuple[RecordedNode, ...]
    ticks: tuple[TreeTick, ...]


@dataclass(frozen=True)
class Recording:
    """Everything that was read from a run folder.

    Attributes:
        lives: The trace, one sequence of events per life of the executive.
        facts: run.json.
        files: Title → text of the configuration files.
        logs: Name of a node → the end of its log.
        notes: What could not be read, as sentences.
    """

    folder: Path
    lives: tuple[tuple[TraceEvent, ...], ...]
    trees: tuple[TreeLife, ...] = ()
    poses: tuple[RecordedPose, ...] = ()
    charges: tuple[Charge, ...] = ()
    pictures: tuple[PictureEntry, ...] = ()
    config: Config | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events of all lives."""
        return tuple(event for life in self.lives for event in life)


@dataclass
class RecordedStep:
    """A tool that was asked for, and what became of it.

    Attributes:
        number: Of its first event in the trace.
        verdict: `allowed`, `refused`, or empty while nobody had decided.
        began: When the tool started; None if it never did.
        ended: When its result was there.
        ok: Whether it succeeded; None while unknown.
    """

    number: int
    asked: float
    tool: str
    by: str = ''
    arguments: Mapping[str, Any] = field(default_factory=dict)
    thought: str = ''
    verdict: str = ''
    reason: str = ''
    guard: str = ''
    began: float | None = None
    ended: float | None = None
    ok: bool | None = None
    result: str = ''
    score: float | None = None


@dataclass(frozen=True)
class Remark:
    """An event that belongs to no tool. `tone`: sees, thinks, decides, acts, result or error."""

    number: int
    ts: float
    tone: str
    text: str


@dataclass
class GoalReport:
    """One goal from begin to end. `summary`: its entry in summary.json, empty if it had no end."""

    text: str
    began: float
    ended: float
    outcome: str = UNFINISHED
    answer: str = ''
    summary: Mapping[str, Any] = field(default_factory=dict)
    rows: list[RecordedStep | Remark] = field(default_factory=list)

    @property
    def steps(self) -> Sequence[RecordedStep]:
        """The tools that were asked for."""
        return [row for row in self.rows if isinstance(row, RecordedStep)]

    def covers(self, ts: float) -> bool:
        """Whether a moment belongs to this goal."""
        return self.began <= ts <= self.ended
