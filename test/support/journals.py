"""Journals for tests: a file with lives in it, and any record there can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from any_value import every_field
from hypothesis import strategies as st
from waiting import wait_until

from bt_executive.core import journal_records as kinds
from bt_executive.core.calls import CallInput, CallState
from bt_executive.core.journal import Durability, Journal
from bt_executive.core.journal_records import LifeBegan, Record
from bt_executive.core.state import Task
from bt_executive.journal.entries import all_entries
from bt_executive.journal.opening import open_for_reading
from bt_executive.journal.rows import TABLES, Entry
from bt_executive.journal.start import Started, start_journal
from bt_executive.journal.tasks import goal_received
from rover_common.clocks import Now
from rover_common.config.settings import JournalSettings

NOW = Now.at(10.0)
SAFE = JournalSettings(file='', on_fault='safe', keep_days=30.0, max_mb=100.0, patience_s=2.0)
MEMORY_ONLY = SAFE.model_copy(update={'on_fault': 'memory_only'})
BEGAN = LifeBegan(run_id='r', run_dir='runs/r', pid=1, boot_id='boot', version='0.1.0')


def _nobody() -> None:
    """Wakes nobody."""


def start(
    path: Path,
    settings: JournalSettings = SAFE,
    wake: Callable[[], None] = _nobody,
    **began: Any,
) -> Started:
    return start_journal(path, settings, replace(BEGAN, **began), NOW, wake)


def put_all(journal: Journal, records: Iterable[Record]) -> int:
    """Puts them, waits until they are on disk, and returns the last ticket."""
    ticket = 0
    for record in records:
        ticket = journal.put(NOW, record)
    wait_until(lambda: journal.durable(ticket) is Durability.ON_DISK, 'it is on disk')
    return ticket


def end(journal: Journal) -> None:
    journal.close(NOW, 'done', 60.0)


def one_life(path: Path, records: Iterable[Record] = (), **began: Any) -> None:
    started = start(path, **began)
    put_all(started.journal, records)
    end(started.journal)


def entries_of(path: Path) -> list[Entry[Record]]:
    with closing(open_for_reading(path)) as connection:
        return list(all_entries(connection))


def records_of(path: Path) -> list[Record]:
    """All records but those of the lives themselves."""
    lives = (kinds.LifeBegan, kinds.LifeEnded)
    return [each.record for each in entries_of(path) if not isinstance(each.record, lives)]


def a_goal(goal_id: str, **task: Any) -> list[Record]:
    """A goal that is pursued and has come to one step."""
    return [
        goal_received(Task(goal_id, f'the words of {goal_id}', **task)),
        kinds.GoalMoved(goal_id=goal_id, status='ACTIVE', position=0),
        *a_step(goal_id, 'call-1'),
        kinds.BudgetUsed(
            goal_id=goal_id, steps=1, refusals=0, distance_m=0.5, energy_pct=0.1, elapsed_s=3.0
        ),
    ]


def a_step(goal_id: str, call_id: str, tool: str = 'look') -> list[Record]:
    return [*proposed(goal_id, call_id, tool), round_ended(goal_id, call_id)]


def proposed(goal_id: str, call_id: str, tool: str = 'look') -> list[Record]:
    return [
        kinds.Proposed(
            goal_id=goal_id,
            call_id=call_id,
            attempt=1,
            proposed_by='planner',
            proposal_id=f'p-{call_id}',
            tool=tool,
            arguments={'at': 1.5},
            thought='I look first.',
        ),
        kinds.Judged(
            goal_id=goal_id,
            call_id=call_id,
            tool=tool,
            allowed=True,
            guard='',
            reason='',
            readings=({'guard': 'mode_allows', 'code': 'allowed', 'reason': '', 'seen': 'EXEC'},),
            allowed_now=('look',),
        ),
    ]


def round_ended(goal_id: str, call_id: str, **fields: Any) -> kinds.RoundEnded:
    known: dict[str, Any] = {
        'ok': True,
        'error_reason': '',
        'error_code': '',
        'data': {'score': 0.5},
        'units': {},
        'decision': 'CONTINUE',
    }
    return kinds.RoundEnded(goal_id=goal_id, call_id=call_id, **{**known, **fields})


def goal_ended(goal_id: str) -> kinds.GoalEnded:
    return kinds.GoalEnded(goal_id=goal_id, outcome='reached', answer='It is done.')


def call_opened(session_id: str, goal_id: str = '', **fields: Any) -> kinds.CallOpened:
    known: dict[str, Any] = {
        'call_id': session_id.split('.')[0],
        'label': '/adapter/drive',
        'skill': 'drive',
        'endpoint': {'name': '/adapter/drive', 'kind': 'action'},
        'arguments': {'x': 1.0},
        'action_id': 'ab' * 16,
        'idempotent': False,
        'cancellable': True,
        'quiet': False,
        'timeout_s': 30.0,
        'pose': {'x': 0.0, 'y': 0.0, 'yaw': 0.0, 'stamp': 9.0},
    }
    return kinds.CallOpened(goal_id=goal_id, session_id=session_id, **{**known, **fields})


def call_changed(
    session_id: str, happened: CallInput, state: CallState, goal_id: str = ''
) -> kinds.CallChanged:
    return kinds.CallChanged(
        goal_id=goal_id, session_id=session_id, happened=happened.value, state=state.value
    )


def mode(mode: str, safety_reason: str = '') -> kinds.ModeChanged:
    return kinds.ModeChanged(
        mode=mode,
        reason=safety_reason,
        safety_reason=safety_reason,
        battery_state='OK',
        interrupt='NONE',
    )


def _can_be_kept(record: Record) -> bool:
    """NUL in a text is kept as another character; no column holds more than 64 bits."""
    numbers = (value for value in vars(record).values() if isinstance(value, int))
    return '\\x00' not in repr(record) and all(abs(number) < 2**63 for number in numbers)


_KINDS = [kind for kind in TABLES if kind not in (kinds.LifeBegan, kinds.LifeEnded)]
any_record: st.SearchStrategy[Record] = st.one_of(*map(every_field, _KINDS)).filter(_can_be_kept)
