"""The port to the store: what must outlive the process, and what its ticks were given.

After each tick the executive hands over the parts of what is known that have changed, and what
the tick adds to the trace; both are written together or not at all. What must be on disk before
an act is asked for by its ticket (`durable`), tick after tick, until the act may go ahead; the
store wakes the tick when it may. What each tick was given and asked for is recorded beside it, so
that it can be replayed; it never holds anything up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal, Protocol

from rover_common.clocks import Now
from rover_common.reason import Reason
from rover_common.trace_event import Kind

Json = Mapping[str, Any]
# Besides the events of spec 1: a transition of the call table, a step of a goal (a tool and its
# result), how its round was decided, a message of the conversation, the start of an executive,
# and its end in order.
EntryKind = Kind | Literal['CALL', 'STEP', 'DECISION', 'MESSAGE', 'RUN', 'RUN_END']
ENDS_KEPT = 20  # of goals, that are published again after a restart
MESSAGES_KEPT = 20  # of the conversation
RUN = 'run'  # the part that describes the executive itself
# The names of the two parts that each goal has end with its id: the goal, and what it has come to.
GOAL, PROGRESS = 'goal/', 'progress/'


class Durability(Enum):
    """Whether what was put, and everything before it, is on disk. The values are of sentences."""

    ON_DISK = 'is on disk'
    WAITING = 'is not yet on disk'
    NOT_KEPT = 'is not kept'  # there is a fault, and by configuration the robot acts all the same
    NEVER = 'cannot be kept'  # there is a fault, and what needs it on disk must not be done

    @property
    def may_act(self) -> bool:
        """Whether what needs it on disk may be done now."""
        return self in (Durability.ON_DISK, Durability.NOT_KEPT)


class StoreCode(Enum):
    """Why the store's file cannot be kept."""

    NO_FOLDER = auto()  # its folder is missing and cannot be made, or it is no file
    NOT_WRITABLE = auto()  # file or folder is read-only
    FOREIGN = auto()  # another program's file
    DAMAGED = auto()
    OTHER_VERSION = auto()  # written by another version of this program
    LOCKED = auto()  # another process has kept the file locked for too long
    DISK_FULL = auto()
    IO_ERROR = auto()
    OVERFLOWED = auto()  # the disk has hung for so long that something had to be left out
    UNWRITABLE = auto()  # a value cannot be written (a fault in the code)
    CLOSED = auto()


StoreFault = Reason[StoreCode]


@dataclass(frozen=True)
class Entry:
    """One entry of the trace."""

    kind: EntryKind
    value: Any  # a frozen dataclass or a mapping, written as JSON by another thread later
    goal_id: str = ''  # the goal's task id; empty for what belongs to no goal
    goal_end: str | None = None  # the outcome, if it is the end of that goal


@dataclass(frozen=True)
class InputLine:
    """What a port gave to a tick, or was asked for in it."""

    now: Now
    event: str  # the name of an input (`core.stored_names`), or a port and its method
    value: Any  # a frozen dataclass or a mapping, written as JSON by another thread later
    nth: int = 1  # at which call of this kind in the tick, from 1
    again: bool = False  # it begins a tick at the time of the one before


@dataclass(frozen=True)
class RunStart:
    """An executive that starts."""

    run_id: str  # one per process
    run_dir: str  # its run folder
    pid: int
    boot_id: str  # of the machine: steady time is comparable within one boot
    version: str
    fresh: bool = False  # it resumes nothing of the previous run
    started_at: str = ''  # UTC, ISO 8601, by the wall clock
    approvals: str = ''  # what the ids of its requests for approval have in common
    configuration: str = ''  # digest of its configuration


@dataclass(frozen=True)
class Saved:
    """What the previous run has left, as JSON values.

    Attributes:
        steps: Goal without an end → its steps, oldest first.
        ends: The latest events that ended a goal, oldest first. Their clients may not have
            received them.
    """

    run: int  # number of the previous run
    run_id: str  # see `RunStart`
    ended: str = ''  # how it ended in order; empty: it was killed, or the machine stopped
    parts: Mapping[str, Any] = field(default_factory=dict)  # the latest checkpoint of each part
    ros_s: float = 0.0  # ROS time of the latest checkpoint
    steps: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    messages: tuple[Json, ...] = ()  # the latest of the conversation, oldest first
    ends: tuple[Json, ...] = ()


class Store(Protocol):
    """Keeps what is put, in order. No method but `close` blocks."""

    @property
    def latest(self) -> int:
        """The ticket of the latest `put`."""

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """Takes new checkpoints and new entries; returns a ticket, larger than any before it.

        `parts`: name → the value from now on, which nobody changes any more; None: it is gone.
        """

    def record(self, lines: Sequence[InputLine]) -> None:
        """Takes what a tick was given and asked for, in order.

        What cannot be kept is left out, and the gap is marked: a replay ends there.
        """

    def durable(self, ticket: int) -> Durability:
        """Return whether everything up to this ticket is on disk.

        Whoever gets `WAITING` is woken when that has changed.
        """

    def fault(self) -> StoreFault | None:
        """What stands against keeping anything at this moment. A full disk may pass."""

    def close(self, now: Now, how: str, within_s: float) -> None:
        """Ends this run; `how` is kept. Waits at most so long for the disk."""


class NoStore:
    """Keeps nothing: nothing is to outlive the process, or what would keep it cannot be used.

    Args:
        fault: Why nothing can be kept; None: that is as it is meant to be.
        durability: What `durable` says: with NOT_KEPT acts go on, with NEVER they do not.
    """

    def __init__(
        self, fault: StoreFault | None = None, durability: Durability = Durability.NOT_KEPT
    ) -> None:
        self._fault, self._durability = fault, durability
        self.latest = 0

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`."""
        del now, parts, entries
        self.latest += 1
        return self.latest

    def record(self, lines: Sequence[InputLine]) -> None:
        """See `Store.record`."""

    def durable(self, ticket: int) -> Durability:
        """See `Store.durable`."""
        del ticket
        return self._durability

    def fault(self) -> StoreFault | None:
        """See `Store.fault`."""
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`."""
