"""The inputs of a tick: one class for each kind, and no others.

Replay feeds them again, so each is a value that can be stored (`stored_names.py`). `reduce.py`
has what a tick makes of them; what it reports is the trace (`trace.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bt_executive.core.call_states import CallInput
from bt_executive.core.goal_queue import Task
from rover_common.adapter_status import AdapterStatus
from rover_common.config.settings import KeepOutZone, PartValue

# Takes whether the input was accepted, and a sentence or nothing; called once, in the tick.
Reply: TypeAlias = Callable[[bool, str], None]


def no_reply(_accepted: bool, _sentence: str) -> None:
    """Ignores the reply."""


@dataclass(frozen=True)
class GoalReceived:
    """A new goal, from the action or the console."""

    task: Task


@dataclass(frozen=True)
class GoalCancelled:
    """A client has cancelled a goal, which may be another's."""

    task_id: str
    reason: str


@dataclass(frozen=True)
class StopRequested:
    """A request to stop the base and to end the active and all waiting goals."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class PauseRequested:
    """A request to stop the base and to hold the goals back."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ResumeRequested:
    """A request to end a pause."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class SafetyEvent:
    """An event that is not safe; latched until a reset."""

    reason: str
    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ResetRequested:
    """A request to end SAFE. `reply` takes whether it was accepted."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ApprovalGiven:
    """The operator's answer to a request for approval, which it names by its id.

    `arguments`: of an edit. `reply` takes whether the answer was accepted.
    """

    request_id: str
    action: Literal['approve', 'edit', 'reject']
    arguments: Mapping[str, Any] | None = None
    word: str = ''
    source: str = 'the operator'
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ServerCallUpdate:
    """A response or feedback of a server to a call. `fields`: as JSON values."""

    server_call_id: str
    happened: CallInput
    fields: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ''


@dataclass(frozen=True)
class StatusReceived:
    """A status message of the adapter. `at`: steady seconds of arrival."""

    at: float
    status: AdapterStatus


@dataclass(frozen=True)
class PoseReceived:
    """A pose in the world frame: m and rad.

    `at`: steady seconds of arrival; `stamp`: ROS seconds at which the robot was there.
    `orientation_w`: the real part of the rotation as a unit quaternion.
    """

    at: float
    x: float
    y: float
    yaw: float
    tilt: float = 0.0
    stamp: float = 0.0
    z: float = 0.0
    orientation_w: float = 1.0


@dataclass(frozen=True)
class BatteryReceived:
    """The battery's charge in percent. `at`: steady seconds of arrival."""

    at: float
    percent: float


@dataclass(frozen=True)
class ParametersSet:
    """New values of the configuration, by dotted file, section and key."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ZonesReceived:
    """The keep-out zones that hold from now on, besides the configured ones."""

    zones: tuple[KeepOutZone, ...]


@dataclass(frozen=True)
class MemoryReceived:
    """The content of the spatial memory near the robot: a summary, and places as JSON values."""

    summary: str
    places: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class ReadinessReceived:
    """The parts of nodes that tools need and that are not ready, with the reason of each."""

    not_ready: Mapping[str, str]


@dataclass(frozen=True)
class TopicReceived:
    """Values of a topic for the robot's state, by name.

    `at`: steady seconds at which they held. `unknown`: name → why there is no value.
    """

    at: float
    topic: str
    values: Mapping[str, PartValue | None]
    unknown: Mapping[str, str] = field(default_factory=dict)


Command: TypeAlias = (
    GoalReceived
    | GoalCancelled
    | StopRequested
    | PauseRequested
    | ResumeRequested
    | SafetyEvent
    | ResetRequested
    | ApprovalGiven
    | ParametersSet
    | ServerCallUpdate
)
Telemetry: TypeAlias = (
    StatusReceived
    | PoseReceived
    | BatteryReceived
    | ZonesReceived
    | MemoryReceived
    | ReadinessReceived
    | TopicReceived
)
Input: TypeAlias = Command | Telemetry

# A repetition right behind the first one changes nothing.
Repeatable: TypeAlias = SafetyEvent | StopRequested | PauseRequested | ResumeRequested
# Their senders wait for an answer, if they have a `reply`.
Answered: TypeAlias = Repeatable | ResetRequested | ApprovalGiven
