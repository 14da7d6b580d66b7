"""Stores for tests: a file with runs in it, and what an executive may put."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from waiting import wait_until

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_queue import Task
from bt_executive.core.store_port import Durability, Entry, RunStart, Saved, Store
from bt_executive.store.sqlite_opening_and_faults import open_for_reading
from bt_executive.store.store_lock_and_previous_run import StartedRun, start_store
from bt_executive.store.store_rows import SavedEntry, SavedPart, read_entries, read_parts
from bt_executive.tree.persistent_state import GoalsPart, Message, ProgressPart, Step
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import JournalSettings
from rover_common.json_values import to_json_value
from rover_common.llm.model_usage import ModelUse
from rover_common.trace_event import Kind, TraceEvent

NOW = Now.at(10.0)
SAFE = load_config(None).executive.journal
MEMORY_ONLY = SAFE.model_copy(update={'on_fault': 'memory_only'})
START = RunStart(run_id='r', run_dir='runs/r', pid=1, boot_id='boot', version='0.1.0')
RUNS = ('RUN', 'RUN_END')


class Change(NamedTuple):
    """What is put at once."""

    parts: Mapping[str, Any]
    entries: tuple[Entry, ...] = ()


def _nobody() -> None:
    """Wakes nobody."""


def start(
    path: Path,
    settings: JournalSettings = SAFE,
    wake: Callable[[], None] = _nobody,
    **began: Any,
) -> StartedRun:
    return start_store(path, settings, replace(START, **began), NOW, wake)


def put_all(store: Store, changes: Iterable[Change]) -> int:
    """Puts them, waits until they are on disk, and returns the last ticket."""
    ticket = 0
    for change in changes:
        ticket = store.put(NOW, *change)
    wait_until(lambda: store.durable(ticket) is Durability.ON_DISK, 'it is on disk')
    return ticket


def end(store: Store) -> None:
    store.close(NOW, 'done', 60.0)


def one_run(path: Path, changes: Iterable[Change] = (), **began: Any) -> None:
    started = start(path, **began)
    put_all(started.store, changes)
    end(started.store)


def saved_in(path: Path, **began: Any) -> Saved | None:
    """What the next run finds; it ends at once."""
    started = start(path, **began)
    end(started.store)
    return started.saved


def entries_of(path: Path) -> list[SavedEntry]:
    with closing(open_for_reading(path)) as connection:
        return list(read_entries(connection))


def parts_of(path: Path) -> dict[str, SavedPart]:
    with closing(open_for_reading(path)) as connection:
        return read_parts(connection)


TraceValue = tuple[str, str, Any]


def trace_of(path: Path) -> list[TraceValue]:
    """Kind, goal and value of all entries in a store except those of runs."""
    return [(e.kind, e.goal_id, e.value) for e in entries_of(path) if e.kind not in RUNS]


def trace_values(changes: Iterable[Change]) -> list[TraceValue]:
    """Kind, goal and value of the entries of changes."""
    entries = (entry for change in changes for entry in change.entries)
    return [(entry.kind, entry.goal_id, to_json_value(entry.value)) for entry in entries]


def event(message: str, goal_id: str = '', kind: Kind = 'OBSERVE', **data: Any) -> Change:
    return Change({}, (Entry(kind, TraceEvent('e-1', 1.0, kind, message, data=data), goal_id),))


def a_goal(goal_id: str, **task: Any) -> list[Change]:
    """A goal that is pursued and has come to one step."""
    goal = Task(goal_id, f'the words of {goal_id}', status='ACTIVE', **task)
    parts = {f'goal/{goal_id}': goal, 'goals': GoalsPart((goal_id,), goal_id)}
    begun = event(f'New goal: {goal.goal}', goal_id, task_id=goal_id)
    return [Change(parts, begun.entries), *a_step(goal_id), event('on the way', goal_id)]


def a_step(goal_id: str, call_id: str = 'p-1') -> list[Change]:
    proposal = Proposal(call_id, 'look', {'at': 1.5}, 'I look first.')
    step = Step(proposal, ToolResult(True, '', {'score': 0.5}))
    return [Change({f'progress/{goal_id}': progress()}, (Entry('STEP', step, goal_id),))]


def progress(**fields: Any) -> ProgressPart:
    known: dict[str, Any] = {
        'steps': 1, 'refusals': 0, 'distance_m': 0.5, 'energy_pct': 0.1, 'elapsed_s': 3.0,
        'tool': 'look', 'first_score': None, 'last_score': None, 'last_is_good': None,
        'model': ModelUse(), 'monitor': {}, 'began_at': (), 'has_read': False,
    }  # fmt: skip
    return ProgressPart(**{**known, **fields})


def goal_ended(goal_id: str) -> Change:
    summary = {'outcome': 'reached', 'answer': 'It is done.', 'goal': f'the words of {goal_id}'}
    data = {'task_id': goal_id, 'goal_ended': summary | {'steps': 1}}
    ended = TraceEvent('e-2', 2.0, 'RESULT', 'Goal reached: It is done.', data=data)
    parts = {f'goal/{goal_id}': None, f'progress/{goal_id}': None, 'goals': GoalsPart()}
    return Change(parts, (Entry('RESULT', ended, goal_id, 'reached'),))


def said(content: str, goal_id: str = '') -> Change:
    return Change({}, (Entry('MESSAGE', Message('operator', 'user', content), goal_id),))
