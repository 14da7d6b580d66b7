"""The inputs: all that a tick is given from outside. One class for each kind, and no others.

Replay feeds them again, so each is a value that can be written down. What a tick makes of them is
in `reduce.py`; what it reports is the trace (`trace_fields.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bt_executive.core.call_states import CallInput
from bt_executive.core.queued_goal import Task
from rover_common.adapter_status import AdapterStatus
from rover_common.config.settings import KeepOutZone, PartValue

# Accepted, and a sentence (empty: nothing to add); called once, in the tick.
Reply: TypeAlias = Callable[[bool, str], None]


def no_reply(_accepted: bool, _sentence: str) -> None:
    """Nobody waits for an answer."""


@dataclass(frozen=True)
class GoalReceived:
    """A new task, from the action or the console."""

    task: Task


@dataclass(frozen=True)
class GoalCancelled:
    """The client no longer wants this task."""

    task_id: str
    reason: str


@dataclass(frozen=True)
class StopRequested:
    """The operator's stop: the base stands, the active goal and the queue end."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class PauseRequested:
    """The operator's pause: the base stands, the goal waits."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ResumeRequested:
    """The operator's word that the goal goes on."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class SafetyEvent:
    """Something is not safe; latched until a reset."""

    reason: str
    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ResetRequested:
    """The operator says that the cause of SAFE is gone. `reply` is told whether it is."""

    source: str
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ApprovalGiven:
    """The operator's answer to a request for approval, which it names by its id.

    `arguments`: wanted with edit. `reply` is told whether the answer was accepted.
    """

    request_id: str
    action: Literal['approve', 'edit', 'reject']
    arguments: Mapping[str, Any] | None = None
    word: str = ''
    source: str = 'the operator'
    reply: Reply = field(default=no_reply, compare=False)


@dataclass(frozen=True)
class ServerCallUpdate:
    """A server's word on a call. `fields`: the response in JSON values."""

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
    """Values of the configuration, by dotted file, section and key, hold from now on."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ZonesReceived:
    """Somebody told the keep-out zones that hold from now on, besides the configured ones."""

    zones: tuple[KeepOutZone, ...]


@dataclass(frozen=True)
class MemoryReceived:
    """What the spatial memory has near the robot: a summary, and places as JSON values."""

    summary: str
    places: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class ReadinessReceived:
    """The parts of nodes that tools need and that are not ready, with why; the others are."""

    not_ready: Mapping[str, str]


@dataclass(frozen=True)
class TopicReceived:
    """What a topic has for the robot's state, by name.

    `at`: steady seconds at which it was so. `unknown`: why there is no value.
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
TELEMETRY = (
    StatusReceived,
    PoseReceived,
    BatteryReceived,
    ZonesReceived,
    MemoryReceived,
    ReadinessReceived,
    TopicReceived,
)
Input: TypeAlias = Command | Telemetry


# The same word again, right behind the first, says nothing new.
REPEATABLE = (SafetyEvent, StopRequested, PauseRequested, ResumeRequested)
# Somebody waits for the answer to these, if they bring a `reply`.
Answered: TypeAlias = (
    SafetyEvent | StopRequested | PauseRequested | ResumeRequested | ResetRequested | ApprovalGiven
)
ANSWERED = (*REPEATABLE, ResetRequested, ApprovalGiven)
# What a closed inbox still takes: it decides nothing, and shows that the robot was stopped.
TAKEN_WHEN_CLOSED = (ServerCallUpdate, *TELEMETRY)
