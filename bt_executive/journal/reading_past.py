"""Reads what the executives before this one have left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import sqlite3

from bt_executive.core.journal_records import (
    STANDS,
    ApprovalAsked,
    ApprovalChanged,
    CallChanged,
    CallOpened,
    GoalEnded,
    GoalReceived,
    LeaseChanged,
    LifeBegan,
    LifeEnded,
    Message,
    ModeChanged,
    PermitChanged,
)
from bt_executive.journal.entries import entries_of_goal, entries_of_kind
from bt_executive.journal.open_goal import open_goal
from bt_executive.journal.past import ENDS_KEPT, OpenApproval, OpenCall, OpenGoal, Past
from bt_executive.journal.retention import CALL_IS_OPEN
from bt_executive.journal.rows import DamagedRowError, Entry, Kind

MESSAGES_KEPT = 20  # of the conversation between operator and executive
OPEN_STANDINGS = ('waiting', 'agreed')  # of a request for approval
_GOAL_IS_OPEN = (
    'entry > ? AND NOT EXISTS (SELECT 1 FROM goal_ends WHERE goal_ends.goal_id = goals.goal_id)'
)


def read_past(connection: sqlite3.Connection) -> Past | None:
    """What is open since the last fresh start; None: no executive was here before.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    lives = list(entries_of_kind(connection, LifeBegan))
    if not lives:
        return None
    life = lives[-1]
    start = max((each.number for each in lives if each.record.fresh), default=0)
    ends = list(entries_of_kind(connection, LifeEnded, 'life = ?', life.life))
    return Past(
        life=life,
        ended=ends[-1].record.how if ends else '',
        goals=tuple(_goals(connection, start)),
        calls=tuple(_calls(connection, start)),
        approvals=tuple(_approvals(connection, start)),
        mode=_latest(
            entries_of_kind(
                connection,
                ModeChanged,
                'entry > ? AND entry = (SELECT max(entry) FROM modes)',
                start,
            )
        ),
        leases=_leases(connection, start),
        messages=_conversation(connection, start),
        boots={each.life: each.record.boot_id for each in lives},
        ends=_ends(connection),
        may_move=_may_move(connection, start),
    )


def _goals(connection: sqlite3.Connection, start: int) -> Iterator[OpenGoal]:
    found = entries_of_kind(connection, GoalReceived, _GOAL_IS_OPEN, start)
    for goal_id in dict.fromkeys(each.record.goal_id for each in found):
        yield open_goal(entries_of_goal(connection, goal_id))


def _calls(connection: sqlite3.Connection, start: int) -> Iterator[OpenCall]:
    is_open = f'entry > ? AND {CALL_IS_OPEN}'
    for opened in entries_of_kind(connection, CallOpened, is_open, start):
        changes = entries_of_kind(
            connection,
            CallChanged,
            'session_id = ? AND entry > ?',
            opened.record.session_id,
            opened.number,
        )
        yield OpenCall(opened, _latest(changes))


def _approvals(connection: sqlite3.Connection, start: int) -> Iterator[OpenApproval]:
    for asked in entries_of_kind(connection, ApprovalAsked, 'entry > ?', start):
        changed = _latest(
            entries_of_kind(connection, ApprovalChanged, 'request_id = ?', asked.record.request_id)
        )
        if changed is None or changed.record.standing in OPEN_STANDINGS:
            yield OpenApproval(asked, changed)


def _leases(connection: sqlite3.Connection, start: int) -> dict[str, tuple[str, ...]]:
    held = 'entry > ? AND held AND entry IN (SELECT max(entry) FROM leases GROUP BY call_id)'
    leases = (each.record for each in entries_of_kind(connection, LeaseChanged, held, start))
    return {lease.call_id: lease.resources for lease in leases if lease.resources}


def _conversation(connection: sqlite3.Connection, start: int) -> tuple[Message, ...]:
    where = (
        "entry > ? AND entry IN (SELECT entry FROM messages WHERE speaker <> 'planner' "
        f'ORDER BY entry DESC LIMIT {MESSAGES_KEPT})'
    )
    return tuple(entry.record for entry in entries_of_kind(connection, Message, where, start))


def _may_move(connection: sqlite3.Connection, start: int) -> bool:
    """See `Past.may_move`. A stop of the base has no endpoint: whoever sends it chooses one."""
    latest = 'entry > ? AND entry = (SELECT max(entry) FROM permits)'
    permit = _latest(entries_of_kind(connection, PermitChanged, latest, start))
    latest = 'entry > ? AND entry = (SELECT max(entry) FROM calls WHERE endpoint IS NULL)'
    stop = _latest(entries_of_kind(connection, CallOpened, latest, start))
    if (
        permit is not None
        and permit.record.given
        and (stop is None or permit.number > stop.number)
    ):
        return True
    if stop is None:
        return False
    stands = 'session_id = ? AND happened = ? AND entry > ?'
    values = (stop.record.session_id, STANDS, stop.number)
    return _latest(entries_of_kind(connection, CallChanged, stands, *values)) is None


def _ends(connection: sqlite3.Connection) -> tuple[GoalEnded, ...]:
    """None if one is damaged: nothing that goes on depends on them."""
    latest = 'entry IN (SELECT entry FROM goal_ends ORDER BY entry DESC LIMIT ?)'
    try:
        found = entries_of_kind(connection, GoalEnded, latest, ENDS_KEPT)
        return tuple(entry.record for entry in found)
    except DamagedRowError:
        return ()


def _latest(entries: Iterable[Entry[Kind]]) -> Entry[Kind] | None:
    latest = None
    for entry in entries:
        latest = entry
    return latest
