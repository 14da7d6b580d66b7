"""A goal that is paused or parked, and taken up again, through the whole tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driving_bench import DONE, INTERRUPTED, MOVE, STOP, driving, mode, reset
from fakes.core import FakeGoalReader
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import PauseRequested, ResumeRequested, SafetyEvent, StopRequested
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.state import Mode


@pytest.mark.slow
def test_time_in_which_a_goal_is_paused_does_not_count() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.until(lambda: it.now > 2000.0, step=5.0)
    assert it.context.progress.usage(it.moment).elapsed_s < 5.0
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert it.context.progress.usage(it.moment).elapsed_s < 10.0


@pytest.mark.slow
def test_time_in_which_a_goal_is_parked_does_not_count() -> None:
    it = driving()
    it.goal('better', priority=1, tool='ask_operator', arguments={'question': 'Anybody?'})
    it.until(lambda: it.reporter.endings)
    assert it.now > 200.0
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert it.context.progress.usage(it.moment).elapsed_s < 10.0


def test_a_nudge_is_paused_and_goes_on() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    assert it.robot.names[1] == STOP
    assert mode(it) is Mode.IDLE
    it.pass_time(5.0)
    assert it.robot.names.count(MOVE) == 1
    assert not it.reporter.endings
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert [each.error_reason for each in it.planner.results] == [INTERRUPTED]


@pytest.mark.parametrize(
    ('before', 'sentence'),
    [
        ([], 'There was no pause to end.'),
        ([StopRequested('the operator')], 'There was no pause to end.'),
        ([PauseRequested('the operator')], ''),
        ([PauseRequested('the operator'), StopRequested('the operator')], ''),
    ],
)
def test_a_resume_says_where_there_was_no_pause(before: list[Any], sentence: str) -> None:
    it, replies = driving(), list[tuple[bool, str]]()
    for each in before:
        it.inbox.put(each)
    it.inbox.put(ResumeRequested('me', lambda accepted, why: replies.append((accepted, why))))
    it.tick(2)
    assert replies == [(True, sentence)]


def test_a_tool_that_had_just_ended_is_not_told_as_interrupted() -> None:
    it = driving()
    it.pass_time(4.9)
    it.now += 0.3
    it.tick()
    it.status()
    it.tick(2)  # the stop is confirmed, and the adapter has not spoken since
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    assert mode(it) is Mode.IDLE
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].ok


def test_a_goal_that_is_taken_up_again_knows_what_was_interrupted() -> None:
    it = driving()
    it.goal('better', priority=1, tool='get_status')
    it.robot.replies |= {'/adapter/get_status': DONE | {'message': '{}'}}
    it.until(lambda: len(it.planner.started) == 2)
    told = it.planner.started[1][1].history
    assert [(proposal.tool, result.error_reason) for proposal, result in told] == [
        ('move_nudge', INTERRUPTED)
    ]


@pytest.fixture
def by_hand(bench: MakeBench) -> Callable[..., Any]:
    """A bench in the middle of a tool that the operator asked for."""

    def make(tool: str, request: str, **arguments: Any) -> TreeBench:
        it = bench()
        it.robot.replies = {MOVE: DONE, STOP: DONE}
        it.status(mast_is_open=False, mast='closed', moving=False)
        it.goal('by hand', tool=tool, arguments=arguments)
        it.until(lambda: request in it.robot.names)
        it.tick(2)
        return it

    return make


def test_a_drive_by_hand_that_was_paused_is_not_driven_again(by_hand: Any) -> None:
    it = by_hand('move_forward', MOVE, duration_s=20)
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [MOVE, STOP, STOP]
    (end,) = it.reporter.endings
    assert (end['outcome'], end['answer']) == ('interrupted', INTERRUPTED)


def test_a_drive_by_hand_that_was_parked_is_not_driven_again(by_hand: Any) -> None:
    it = by_hand('move_forward', MOVE, duration_s=20)
    it.robot.replies |= {'/adapter/get_status': DONE | {'message': '{}'}}
    it.goal('better', priority=1, tool='get_status')
    it.until(lambda: len(it.reporter.endings) == 2)
    assert it.robot.names.count(MOVE) == 1
    assert [each['outcome'] for each in it.reporter.endings] == ['reached', 'interrupted']


def test_a_tool_by_hand_that_may_run_twice_begins_anew(by_hand: Any) -> None:
    it = by_hand('get_status', '/adapter/get_status')
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count('/adapter/get_status') == 2)
    it.robot.answer('/adapter/get_status', success=True, message='{}')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'


STATUS = '/adapter/get_status'
ONCE = 'tools.get_status.idempotent=false'


def asking_once(it: TreeBench, **goal: Any) -> TreeBench:
    """While a server is asked that may not be asked twice."""
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('look', **goal)
    it.until(lambda: STATUS in it.robot.names)
    return it


@pytest.mark.parametrize('come', ['pause, a tick, answer', 'pause, answer', 'answer, pause'])
def test_a_tool_that_its_server_has_done_is_not_asked_for_again_after_a_pause(
    bench: MakeBench, propose: Propose, come: str
) -> None:
    it = asking_once(bench(propose('get_status'), Answer('done'), overrides=[ONCE]))
    for each in come.split(', '):
        if each == 'pause':
            it.inbox.put(PauseRequested('the operator'))
        elif each == 'answer':
            it.robot.answer(STATUS, success=True, message='{}')
        else:
            it.tick()
    it.pass_time(1.0)
    assert not it.planner.results
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert [each.ok for each in it.planner.results] == [True]
    assert it.reporter.endings[0]['outcome'] == 'answered'
    assert it.robot.names.count(STATUS) == 1
    assert it.context.state.skills.last_result is not None
    assert it.context.state.skills.last_result.status == 'SUCCESS'


def test_a_planner_is_told_of_a_paused_tool_that_nothing_shows_that_it_is_done(
    bench: MakeBench, propose: Propose
) -> None:
    shown = 'robot.tools.get_status.postcondition={mast: open}'
    it = asking_once(bench(propose('get_status'), Answer('done'), overrides=[ONCE, shown]))
    it.robot.answer(STATUS, success=True, message='{}')
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert [each.data['not_confirmed'] for each in it.planner.results] == ['mast is closed']
    assert it.reporter.endings[0]['outcome'] != 'reached'


def test_a_tool_by_hand_that_was_done_when_it_was_paused_is_reached(bench: MakeBench) -> None:
    it = asking_once(bench(overrides=[ONCE]), tool='get_status')
    it.robot.answer(STATUS, success=True, message='{}')
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'
    assert it.robot.names.count(STATUS) == 1


def test_a_tool_that_had_failed_when_it_was_paused_counts_as_interrupted(
    bench: MakeBench, propose: Propose
) -> None:
    it = asking_once(bench(propose('get_status'), Answer('I cannot'), overrides=[ONCE]))
    it.robot.answer(STATUS, success=False, message='busy')
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.planner.results)
    assert [each.error_reason for each in it.planner.results] == [INTERRUPTED]


def test_a_pause_holds_over_safe_and_its_reset() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(1.0)
    it.inbox.put(SafetyEvent('cliff', 'the scanner'))
    it.pass_time(1.0)
    assert not [each for each in it.events if each.kind == 'RESULT' and 'cliff' in each.message]
    assert reset(it) == (True, 'reset')
    it.goal('another', tool='move_nudge')
    it.pass_time(1.0)
    assert it.robot.names.count(MOVE) == 1
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count(MOVE) == 2)


def test_a_question_of_the_tree_that_is_paused_leaves_the_refusal_to_the_planner(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(*[propose('move_nudge')] * 3, Answer('I cannot'))
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('go')
    it.until(lambda: it.context.state.hci.question)
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(1.0)
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert [each.error_reason for each in it.planner.results] == ['Need to close mast'] * 3
    assert INTERRUPTED not in [each.error_reason for _, each in it.context.progress.history]


def test_a_stop_takes_no_pause_back_for_a_program_may_call_it() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(1.0)
    for _ in range(2):
        it.inbox.put(StopRequested('the operator'))
    it.pass_time(1.0)
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted']
    it.goal('another', tool='move_nudge')
    it.pass_time(1.0)
    assert it.robot.names.count(MOVE) == 1
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count(MOVE) == 2)


@pytest.mark.parametrize(
    ('wanted', 'paused'),
    [
        ([PauseRequested, StopRequested, ResumeRequested], False),
        ([StopRequested, PauseRequested], True),
        ([PauseRequested, StopRequested, ResumeRequested, PauseRequested], True),
    ],
)
def test_what_is_wanted_together_with_a_stop_holds_after_it(
    bench: MakeBench, wanted: list[Any], paused: bool
) -> None:
    it = bench()
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.tick()
    for each in wanted:
        it.inbox.put(each('the operator'))
    it.robot.replies = {STOP: DONE}
    it.pass_time(1.0)
    it.goal('drive', tool='move_nudge')
    it.pass_time(1.0)
    assert (MOVE not in it.robot.names) == paused


@pytest.mark.parametrize('word', ['finish', 'answer'])
@pytest.mark.parametrize('is_paused', [True, False])
def test_a_goal_that_its_planner_has_ended_is_not_pursued_further(
    bench: MakeBench, propose: Propose, word: str, is_paused: bool
) -> None:
    end = propose('finish', answer='done') if word == 'finish' else Answer('done')
    it, reader = bench(end, propose('move_nudge')), FakeGoalReader()
    it.recast(reader=reader)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('drive')
    it.pass_time(1.0)
    assert not it.reporter.endings, 'its words are still being read'
    if is_paused:
        it.inbox.put(PauseRequested('the operator'))
    else:
        it.goal('better', priority=1, tool='wait', arguments={'seconds': 5})
    it.pass_time(1.0)
    reader.reading.result = RequestedActs()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'
    assert it.reporter.endings[0]['answer'].startswith('done')
    assert it.planner.results == []
    assert MOVE not in it.robot.names


@pytest.mark.parametrize('is_paused', [True, False])
def test_an_answer_that_comes_with_a_pause_or_a_better_goal_is_not_lost(
    bench: MakeBench, propose: Propose, is_paused: bool
) -> None:
    it = bench(propose('ask_operator', question='Left or right?'), Answer('x'))
    it.status()
    it.goal('park it')
    it.until(lambda: it.context.state.hci.question)
    it.goal('left')
    if is_paused:
        it.inbox.put(PauseRequested('the operator'))
    else:
        it.goal('better', priority=1, tool='wait', arguments={'seconds': 1})
    it.pass_time(3.0)
    assert it.reporter.endings[0]['answer'] == 'answer to: Left or right?'
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings[-1]['goal'] == 'park it')
    assert 'RESULT' in {each.kind for each in it.events if each.tool_name == 'ask_operator'}
    if is_paused:
        assert [each.data for each in it.planner.results] == [{'answer': 'left'}]


def test_an_answer_to_the_tree_that_comes_with_a_pause_is_not_lost(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(*[propose('move_nudge')] * 3, Answer('x'))
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    it.goal('stow the mast')
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(1.0)
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: len(it.reporter.endings) == 2)
    assert it.planner.results[-1].data['operator_says'] == 'stow the mast'
