"""Going to what is remembered, through the whole tree: recall, drive, look, confirm or retract."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, ToolResult
from bt_executive.core.inputs import GoalCancelled, PoseReceived, ServerCallUpdate
from bt_executive.core.state import Mode

RECALL, DRIVE = '/memory/recall', '/adapter/navigate_to_pose'
LOOK, CONFIRM, RETRACT = '/memory/look', '/memory/confirm', '/memory/retract'
STOP = '/adapter/move_stop'
BISHOP = {'id': 'n1', 'name': 'Bishop', 'x': 20.0, 'y': 0.0, 'radius_m': 1.0}
FOUND = {'ok': True, 'error_code': '', 'reason': '', 'places': [BISHOP]}
ARRIVED = {'error_code': '', 'message': 'arrived', 'distance': 0.2}
SEEN = {'ok': True, 'error_code': '', 'reason': 'Bishop is there', 'distance_m': 4.1, 'looks': 2}
DONE = {'ok': True, 'reason': ''}


def gone(code: str = 'MEMORY_GONE') -> dict[str, Any]:
    return {'ok': False, 'error_code': code, 'reason': 'Bishop is not there', 'looks': 4}


@pytest.fixture
def it(bench: MakeBench, propose: Propose) -> TreeBench:
    made = bench(propose('go_to_remembered', text='the layered rock'), Answer('so be it'))
    made.status(mast_is_open=False, mast='closed', moving=False)
    made.robot.replies = {RECALL: FOUND, CONFIRM: DONE, RETRACT: DONE, STOP: {'success': True}}
    stand(made, 0.0, 0.0)
    return made


def stand(it: TreeBench, x: float, y: float, yaw: float = 0.0) -> None:
    it.inbox.put(PoseReceived(it.now, x, y, yaw, stamp=it.now))


def drive(it: TreeBench) -> None:
    """The navigator has taken the goal."""
    it.goal('go there')
    it.until(lambda: DRIVE in it.robot.names)
    server_call_id = next(session for session, name in it.robot.sent if name == DRIVE)
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.pass_time(0.2)


def arrive(it: TreeBench) -> None:
    drive(it)
    it.robot.answer(DRIVE, **ARRIVED)
    it.until(lambda: LOOK in it.robot.names)


def result(it: TreeBench) -> ToolResult:
    it.until(lambda: it.planner.results)
    return it.planner.results[0]


def test_what_is_there_is_confirmed(it: TreeBench) -> None:
    arrive(it)
    assert it.context.permits.current.number == 0, 'nothing may move while it looks'
    it.robot.answer(LOOK, **SEEN)
    told = result(it)
    assert told.ok
    assert told.data == {
        'name': 'Bishop', 'x': 20.0, 'y': 0.0, 'distance_m': 4.1, 'looks': 2, 'seen_there': True,
    }  # fmt: skip
    assert it.robot.names == [RECALL, DRIVE, LOOK, CONFIRM]
    assert 'Bishop is there: confirmed' in it.messages('OBSERVE')


@pytest.mark.parametrize(
    ('look', 'place'),
    [
        ({**SEEN, 'x': 22.5, 'y': 3.0}, (22.5, 3.0)),
        ({**gone(), 'x': 22.5, 'y': 3.0, 'distance_m': 5.0}, (22.5, 3.0)),
        ({**gone('MEMORY_NOT_IN_VIEW'), 'x': 0.0, 'y': 0.0, 'distance_m': -1.0}, (20.0, 0.0)),
        ({**SEEN, 'x': math.nan, 'y': 3.0}, (20.0, 0.0)),
    ],
)
def test_what_was_moved_since_the_recall_is_reported_where_it_was_looked_for(
    it: TreeBench, look: dict[str, Any], place: tuple[float, float]
) -> None:
    arrive(it)
    it.robot.answer(LOOK, **look)
    told = result(it)
    assert (told.data['x'], told.data['y']) == place
    assert told.data['seen_there'] is look['ok']


def test_it_looks_from_a_short_way_before_the_place_and_facing_it(it: TreeBench) -> None:
    stand(it, 20.0, -15.0)
    drive(it)
    session = next(each for each in it.context.running_calls() if each.label == DRIVE)
    wanted = {'x': 20.0, 'y': -4.0, 'heading': math.pi / 2}
    assert session.arguments == pytest.approx(wanted, abs=1e-3)


def test_what_is_gone_is_retracted_and_told(it: TreeBench) -> None:
    arrive(it)
    it.robot.answer(LOOK, **gone())
    told = result(it)
    assert (told.ok, told.error_reason) == (False, 'Bishop is not there: retracted')
    assert it.robot.names == [RECALL, DRIVE, LOOK, RETRACT]


def test_what_was_not_in_view_is_neither_confirmed_nor_retracted(it: TreeBench) -> None:
    arrive(it)
    it.robot.answer(LOOK, **gone('MEMORY_NOT_IN_VIEW'))
    assert result(it).error_reason == 'Bishop is not there'
    assert it.robot.names == [RECALL, DRIVE, LOOK]


def test_what_is_in_view_is_looked_at_without_a_drive(it: TreeBench) -> None:
    stand(it, 14.0, 0.0)
    it.goal('go there')
    it.until(lambda: LOOK in it.robot.names)
    it.robot.answer(LOOK, **SEEN)
    assert result(it).ok
    assert it.robot.names == [RECALL, LOOK, CONFIRM]


@pytest.mark.parametrize('code', ['MEMORY_ABSENT', 'MEMORY_STALE', 'MEMORY_AMBIGUOUS'])
def test_nothing_drives_where_the_memory_has_no_place(it: TreeBench, code: str) -> None:
    it.robot.replies[RECALL] = {**FOUND, 'ok': False, 'error_code': code, 'reason': 'why'}
    it.goal('go there')
    told = result(it)
    assert (told.ok, told.error_reason) == (False, 'why')
    assert it.robot.names == [RECALL]
    assert it.context.state.skills.last_result is not None
    assert it.context.state.skills.last_result.error_code == code


@pytest.mark.parametrize('x', ['far', True, math.nan, 10**400], ids=type)
def test_nothing_drives_to_a_place_without_numbers(it: TreeBench, x: Any) -> None:
    it.robot.replies[RECALL] = {**FOUND, 'places': [{**BISHOP, 'x': x}]}
    it.goal('go there')
    assert not result(it).ok
    assert it.robot.names == [RECALL]
    assert it.context.state.tasks.mode is not Mode.SAFE


@pytest.mark.slow
def test_a_recall_that_never_answers_ends_with_its_reason(it: TreeBench) -> None:
    del it.robot.replies[RECALL]
    it.goal('go there')
    told = result(it)
    assert told.error_reason == 'No answer from /memory/recall within 15 s'
    assert it.now < 120.0


def test_a_guard_that_breaks_while_it_drives_stops_it(it: TreeBench) -> None:
    drive(it)
    it.status(mast_is_open=True, mast='open')
    assert result(it).error_reason == 'Need to close mast'
    assert STOP in it.robot.names
    assert LOOK not in it.robot.names


@pytest.mark.slow
def test_a_place_in_a_keep_out_zone_is_not_driven_to(bench: MakeBench, propose: Propose) -> None:
    zone = 'keep_out=[{name: pit, polygon: [[14, -3], [18, -3], [18, 3], [14, 3]]}]'
    made = bench(propose('go_to_remembered', text='rock'), Answer('no'), overrides=[zone])
    made.status(mast_is_open=False, mast='closed', moving=False)
    made.robot.replies = {RECALL: FOUND}
    stand(made, 0.0, 0.0)
    made.goal('go there')
    assert "too near to keep-out zone 'pit'" in result(made).error_reason
    assert made.robot.names == [RECALL]


def test_a_drive_that_fails_is_not_followed_by_a_look(it: TreeBench) -> None:
    drive(it)
    it.robot.answer(DRIVE, **{**ARRIVED, 'error_code': 'NAV_BLOCKED', 'message': 'a rock'})
    assert result(it).error_reason == 'a rock'
    assert LOOK not in it.robot.names


@pytest.mark.slow
def test_a_look_that_may_not_be_made_confirms_nothing(bench: MakeBench, propose: Propose) -> None:
    stands = 'tools.look_for_place.guards=[standing_still]'
    made = bench(propose('go_to_remembered', text='rock'), Answer('so be it'), overrides=[stands])
    made.status(mast_is_open=False, mast='closed', moving=False)
    made.robot.replies = {RECALL: FOUND, CONFIRM: DONE, RETRACT: DONE}
    stand(made, 0.0, 0.0)
    drive(made)
    made.status(moving=True)
    made.robot.answer(DRIVE, **ARRIVED)
    told = result(made)
    assert (told.ok, told.error_reason) == (False, 'Move in progress')
    assert made.robot.names == [RECALL, DRIVE]


def test_a_second_visit_knows_nothing_of_the_first(bench: MakeBench, propose: Propose) -> None:
    visit = propose('go_to_remembered', text='rock')
    made = bench(visit, visit, Answer('done'))
    made.status(mast_is_open=False, mast='closed', moving=False)
    made.robot.replies = {RECALL: FOUND, LOOK: SEEN, CONFIRM: DONE}
    stand(made, 14.0, 0.0)
    made.goal('go there')
    made.until(lambda: made.planner.results)
    made.robot.replies[LOOK] = gone('MEMORY_NOT_IN_VIEW')
    made.until(lambda: len(made.planner.results) == 2)
    assert [each.ok for each in made.planner.results] == [True, False]


def test_the_planner_may_not_judge_places_itself(bench: MakeBench, propose: Propose) -> None:
    made = bench(propose('retract_place', id='n1', reason='I think so'), Answer('no'))
    made.status()
    made.goal('tidy up')
    made.until(lambda: made.planner.results)
    assert made.planner.results[0].error_reason.startswith("No tool 'retract_place'")
    assert made.robot.names == []
    offered = {offer.name for offer in made.planner.started[0][1].toolset}
    assert 'go_to_remembered' in offered
    assert not offered & {'look_for_place', 'confirm_place', 'retract_place'}


def test_a_recall_uses_up_no_tool_call_and_counts_as_no_failure(
    bench: MakeBench, propose: Propose
) -> None:
    asks = [propose('recall', text=f'rock {number}') for number in range(7)]
    made = bench(*asks, Answer('nothing is there'))
    made.status()
    absent = {'ok': False, 'error_code': 'MEMORY_ABSENT', 'reason': 'nothing', 'places': []}
    made.robot.replies = {RECALL: absent}
    made.goal('find a rock')
    made.until(lambda: made.reporter.endings)
    assert len(made.planner.results) == 7, 'nobody was asked after five failures'
    assert made.context.progress.steps == 0


def test_questions_without_end_are_ended(bench: MakeBench, propose: Propose) -> None:
    asks = [propose('recall', text=f'rock {number}') for number in range(9)]
    made = bench(*asks, overrides=['agent.max_iterations=5'])
    made.status()
    made.robot.replies = {RECALL: FOUND}
    made.goal('find a rock')
    made.until(lambda: made.reporter.endings)
    assert len(made.robot.names) == 5
    assert any('Not done after 5 questions' in each for each in made.messages('ERROR'))


def test_a_judgement_that_the_memory_does_not_take_is_not_told_as_done(it: TreeBench) -> None:
    it.robot.replies[RETRACT] = {'ok': False, 'reason': 'the disk is full'}
    arrive(it)
    it.robot.answer(LOOK, **gone())
    wanted = 'Bishop is not there: not retracted: the disk is full'
    assert result(it).error_reason == wanted


# --- places that somebody named -----------------------------------------------------------------

HOME = {'id': 'h', 'name': 'home', 'x': 0.0, 'y': 0.0, 'radius_m': 1.0, 'named': True}
THERE = {'ok': True, 'error_code': '', 'reason': '0.6 m from home', 'distance_m': 0.6}


@pytest.mark.parametrize(('x', 'y', 'yaw'), [(0.0, 0.0, 0.0), (0.6, 0.0, 3.0), (-0.7, 0.7, -1.5)])
def test_a_named_place_is_reached_by_being_there(
    it: TreeBench, x: float, y: float, yaw: float
) -> None:
    stand(it, x, y, yaw)
    it.robot.replies |= {RECALL: {**FOUND, 'places': [HOME]}, LOOK: THERE}
    it.goal('go home')
    told = result(it)
    assert (told.ok, told.data['distance_m']) == (True, 0.6)
    assert it.robot.names == [RECALL, LOOK, CONFIRM]


def test_a_named_place_is_driven_to_itself_with_any_heading(it: TreeBench) -> None:
    stand(it, 5.0, 0.0)
    it.robot.replies[RECALL] = {**FOUND, 'places': [HOME]}
    drive(it)
    session = next(each for each in it.context.running_calls() if each.label == DRIVE)
    assert session.arguments == {'x': 0.0, 'y': 0.0}


def test_a_thing_of_that_size_is_not_reached_by_standing_on_it(it: TreeBench) -> None:
    stand(it, 20.0, 0.5)
    drive(it)
    assert DRIVE in it.robot.names


# --- nothing acts for a target that is not known -------------------------------------------------

CLOSE = '/adapter/mast_close'
UNKNOWN = {'ok': False, 'error_code': 'MEMORY_ABSENT', 'reason': 'Nothing is like the sun.'}


@pytest.mark.parametrize('policy', ['reject', 'resolve'])
@pytest.mark.parametrize('is_known', [True, False])
def test_the_mast_is_closed_only_for_a_target_that_is_known(
    bench: MakeBench, propose: Propose, policy: str, is_known: bool
) -> None:
    it = bench(
        propose('go_to_remembered', text='the sun'),
        Answer('no'),
        overrides=[f'guards.policy.mast_closed={policy}'],
    )
    it.status(mast_is_open=True, mast='open', moving=False)
    stand(it, 0.0, 0.0)
    it.robot.replies = {RECALL: FOUND if is_known else {**UNKNOWN, 'places': []}}
    it.goal('go to the sun')
    if is_known and policy == 'resolve':
        it.until(lambda: CLOSE in it.robot.names)
        assert it.robot.names == [RECALL, CLOSE]
        return
    told = result(it)
    assert it.robot.names == [RECALL]
    assert told.error_reason == ('Need to close mast' if is_known else UNKNOWN['reason'])


@pytest.mark.slow
def test_a_memory_that_is_not_there_is_said_before_anything_acts(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(
        propose('go_to_remembered', text='the sun'),
        Answer('no'),
        overrides=['guards.policy.mast_closed=resolve'],
    )
    it.status(mast_is_open=True, mast='open', moving=False)
    it.robot.absent = {RECALL}
    it.goal('go to the sun')
    assert result(it).error_reason == 'recall: its server is not there'
    assert it.robot.names == []


SPIN = '/spin'
ASK = 'type: demo/srv/Ask}, idempotent: true, result: { ok: ok }, args: '
STRING, NUMBER = '{ type: string }', '{ type: number }'
JUDGEMENT = f'{{ id: {STRING}, reason: {STRING} }}'
GATED = (  # a base that turns to look, by an action behind its gate
    f'robot.tools.recall={{service: {{name: /recall, {ASK}{{ text: {STRING} }}}}',
    f'robot.tools.confirm={{service: {{name: /confirm, {ASK}{JUDGEMENT}}}',
    f'robot.tools.retract={{service: {{name: /retract, {ASK}{JUDGEMENT}}}',
    'robot.tools.go={gate: base, action: {name: /go, type: demo/action/Go}, '
    f'args: {{ x: {NUMBER}, y: {NUMBER} }}, destination: {{ x: x, y: y }}}}',
    'robot.tools.look={gate: base, action: {name: /spin, type: demo/action/Spin}, '
    f'args: {{ id: {STRING} }}}}',
    f'robot.tools.go_to_remembered={{args: {{ text: {STRING} }}, resources_required: [base], '
    'steps: { recall: recall, drive: go, look: look, confirm: confirm, retract: retract }}',
)


@pytest.mark.parametrize('happened', [CallInput.SUCCEED, CallInput.FAIL, None])
def test_the_permit_of_a_look_ends_with_the_look(happened: CallInput | None) -> None:
    """It was given on after the goal had ended, so the gate let velocities of anybody pass."""
    it = TreeBench((), GATED, 'turtlebot')
    it.status(moving=False, moving_at_gates={'base': False})
    stand(it, 14.0, 0.0)
    it.robot.replies = {'/recall': FOUND}
    it.goal('look', tool='go_to_remembered', arguments={'text': 'Bishop'})
    it.until(lambda: SPIN in it.robot.names, bound=100)
    assert it.context.permits.at('base').motion == 'spin'
    server_call_id = next(call for call, name in it.robot.sent if name == SPIN)
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.tick()
    if happened is None:
        it.inbox.put(GoalCancelled('goal-look', 'nobody wants it'))
    else:
        it.inbox.put(ServerCallUpdate(server_call_id, happened, {}))
    it.tick()
    assert not it.context.permits.given
    assert (STOP in it.robot.names) is (happened is not CallInput.SUCCEED)


@pytest.mark.parametrize('needs', ['approval.mode=always', 'robot.tools.recall.approve=true'])
def test_the_memory_is_not_asked_before_a_human_has_agreed(
    bench: MakeBench, propose: Propose, needs: str
) -> None:
    policy = 'guards.policy={mast_closed: resolve}'
    it = bench(propose('go_to_remembered', text='the rock'), overrides=[needs, policy])
    it.status(mast_is_open=True, mast='open', moving=False)
    it.robot.replies = {RECALL: FOUND, STOP: {'success': True}}
    stand(it, 0.0, 0.0)
    it.goal('go there')
    it.until(it.context.approvals.waiting)
    assert it.robot.names == []


def test_a_breakpoint_is_hit_after_a_target_that_the_memory_does_not_know(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(
        propose('go_to_remembered', text='the sun'),
        propose('get_status'),
        overrides=['approval.break_at=[MEMORY_ABSENT]'],
    )
    it.status(mast_is_open=True, mast='open', moving=False)
    stand(it, 0.0, 0.0)
    it.robot.replies = {RECALL: {**UNKNOWN, 'places': []}}
    it.goal('go to the sun')
    it.until(it.context.approvals.waiting)
    assert it.robot.names == [RECALL]
