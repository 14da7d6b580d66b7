"""The inbox: the only way from the threads of ROS and of the planner into the tick thread.

Callbacks put events here and return; the tick drains it. Telemetry keeps only its latest value.
When too many commands wait, the oldest of those are dropped and counted whose sender is told so or
sends more: never one that somebody was told is done.
Once it is closed, it refuses with the reason all that would have to be decided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
import threading
from typing import Any, Literal, TypeAlias

from bt_executive.core.calls import CallInput
from bt_executive.core.state import Task
from rover_common.config.settings import KeepOutZone

# Accepted, and a sentence (empty: nothing to add); called once, in the tick.
Reply: TypeAlias = Callable[[bool, str], None]


def _no_reply(_accepted: bool, _sentence: str) -> None:
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
    reply: Reply = field(default=_no_reply, compare=False)


@dataclass(frozen=True)
class PauseRequested:
    """The operator's pause: the base stands, the goal waits."""

    source: str
    reply: Reply = field(default=_no_reply, compare=False)


@dataclass(frozen=True)
class ResumeRequested:
    """The operator's word that the goal goes on."""

    source: str
    reply: Reply = field(default=_no_reply, compare=False)


@dataclass(frozen=True)
class SafetyEvent:
    """Something is not safe; latched until a reset."""

    reason: str
    source: str
    reply: Reply = field(default=_no_reply, compare=False)


@dataclass(frozen=True)
class ResetRequested:
    """The operator says that the cause of SAFE is gone. `reply` is told whether it is."""

    source: str
    reply: Reply = field(default=_no_reply, compare=False)


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
    reply: Reply = field(default=_no_reply, compare=False)


@dataclass(frozen=True)
class SessionAnswer:
    """A server's word on a session. `fields`: the response in JSON values."""

    session_id: str
    happened: CallInput
    fields: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ''


@dataclass(frozen=True)
class StatusSeen:
    """A status message of the adapter. `at`: steady seconds of arrival."""

    at: float
    status: Mapping[str, Any]


@dataclass(frozen=True)
class PoseSeen:
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
class BatterySeen:
    """The battery's charge in percent. `at`: steady seconds of arrival."""

    at: float
    percent: float


@dataclass(frozen=True)
class ParametersSet:
    """Values of the configuration, by dotted file, section and key, hold from now on."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ZonesSeen:
    """Somebody told the keep-out zones that hold from now on, besides the configured ones."""

    zones: tuple[KeepOutZone, ...]


@dataclass(frozen=True)
class MemorySeen:
    """What the spatial memory has near the robot: a summary, and places as JSON values."""

    summary: str
    places: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class ReadinessSeen:
    """The parts of nodes that tools need and that are not ready, with why; the others are."""

    not_ready: Mapping[str, str]


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
    | SessionAnswer
)
Telemetry: TypeAlias = StatusSeen | PoseSeen | BatterySeen | ZonesSeen | MemorySeen | ReadinessSeen
TELEMETRY = (StatusSeen, PoseSeen, BatterySeen, ZonesSeen, MemorySeen, ReadinessSeen)
Event: TypeAlias = Command | Telemetry


# The same word again, right behind the first, says nothing new.
REPEATABLE = (SafetyEvent, StopRequested, PauseRequested, ResumeRequested)
# Somebody waits for the answer to these, if they bring a `reply`.
ANSWERED = (*REPEATABLE, ResetRequested, ApprovalGiven)
# What a closed inbox still takes: it decides nothing, and shows that the robot was stopped.
NEWS_OF_THE_ROBOT = (SessionAnswer, *TELEMETRY)


class Inbox:
    """Thread-safe. `capacity` bounds the commands that wait; telemetry is kept apart."""

    def __init__(self, capacity: int = 1000) -> None:
        self._capacity = capacity
        self._commands: deque[Command] = deque()
        self._telemetry: dict[type, Telemetry] = {}
        self._changed = threading.Condition()
        self._woken = False
        self._dropped = 0
        self._closed = ''

    @property
    def closed(self) -> str:
        """Why nothing more is decided; empty: it is open."""
        return self._closed

    def close(self, reason: str) -> None:
        """Refuses from now on what would have to be decided. What was taken is still drained."""
        with self._changed:
            self._closed = self._closed or reason

    def put(self, event: Event) -> str:
        """Takes an event and wakes the tick; a pose alone waits for the next one.

        Returns why it is refused, and its `reply` is not called then; empty: it is taken.
        """
        with self._changed:
            if self._closed and not isinstance(event, NEWS_OF_THE_ROBOT):
                return self._closed
            if isinstance(event, TELEMETRY):
                self._telemetry[type(event)] = event
            else:
                self._append(event)
                if len(self._commands) > self._capacity:
                    self._drop_oldest()
            if not isinstance(event, PoseSeen):
                self._wake()
            return ''

    def wake(self) -> None:
        """Ends a wait without an event: something else has news."""
        with self._changed:
            self._wake()

    def wait(self, timeout_s: float) -> None:
        """Returns when there is news, or after the timeout."""
        with self._changed:
            if not self._woken:
                self._changed.wait(timeout_s)
            self._woken = False

    @property
    def dropped(self) -> int:
        """Events dropped so far."""
        return self._dropped

    @property
    def depth(self) -> int:
        """Commands that wait."""
        return len(self._commands)

    def drain(self) -> list[Event]:
        """Everything since the last drain: telemetry first, then commands in order of arrival."""
        with self._changed:
            events: list[Event] = [*self._telemetry.values(), *self._commands]
            self._telemetry.clear()
            self._commands.clear()
            return events

    def _wake(self) -> None:
        self._woken = True
        self._changed.notify_all()

    def _append(self, event: Command) -> None:
        last = self._commands[-1] if self._commands else None
        if not isinstance(event, REPEATABLE) or event != last or event.reply is not _no_reply:
            self._commands.append(event)

    def _drop_oldest(self) -> None:
        victim = next(filter(self._may_be_dropped, self._commands), None)
        if victim is not None:
            self._commands.remove(victim)
            self._dropped += 1
            if isinstance(victim, ANSWERED):
                victim.reply(False, 'The executive is flooded with events; ask again')

    def _may_be_dropped(self, event: Command) -> bool:
        """Whether nobody counts on an event: its sender is told, or the same follows it."""
        if isinstance(event, SessionAnswer):
            return event.happened is CallInput.PROGRESS
        if isinstance(event, REPEATABLE):
            return event.reply is not _no_reply and self._commands.count(event) > 1
        return isinstance(event, (ResetRequested, ApprovalGiven))
