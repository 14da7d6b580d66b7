"""The journal's file as LangGraph's checkpointer, by LangGraph's own conformance tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from any_value import ZONES, every_field
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
from stores import a_goal, end, goal_ended, one_run, put_all, start, trace_of, trace_values

from bt_executive.core.goal_queue import Task
from bt_executive.core.state import BrainState, TasksState
from rover_common.config.settings import KeepOutZone
from rover_common.errors import JournalError

conformance = pytest.importorskip('langgraph.checkpoint.conformance')
base = pytest.importorskip('langgraph.checkpoint.base')
saver_module = pytest.importorskip('bt_executive.store.langgraph_saver')
journal_saver = saver_module.journal_saver
CONFIG = {'configurable': {'thread_id': 'robot', 'checkpoint_ns': ''}}
STATE = BrainState(tasks=TasksState(queue=(Task('t', 'look'),), active_task_id='t'))

st.register_type_strategy(KeepOutZone, ZONES)


@dataclass
class Own:
    """A class of somebody's graph."""

    value: int = 1


def checkpoint(**channels: Any) -> dict[str, Any]:
    return dict(base.empty_checkpoint()) | {'channel_values': channels}


@pytest.mark.slow
def test_it_is_a_checkpointer_by_langgraphs_own_tests(tmp_path: Path) -> None:
    @conformance.checkpointer_test(name='JournalSaver')  # type: ignore[untyped-decorator]
    async def fresh() -> AsyncIterator[Any]:
        with journal_saver(tmp_path / f'{uuid4().hex}.sqlite') as saver:
            yield saver

    report = asyncio.run(conformance.validate(fresh))
    failures = [failure for each in report.results.values() for failure in each.failures]
    assert failures == []
    assert report.passed_all_base()
    assert sum(each.tests_passed for each in report.results.values()) > 40


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    with journal_saver(path) as saver:
        put = saver.put(CONFIG, checkpoint(brain=STATE, more=[(STATE, 1)]), {}, {})
        saver.put_writes(put, [('brain', STATE)], 'task')
    with journal_saver(path) as saver:
        found = saver.get_tuple(CONFIG)
        assert [each.config for each in saver.list(CONFIG)] == [put]
    values = found.checkpoint['channel_values']
    assert values['brain'] == STATE
    assert isinstance(values['brain'], BrainState)
    assert values['more'][0][0] == STATE
    assert found.pending_writes == [('task', 'brain', STATE)]


@pytest.mark.slow
@settings(max_examples=20)
@given(state=every_field(BrainState))
def test_any_state_comes_back_as_it_was(state: BrainState) -> None:
    serializer = saver_module.StateSerializer()
    assert serializer.loads_typed(serializer.dumps_typed({'brain': state})) == {'brain': state}


def test_a_class_that_nobody_allowed_is_not_made(tmp_path: Path) -> None:
    with journal_saver(tmp_path / 'j.sqlite') as saver:
        saver.put(CONFIG, checkpoint(own=Own(3)), {}, {})
        assert saver.get_tuple(CONFIG).checkpoint['channel_values']['own'] == {'value': 3}
        allowing = saver.with_allowlist([(Own.__module__, Own.__name__)])
        assert allowing.serde.loads_typed(allowing.serde.dumps_typed(STATE)) == STATE


def test_a_graph_and_an_executive_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = start(path).store
    with journal_saver(path) as saver:
        for number in range(5):
            saver.put(CONFIG, checkpoint(brain=STATE, number=number), {}, {})
            put_all(journal, [*a_goal(f'g{number}'), goal_ended(f'g{number}')])
    end(journal)
    assert journal.fault() is None
    assert len(trace_of(path)) == 5 * (len(trace_values(a_goal('g'))) + 1)
    with journal_saver(path) as saver:
        assert saver.get_tuple(CONFIG).checkpoint['channel_values']['number'] == 4
        saver.delete_thread('robot')
        assert saver.get_tuple(CONFIG) is None
    one_run(path)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'own.sqlite'
    path.write_text('notes')
    with pytest.raises(JournalError, match='another program'), journal_saver(path):
        pass
    assert path.read_text() == 'notes'
