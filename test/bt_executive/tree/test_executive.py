"""The tree as a whole, with a fake robot and a manual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from known import known
from py_trees.common import Status
from py_trees.display import unicode_symbols
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, PlannerFailure, Proposal
from bt_executive.core.inputs import (
    GoalCancelled,
    ResetRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode
from bt_executive.tree.subtrees_on_demand import fully_planted
from bt_executive.tree.tree_summary import draw

CAPTURE = '/capture_and_score'
GOOD_PICTURE = '{"where": {"is_good": true}}'
GOOD = {'ok': True, 'score': 0.9, 'is_good': True, 'debug': '{"contrast": 3}'}


def test_a_goal_runs_from_words_to_answer(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('capture_and_score'), Answer('Bright sand.'))
    it.robot.replies = {CAPTURE: GOOD}
    it.status()
    it.goal('look', done_when=GOOD_PICTURE)
    it.until(lambda: it.reporter.endings)
    (ending,) = it.reporter.endings
    assert ending['outcome'] == 'reached'
    assert ending['answer'] == 'Bright sand.'
    assert (ending['steps'], ending['refusals'], ending['last_score']) == (1, 0, 0.9)
    assert it.planner.results[0].data['stats'] == {'contrast': 3}
    it.tick()
    assert it.context.state.tasks.mode is Mode.IDLE


def test_a_move_with_the_mast_open_is_refused_with_the_exact_reason(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('I cannot.'))
    it.status(mast_is_open=True)
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].error_reason == 'Need to close mast'
    assert it.robot.sent == []
    refusal = next(event for event in it.events if event.kind == 'DECIDE')
    assert refusal.error_reason == 'Need to close mast'
    assert known(refusal.data)['guard'] == 'mast_closed'
    assert known(refusal.data)['tree']['guard'] == 'mast_closed'


@pytest.mark.slow
def test_a_nudge_drives_for_its_time_and_stops(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('done'), overrides=['move.nudge_duration_sec=3.0'])
    it.robot.replies = {'/adapter/move_forward': {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: '/adapter/move_forward' in it.robot.names)
    started = it.now
    it.until(lambda: '/adapter/move_stop' in it.robot.names)
    assert it.now - started == pytest.approx(3.0, abs=0.25)
    it.robot.answer('/adapter/move_stop', success=True, message='')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'claimed'
    assert it.reporter.endings[0]['missing'] == (
        'move_nudge: how far the robot came was not measured'
    ), 'no pose came'
    assert not it.context.calls.leases.holders


@pytest.mark.parametrize('way', ['stop', 'safety', 'cancel', 'mast opens', 'shutdown', 'crash'])
def test_a_nudge_is_stopped_on_every_way_out(
    bench: MakeBench, propose: Propose, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = bench(propose('move_nudge'), Answer('done'))
    it.robot.replies = {'/adapter/move_forward': {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: '/adapter/move_forward' in it.robot.names)
    it.tick(2)
    assert '/adapter/move_stop' not in it.robot.names
    if way == 'stop':
        it.inbox.put(StopRequested('the operator'))
    elif way == 'safety':
        it.inbox.put(SafetyEvent('tilt', 'a test'))
    elif way == 'cancel':
        it.inbox.put(GoalCancelled('goal-drive', 'changed my mind'))
    elif way == 'mast opens':
        it.status(mast_is_open=True, moving=True)
    elif way == 'crash':
        leaf = next(node for node in it.executive.root.iterate() if node.name == 'Mast closed?')

        def explode() -> None:
            raise RuntimeError('boom')

        monkeypatch.setattr(leaf, 'update', explode)
    if way == 'shutdown':
        it.executive.shut_down()
    else:
        it.tick()
    assert '/adapter/move_stop' in it.robot.names
    if way == 'crash':
        assert it.context.state.tasks.mode is Mode.SAFE
        assert 'Mast closed?' in it.context.state.world.safety_reason
    elif way == 'mast opens':
        assert 'move_nudge' in names(it), 'how it ended is shown once'
        it.tick()
    assert 'move_nudge' not in names(it)


def names(it: TreeBench) -> set[str]:
    return {node.name for node in it.executive.root.iterate()}


def mode_of(it: TreeBench) -> Mode:
    return it.context.state.tasks.mode


def test_safe_is_latched_and_goals_are_refused_until_reset(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('x'))
    it.status()
    it.inbox.put(SafetyEvent('cliff ahead', '/safety_events'))
    it.tick()
    assert mode_of(it) is Mode.SAFE
    assert it.robot.names == ['/adapter/move_stop']
    it.goal('look')
    it.tick()
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert 'cliff ahead' in it.reporter.endings[0]['answer']
    it.inbox.put(ResetRequested('the operator'))
    it.tick()
    assert mode_of(it) is Mode.IDLE


def test_the_operators_stop_ends_the_goal_and_the_queue(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'))
    it.status()
    it.goal('one')
    it.goal('two')
    it.tick(2)
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted', 'interrupted']
    assert it.planner.cancelled == 1
    it.tick()
    assert it.context.state.tasks.mode is Mode.IDLE


def test_a_claim_is_checked_against_the_last_picture(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('capture_and_score'), Answer('It is bright!'))
    it.robot.replies = {CAPTURE: {'ok': True, 'score': 0.1, 'is_good': False, 'debug': ''}}
    it.status()
    it.goal(done_when=GOOD_PICTURE)
    it.until(lambda: it.reporter.endings)
    (ending,) = it.reporter.endings
    assert (ending['outcome'], ending['succeeded']) == ('claimed', False)
    assert ending['missing'] == 'is_good is no, not yes'
    assert ending['answer'].startswith(
        'It is bright! (Not shown by any measurement: is_good is no'
    )


def test_abort_gives_up_with_the_reason(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('abort', reason='400 m to go'))
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'gave_up'
    assert it.reporter.endings[0]['answer'] == '400 m to go'


def test_a_failing_planner_fails_the_goal(bench: MakeBench) -> None:
    it = bench(PlannerFailure('the model is gone'))
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert it.reporter.endings[0]['answer'] == 'the model is gone'


@pytest.mark.parametrize(
    ('tool', 'arguments', 'part'),
    [
        ('move_nugde', {}, 'did you mean move_nudge'),
        ('rm -rf /', {}, 'No tool'),
        ('move_nudge', {'speed': 9}, 'speed'),
        ('move_forward', {'duration_s': 1e9}, 'duration_s'),
        ('move_forward', {'duration_s': 'long'}, 'duration_s'),
        ('move_forward', {'duration_s': float('nan')}, 'finite'),
    ],
)
def test_bad_proposals_are_refused_with_help(
    bench: MakeBench, propose: Propose, tool: str, arguments: Any, part: str
) -> None:
    it = bench(propose(tool, **arguments), Answer('ok'))
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert part in it.planner.results[0].error_reason
    assert it.robot.sent == []


def test_an_adapter_that_has_not_spoken_yet_is_waited_for(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('done'))
    it.robot.replies = {CAPTURE: GOOD}
    it.goal()
    it.tick(3, after=1.0)
    assert it.robot.sent == []
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'
    assert 'The adapter reports its status' in it.messages('OBSERVE')


def test_an_adapter_that_falls_silent_makes_safe_past_it_and_until_it_is_back(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('done'))
    it.status()
    it.goal()
    it.tick(2)
    it.tick(after=5.0)
    assert it.reporter.endings[0]['answer'] == 'Safety event: the adapter is silent'
    assert it.robot.names[-1] == '/move_stop'
    answers: list[bool] = []
    it.inbox.put(ResetRequested('the operator', lambda ok, _words: answers.append(ok)))
    it.tick()
    it.status()
    it.inbox.put(ResetRequested('the operator', lambda ok, _words: answers.append(ok)))
    it.tick()
    assert answers == [False, True]
    assert it.context.state.tasks.mode is Mode.IDLE


@pytest.mark.slow
def test_a_server_that_never_answers_is_retried_once_and_told(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('I see nothing.'))
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [CAPTURE, CAPTURE]
    assert it.planner.results[0].error_reason == f'No answer from {CAPTURE} within 5 s'


@pytest.mark.slow
def test_a_late_answer_changes_nothing_but_the_trace(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('capture_and_score'), Answer('I see nothing.'))
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    before = it.context.state
    it.robot.answer(CAPTURE, **GOOD)
    it.tick()
    late = next(each for each in it.events if each.message.startswith('Late answer dropped: '))
    assert 'succeed' not in late.message  # that it came is not what it says
    said = {'happened': 'succeed', 'fields': GOOD, 'reason': ''}
    assert (late.data or {})['late_answer'] == said
    assert it.context.state.world == before.world


@pytest.mark.slow
def test_an_absent_server_fails_the_tool_after_a_bounded_wait(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('no camera'))
    it.robot.absent = {CAPTURE}
    it.status()
    it.goal()
    started = it.now
    it.until(lambda: it.reporter.endings)
    assert it.now - started == pytest.approx(15.0, abs=1.0)
    assert 'is not there (waited 15 s)' in it.planner.results[0].error_reason


def test_the_operators_tool_passes_the_same_guards(bench: MakeBench) -> None:
    it = bench()
    it.status(mast_is_open=True)
    it.goal('nudge', tool='move_nudge')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert it.reporter.endings[0]['answer'] == 'Need to close mast (first: :mast_close)'
    assert it.planner.started == []


def test_the_number_of_tool_calls_is_bounded(bench: MakeBench, propose: Propose) -> None:
    it = bench(*(propose('get_status') for _ in range(50)), overrides=['agent.max_iterations=5'])
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': '{}'}}
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'gave_up'
    assert it.reporter.endings[0]['steps'] == 5


@pytest.mark.parametrize('score', ['9' * 400, '1e999', 'true', '"good"'], ids=lambda s: s[:5])
def test_a_score_that_is_no_number_is_none(bench: MakeBench, propose: Propose, score: str) -> None:
    it = bench(propose('get_status'), Answer('done'))
    said = f'{{"score": {score}}}'
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': said}}
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'answered'
    assert it.context.state.world.last_score is None


@pytest.fixture
def far_enough(bench: MakeBench, propose: Propose) -> Callable[..., Any]:
    """A goal whose budget of distance is used up by its first tool, a nudge."""

    def begin(*proposals: Proposal) -> TreeBench:
        it = bench(propose('move_nudge'), *proposals, overrides=['goal.max_distance_m=0.5'])
        it.robot.replies = {
            f'/adapter/{name}': {'success': True, 'message': ''}
            for name in ('get_status', 'mast_open', 'move_forward', 'move_stop')
        }
        it.status(mast_is_open=False, mast='closed')
        it.goal()
        it.tick()
        it.context.progress.distance_m = 0.6
        it.until(lambda: it.reporter.endings)
        return it

    return begin


def test_what_the_state_stands_against_is_not_offered(bench: MakeBench, propose: Propose) -> None:
    """Neither what is not known nor what passes by itself counts as that."""
    it = bench(propose('get_status'), Answer('done'))
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': ''}}
    it.status(mast_is_open=True, mast='open')
    it.goal()
    it.until(lambda: it.reporter.endings)
    ((_, context),) = it.planner.started
    driving = {'move_nudge', 'move_forward', 'turn_left', 'turn_right', 'navigate_to'}
    assert driving <= {name for name, _ in context.barred}
    assert {why for _, why in context.barred} == {'Need to close mast: mast_close first'}
    assert it.context.guards.barred() == context.barred
    it.status(mast_is_open=False, mast='closed')
    it.tick()
    assert {name for name, _ in it.context.guards.barred()} == {'capture_and_score', 'look'}
    it.status(mast_is_open=None, mast='unknown', motion_active=True)
    it.tick()
    assert it.context.guards.barred() == ()


def test_a_goal_whose_distance_is_used_up_drives_no_more_and_says_its_answer(
    far_enough: Callable[..., Any], propose: Propose
) -> None:
    it = far_enough(
        propose('get_status'), propose('mast_open'), propose('finish', answer='It is stone')
    )
    refused, *others = it.planner.results
    assert refused.error_reason.startswith('Budget of distance is used up: 0.6')
    assert not {'move_nudge', 'turn_left', 'navigate_to'} & {*refused.data['allowed_now']}
    assert {'finish', 'speak', 'mast_open'} <= {*refused.data['allowed_now']}
    assert [result.ok for result in others] == [True, True]
    (ending,) = it.reporter.endings
    assert ending['outcome'] == 'claimed'
    assert ending['answer'].startswith('It is stone (Not shown by any measurement: ')
    assert ending['missing'] == (
        'move_nudge: Budget of distance is used up: 0.6485 of 0.5 m; '
        'mast_open: mast is closed, mast_is_open is no'
    )


@pytest.mark.slow
def test_a_goal_that_wants_to_drive_on_without_distance_is_put_to_the_operator(
    far_enough: Callable[..., Any], propose: Propose
) -> None:
    it = far_enough(*[propose('move_nudge')] * 9)
    assert it.robot.names == ['/adapter/move_forward', '/adapter/move_stop']
    (ending,) = it.reporter.endings
    assert ending['outcome'] == 'gave_up'
    assert ending['answer'].count('Budget of distance is used up: 0.') == 1


def test_variant_a_has_no_mast_tools_and_no_mast_guards(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('ok'), overrides=['variant=A'])
    with fully_planted(it.executive.root) as root:
        names = {node.name for node in root.iterate()}
    assert 'mast_open' not in it.context.registry
    assert 'mast_close' not in it.context.registry
    assert 'mast_rotate' in it.context.registry
    assert 'Mast closed?' not in names
    it.robot.replies = {
        '/adapter/move_forward': {'success': True, 'message': ''},
        '/adapter/move_stop': {'success': True, 'message': ''},
    }
    it.status(mast_is_open=None, mast=None)
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok


def test_a_restarted_adapter_has_lost_what_it_was_doing(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('mast_rotate'), Answer('done'))
    it.status(life='first')
    it.goal()
    it.until(lambda: '/adapter/mast_rotate' in it.robot.names)
    it.status(life='second')
    it.tick()
    assert 'The adapter was restarted; what it was doing is lost' in it.messages('ERROR')
    it.until(lambda: it.robot.names.count('/adapter/mast_rotate') == 2)  # idempotent: once more
    it.robot.answer('/adapter/mast_rotate', success=True, message='')
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok


def test_a_drive_through_a_restart_of_the_adapter_is_cut_short(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'))
    it.robot.replies = {
        '/adapter/move_forward': {'success': True, 'message': ''},
        '/adapter/move_stop': {'success': True, 'message': ''},
    }
    it.status(mast_is_open=False, mast='closed', life='first')
    it.goal()
    it.until(lambda: '/adapter/move_forward' in it.robot.names)
    it.tick(2)
    it.status(life='second')
    it.tick()
    assert '/adapter/move_stop' in it.robot.names
    it.until(lambda: it.reporter.endings)
    assert 'The adapter was restarted' in it.planner.results[0].error_reason


def test_the_first_feedback_of_an_action_is_told_and_the_latest_stands_in_the_tree(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('navigate_to', x=5.0, y=3.0), Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: '/adapter/navigate_to_pose' in it.robot.names)
    (session,) = it.context.calls.running()
    it.inbox.put(ServerCallUpdate(session.server_call_id, CallInput.ACCEPT))
    for left in (51.234567890123456, 50.0):
        feedback = {'distance_left': left, 'time_left': 105.4321}
        it.inbox.put(ServerCallUpdate(session.server_call_id, CallInput.PROGRESS, feedback))
        it.status()
        it.tick()
    told = [each.message for each in it.events if 'distance left' in each.message]
    assert told == ['navigate_to: distance left 51.2 m, time left 105 s']
    messages = [node.feedback_message for node in it.executive.root.iterate()]
    assert 'distance left 50 m, time left 105 s' in messages


def test_the_tree_is_drawn_without_the_colours_of_py_trees(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = bench()
    it.tick()
    for symbol, text in (('bold', '\x1b[1m'), ('bold_reset', '\x1b[0m')):
        monkeypatch.setitem(unicode_symbols, symbol, text)
    monkeypatch.setitem(unicode_symbols, Status.RUNNING, '\x1b[34m*\x1b[0m')
    assert '--> Idle [*] -- waiting for a goal\n' in draw(it.executive.root)
