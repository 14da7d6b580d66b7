"""The port to the journal: what must outlive the process.

The tick puts records and goes on. What must be on disk before an act is asked for by its ticket
(`durable`), tick after tick, until the act may go ahead; the journal wakes the tick when it may.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

from bt_executive.core.journal_records import Record
from rover_common.clocks import Now
from rover_common.reason import Reason


class Durability(Enum):
    """Whether a record, and every one before it, is on disk."""

    ON_DISK = 'on disk'
    WAITING = 'not yet on disk'
    NOT_KEPT = 'not kept'  # there is a fault, and by configuration the robot acts all the same
    NEVER = 'cannot be kept'  # there is a fault, and what needs the record must not be done

    @property
    def may_act(self) -> bool:
        """Whether what needs the record may be done now."""
        return self in (Durability.ON_DISK, Durability.NOT_KEPT)


class JournalCode(Enum):
    """Why the journal cannot be kept."""

    NO_FOLDER = auto()  # its folder is missing and cannot be made, or it is no file
    NOT_WRITABLE = auto()  # file or folder is read-only
    FOREIGN = auto()  # another program's file
    DAMAGED = auto()
    NEWER = auto()  # written by a newer version of this program
    LOCKED = auto()  # another process has kept the file locked for too long
    DISK_FULL = auto()
    IO_ERROR = auto()
    OVERFLOWED = auto()  # the disk has hung for so long that records had to be left out
    UNWRITABLE = auto()  # a record holds what cannot be written (a fault in the code)
    CLOSED = auto()


JournalFault = Reason[JournalCode]


class Journal(Protocol):
    """Keeps records in the order in which they were put. No method but `close` blocks."""

    def put(self, now: Now, record: Record) -> int:
        """Takes a record; returns its ticket, which is larger than every ticket before it."""

    def durable(self, ticket: int) -> Durability:
        """Whether everything up to this ticket is on disk.

        Whoever is told `WAITING` is woken when that has changed.
        """

    def fault(self) -> JournalFault | None:
        """What stands against keeping records at this moment. A full disk may pass."""

    def close(self, now: Now, how: str, within_s: float) -> None:
        """Ends this life: the last record says how. Waits at most so long for the disk."""


class NoJournal:
    """Where nothing is to outlive the process: keeps nothing, and stands against no act."""

    def put(self, now: Now, record: Record) -> int:
        """See `Journal.put`."""
        del now, record
        return 0

    def durable(self, ticket: int) -> Durability:
        """See `Journal.durable`."""
        del ticket
        return Durability.NOT_KEPT

    def fault(self) -> None:
        """See `Journal.fault`: this is as it is meant to be."""

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Journal.close`."""
