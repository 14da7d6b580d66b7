"""The recorded data of a report, as plain values. Times are ROS seconds, lengths m, angles rad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict

from bt_executive.store.run_folder_formats import PictureEntry, RecordedNode, TreeTick
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

LONGEST_START_S = 3600.0  # limit between the begin of a run and its first event


@dataclass(frozen=True)
class RecordedPose:
    """A pose of the robot in the world frame. `at`: steady time in s of its arrival."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    x: float
    y: float
    yaw: float
    at: float | None = None


@dataclass(frozen=True)
class Charge:
    """The battery's charge. `at`: steady time in s of its arrival; None: not recorded."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    percent: float
    at: float | None = None


@dataclass(frozen=True)
class TreeOfProcess:
    """The tree of one process of the executive. `ticks`: changes of each tick, oldest first."""

    nodes: tuple[RecordedNode, ...]
    ticks: tuple[TreeTick, ...]


@dataclass(frozen=True)
class RecordedPicture:
    """A scored picture, whose file is in `folder`."""

    folder: Path
    entry: PictureEntry


@dataclass(frozen=True)
class Recording:
    """The content of a run folder, or of several joined ones.

    Attributes:
        folder: The latest one.
        processes: The trace events of each process of the executive.
        metadata: run.json.
        files: Title → text of the configuration files.
        logs: Name of a node → the end of its log.
        notes: Sentences about what could not be read.
    """

    folder: Path
    processes: tuple[tuple[TraceEvent, ...], ...]
    trees: tuple[TreeOfProcess, ...] = ()
    poses: tuple[RecordedPose, ...] = ()
    charges: tuple[Charge, ...] = ()
    pictures: tuple[RecordedPicture, ...] = ()
    config: Config | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events of all processes."""
        return tuple(event for process in self.processes for event in process)

    @property
    def began(self) -> float:
        """Begin of the run in ROS s as shown live, or else the time of its first event."""
        first, began = self.events[0].ts, self.metadata.get('began')
        if isinstance(began, (int, float)) and 0.0 <= first - began <= LONGEST_START_S:
            return float(began)
        return first
