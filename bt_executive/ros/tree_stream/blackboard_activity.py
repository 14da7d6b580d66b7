"""Changes of the board between two readings, in the format of py_trees."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from py_trees.blackboard import ActivityItem, ActivityType

from bt_executive.ros.tree_stream.tree_host import Board

WRITER = 'executive'  # the board has one writer
LONGEST_STREAM = 100  # items that a stream keeps until its next message


def differences(before: Board | None, after: Board) -> Iterator[ActivityItem]:
    """Yields the changes between two readings; none before the first."""
    if before is None:
        return
    for key, value in after.items():
        previous = before.get(key)
        if previous != value:
            kind = ActivityType.INITIALISED if previous is None else ActivityType.WRITE
            yield ActivityItem(
                key=key,
                client_name=WRITER,
                client_id=UUID(int=0),
                activity_type=kind.value,
                previous_value=previous,
                current_value=value,
            )
