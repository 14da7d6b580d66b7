"""What the next executive finds: everything that was open, and nothing that had ended."""

from __future__ import annotations

from dataclasses import replace
import math
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from journals import (
    a_goal,
    a_step,
    call_changed,
    call_opened,
    end,
    goal_ended,
    mode,
    one_life,
    proposed,
    put_all,
    records_of,
    round_ended,
    start,
)
import pytest

from bt_executive.core.calls import TERMINAL, CallInput, CallState, advance
from bt_executive.core.journal_records import (
    STANDS,
    ApprovalAsked,
    ApprovalChanged,
    CallChanged,
    GoalEnded,
    GoalMoved,
    LeaseChanged,
    Message,
    PermitChanged,
    Record,
)
from bt_executive.core.ports import Proposal, ToolResult
from bt_executive.core.state import Task
from bt_executive.journal.past import Past
from bt_executive.journal.rows import Stamp
from bt_executive.journal.tasks import goal_received, task_of


def past_of(path: Path, *lives: list[Record], **began: Any) -> Past:
    """What is open after these lives; the last of them was killed."""
    *ended, killed = lives
    for records in ended:
        one_life(path, records)
    started = start(path, **began)
    put_all(started.journal, killed)
    past = start_after_a_kill(path)
    end(started.journal)
    assert past is not None
    return past


def start_after_a_kill(path: Path) -> Past | None:
    """As a later life finds it, from a copy of the files: the first one lives still."""
    folder = path.parent / 'killed'
    folder.mkdir()
    for each in path.parent.glob('j.sqlite*'):
        if not each.name.endswith('.lock'):
            (folder / each.name).write_bytes(each.read_bytes())
    started = start(folder / path.name)
    end(started.journal)
    return started.past


def asked(request_id: str, goal_id: str = 'g') -> ApprovalAsked:
    return ApprovalAsked(
        goal_id=goal_id,
        request_id=request_id,
        call_id='call-1',
        tool='drive',
        arguments={'x': 1},
        amounts_to='1 m',
        reason='',
        risk='moves',
        expiry_s=60.0,
        facts={'pose': [0.0, 0.0, 0.0]},
    )


def test_a_new_journal_has_no_past(tmp_path: Path) -> None:
    started = start(tmp_path / 'j.sqlite')
    end(started.journal)
    assert started.past is None


def test_goals_are_found_with_queue_history_and_budget(tmp_path: Path) -> None:
    waiting = Task('w', 'later', priority=2, deadline=99.0, arguments={'a': [1]}, received_at=5.0)
    past = past_of(
        tmp_path / 'j.sqlite',
        [
            *a_goal('done'),
            goal_ended('done'),
            *a_goal('g'),
            goal_received(waiting),
            GoalMoved(goal_id='w', status='PARKED', position=1, resources=('base',)),
        ],
    )
    active, parked = past.goals
    assert past.active is active
    assert active.task.task_id == 'g'
    assert active.budget is not None
    assert active.budget.record.distance_m == 0.5
    step = (
        Proposal('p-call-1', 'look', {'at': 1.5}, 'I look first.'),
        ToolResult(True, '', {'score': 0.5}),
    )
    assert active.history == (step,)
    assert active.round is None
    assert parked.task == replace(waiting, status='PARKED', resources_required=('base',))
    assert past.ended == ''


def test_the_round_under_way_is_found_with_its_verdict(tmp_path: Path) -> None:
    past = past_of(tmp_path / 'j.sqlite', [*a_goal('g'), *proposed('g', 'call-2', 'drive')])
    under_way = past.goals[0].round
    assert under_way is not None
    assert under_way.proposed.record.tool == 'drive'
    assert under_way.verdict is not None
    assert under_way.verdict.record.allowed


def test_rounds_that_do_not_count_are_no_history(tmp_path: Path) -> None:
    records = [*proposed('g', 'call-2'), round_ended('g', 'call-2', counted=False)]
    past = past_of(tmp_path / 'j.sqlite', [*a_goal('g'), *records, *a_step('g', 'call-3')])
    assert [step[0].call_id for step in past.goals[0].history] == ['p-call-1', 'p-call-3']


def test_open_calls_are_found_whatever_became_of_their_goal(tmp_path: Path) -> None:
    past = past_of(
        tmp_path / 'j.sqlite',
        [
            *a_goal('g'),
            call_opened('c.1', 'g'),
            call_changed('c.1', CallInput.SEND, CallState.SENT, 'g'),
            call_opened('c.2', 'g'),
            call_changed('c.2', CallInput.LOSE, CallState.LOST, 'g'),
            call_opened('c.3', 'g'),
            goal_ended('g'),
            call_opened('stop.4'),
        ],
    )
    states = {call.opened.record.session_id: call.state for call in past.calls}
    assert states == {
        'c.1': CallState.SENT,
        'c.3': CallState.REQUESTED,
        'stop.4': CallState.REQUESTED,
    }
    assert past.goals == ()


@settings(max_examples=20)
@given(lives=st.lists(st.lists(st.sampled_from(CallInput), max_size=8), max_size=8))
def test_a_call_is_open_exactly_if_the_table_says_so(
    tmp_path_factory: Any, lives: list[list[CallInput]]
) -> None:
    path = tmp_path_factory.mktemp('call') / 'j.sqlite'
    records: list[Record] = []
    expected: dict[str, CallState] = {}
    for number, inputs in enumerate(lives):
        session_id = f'c.{number}'
        records.append(call_opened(session_id))
        state = expected[session_id] = CallState.REQUESTED
        for happened in inputs:
            state = advance(state, happened) or state
            if state is not expected[session_id]:
                records.append(call_changed(session_id, happened, state))
            expected[session_id] = state
    one_life(path, records)
    started = start(path)
    end(started.journal)
    assert started.past is not None
    found = {call.opened.record.session_id: call.state for call in started.past.calls}
    assert found == {name: state for name, state in expected.items() if state not in TERMINAL}


def test_approvals_that_wait_or_were_given_are_found(tmp_path: Path) -> None:
    records: list[Record] = [asked(f'ask-{number}') for number in range(4)]
    for request_id, standing in (('ask-1', 'agreed'), ('ask-2', 'expired'), ('ask-3', 'used')):
        records.append(ApprovalChanged(request_id=request_id, standing=standing, word='yes'))
    past = past_of(tmp_path / 'j.sqlite', records)
    found = {each.asked.record.request_id: each.changed for each in past.approvals}
    assert found.keys() == {'ask-0', 'ask-1'}
    assert found['ask-0'] is None
    assert found['ask-1'] is not None
    assert found['ask-1'].record.word == 'yes'


def test_the_latch_the_leases_and_the_conversation_are_found(tmp_path: Path) -> None:
    said = [
        Message(speaker='operator', role='user', content=f'goal {number}') for number in range(30)
    ]
    past = past_of(
        tmp_path / 'j.sqlite',
        [
            mode('EXEC'),
            mode('SAFE', 'tilt'),
            LeaseChanged(call_id='call-1', resources=('base',), held=True),
            LeaseChanged(call_id='call-2', resources=('arm',), held=True),
            LeaseChanged(call_id='call-2', resources=('arm',), held=False),
            *said,
            Message(speaker='planner', role='ai', content='thinking'),
        ],
    )
    assert past.mode is not None
    assert past.mode.record.safety_reason == 'tilt'
    assert past.leases == {'call-1': ('base',)}
    assert past.messages == tuple(said[-20:])


def permit(number: int, given: bool) -> Record:
    return PermitChanged(motion='drive', number=number, given=given)


def stop(session_id: str) -> Record:
    return call_opened(session_id, endpoint=None, label='the stop of the base')


def stands(session_id: str) -> Record:
    return CallChanged(session_id=session_id, happened=STANDS, state='succeeded')


@pytest.mark.parametrize(
    ('records', 'may_move'),
    [
        ([mode('IDLE')], False),
        ([permit(1, True)], True),
        ([permit(1, True), permit(1, False)], False),
        ([permit(1, True), permit(1, False), permit(2, True)], True),
        ([stop('s.1')], True),
        ([stop('s.1'), call_changed('s.1', CallInput.SUCCEED, CallState.SUCCEEDED)], True),
        ([stop('s.1'), stands('s.1')], False),
        ([stop('s.1'), stands('s.1'), stop('s.2')], True),
        ([stop('s.1'), stop('s.2'), stands('s.2')], False),
        ([permit(1, True), stop('s.1'), stands('s.1')], False),
        ([stop('s.1'), stands('s.1'), permit(1, True)], True),
        ([call_opened('c.1'), call_changed('c.1', CallInput.LOSE, CallState.LOST)], False),
    ],
)
def test_whether_the_robot_may_still_move(
    tmp_path: Path, records: list[Record], may_move: bool
) -> None:
    assert past_of(tmp_path / 'j.sqlite', records).may_move is may_move


def test_a_later_life_finds_what_an_earlier_one_left(tmp_path: Path) -> None:
    past = past_of(tmp_path / 'j.sqlite', a_goal('g'), [], [mode('IDLE')])
    assert [goal.task.task_id for goal in past.goals] == ['g']
    assert past.life.life == 3


def test_a_fresh_start_leaves_the_past_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    one_life(path, [*a_goal('g'), call_opened('c.1', 'g'), asked('ask-1'), mode('SAFE', 'tilt')])
    started = start(path, fresh=True)
    end(started.journal)
    assert started.past is None
    after = start(path)
    end(after.journal)
    assert after.past is not None
    assert (after.past.goals, after.past.calls, after.past.approvals) == ((), (), ())
    assert after.past.mode is None
    assert after.past.ended == 'done'


def test_time_passes_by_the_clock_that_can_be_trusted(tmp_path: Path) -> None:
    past = past_of(tmp_path / 'j.sqlite', [mode('EXEC')])
    entry = past.mode
    assert entry is not None
    at = entry.at
    later = Stamp(0.0, 0.0, at.steady_s + 7.0, at.system_s - 5.0)
    assert past.since(entry, later, 'boot') == 7.0
    assert past.since(entry, later, 'another boot') == math.inf
    assert past.since(entry, replace(later, system_s=at.system_s + 9.0), 'another') == 9.0


def test_a_task_comes_back_as_it_was() -> None:
    task = Task('t', 'words', 3, 9.5, ('base',), False, 'PARKED', 'drive', {'x': 1}, True)
    task = replace(
        task,
        done_when='{"where":{"is_good":true}}',
        sender='operator',
        lease_s=2.0,
        received_at=4.0,
    )
    moved = GoalMoved(goal_id='t', status='PARKED', position=0, resources=('base',))
    assert task_of(goal_received(task), moved) == task


def test_a_fresh_start_ends_in_the_journal_what_it_leaves_behind(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    lease = LeaseChanged(call_id='call-2', resources=('base',), held=True)
    one_life(path, [*a_goal('g'), call_opened('call-2.1', 'g'), lease, asked('ask-1')])
    started = start(path, fresh=True)
    end(started.journal)
    assert started.past is None
    left = records_of(path)[-4:]
    assert isinstance(left[0], CallChanged)
    assert (left[0].session_id, left[0].state) == ('call-2.1', 'lost')
    assert left[1:] == [
        LeaseChanged(call_id='call-2', resources=(), held=False),
        ApprovalChanged(
            goal_id='g', request_id='ask-1', standing='withdrawn', why='Started fresh'
        ),
        GoalEnded(goal_id='g', outcome='interrupted', answer='Started fresh'),
    ]
