"""Goals end by what was measured: the tree with models and servers that say what is not so."""

from __future__ import annotations

from typing import Any

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, PlannerOutput
from bt_executive.core.inputs import ApprovalGiven, BatteryReceived, PoseReceived, ServerCallUpdate

ADAPTER = {
    f'/adapter/{name}': {'success': True, 'message': ''}
    for name in (
        'get_status',
        'mast_open',
        'mast_close',
        'mast_rotate',
        'move_forward',
        'move_stop',
    )
}
SAID = Answer('Done, I drove 5 m.')


def ended(it: TreeBench, words: str = 'drive 5 m', **fields: Any) -> dict[str, Any]:
    """How a goal ended for a rover that stands with its mast closed, whose servers say yes."""
    it.robot.replies = {**ADAPTER, **it.robot.replies}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal(words, **fields)
    it.until(lambda: it.reporter.endings)
    return it.reporter.endings[0]


def claim(it: TreeBench, **fields: Any) -> str:
    """What was missing of a claim."""
    ending = ended(it, **fields)
    assert (ending['outcome'], ending['succeeded']) == ('claimed', False)
    assert ending['missing'] in ending['answer']
    last = it.events[-1]
    assert (last.kind, last.ok) == ('ERROR', False)
    return str(ending['missing'])


def test_words_alone_answer_and_reach_nothing(bench: MakeBench) -> None:
    ending = ended(bench(SAID))
    assert (ending['outcome'], ending['succeeded']) == ('answered', False)


def test_words_are_enough_for_a_question(bench: MakeBench) -> None:
    ending = ended(bench(Answer('I can drive.')), 'what can you do?')
    assert (ending['outcome'], ending['succeeded']) == ('answered', True)


def test_a_template_may_say_that_it_is_a_question(bench: MakeBench) -> None:
    ending = ended(bench(Answer('80 %')), 'the state', done_when='{"answer": true}')
    assert (ending['outcome'], ending['succeeded']) == ('answered', True)


def test_finish_at_once_is_a_claim(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('finish', answer='Done, I drove 5 m.'))
    assert claim(it) == 'no tool was asked for'


def test_acts_that_were_refused_are_not_done(bench: MakeBench, propose: Propose) -> None:
    refused = propose('move_forward', duration_s=99)
    assert claim(bench(refused, refused, SAID)).startswith(
        "move_forward: Argument 'duration_s': 99"
    )


@pytest.mark.parametrize('name', ['move_forwаrd', 'move_forward\u200b', 'ｍove_forward'])
def test_a_tool_with_the_look_of_another_is_none(
    bench: MakeBench, propose: Propose, name: str
) -> None:
    assert claim(bench(propose(name, duration_s=2), SAID)).startswith(f'{name}: No tool ')


@pytest.mark.parametrize('after', [[], ['get_status'], ['mast_close']])
def test_what_the_operator_rejected_is_not_done(
    bench: MakeBench, propose: Propose, after: list[str]
) -> None:
    tools: list[PlannerOutput] = [propose('move_forward'), *map(propose, after), SAID]
    it = bench(*tools, overrides=['tools.move_forward.approve=true'])
    it.robot.replies = dict(ADAPTER)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('drive')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'reject', word='not there'))
    it.until(lambda: it.reporter.endings)
    ending = it.reporter.endings[0]
    assert ending['outcome'] == 'claimed'
    assert ending['missing'] == 'move_forward: Rejected by the operator: not there'


def test_a_drive_that_nobody_measured_is_not_confirmed(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_forward', duration_s=1), SAID)
    assert claim(it) == 'move_forward: how far the robot came was not measured'
    assert it.planner.results[0].data['driven_m'] is None
    assert it.planner.results[0].data['not_confirmed'], 'the model is told, too'


def test_a_drive_by_hand_that_nobody_measured_is_a_claim(bench: MakeBench) -> None:
    missing = claim(bench(), tool='move_forward', arguments={'duration_s': 1})
    assert missing == 'how far the robot came was not measured'


def test_a_mast_that_its_server_has_opened_and_that_is_closed_is_not_open(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('mast_open'), Answer('It is up.'))
    assert claim(it) == 'mast_open: mast is closed, mast_is_open is no'


@pytest.mark.parametrize('word', ['unknown', None])
def test_a_mast_of_which_nothing_is_known_is_not_open(bench: MakeBench, word: str | None) -> None:
    it = bench()
    it.robot.replies = dict(ADAPTER)
    it.status(mast_is_open=None, mast=word, moving=False)
    it.goal('up', tool='mast_open')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['missing'] == 'mast is unknown, mast_is_open is unknown'


def test_a_mast_that_is_seen_open_a_moment_later_is_open(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('mast_open'), Answer('It is up.'))
    it.robot.replies = dict(ADAPTER)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('open the mast')
    it.pass_time(1.0)
    it.status(mast_is_open=True, mast='open')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_a_stop_counts_once_the_robot_stands(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_stop'), Answer('It stands.'))
    it.robot.replies = dict(ADAPTER)
    it.status(mast_is_open=False, mast='closed', moving=True)
    it.goal('stop the rover gently')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['missing'] == 'move_stop: it is not known that the robot stands'


NOT_SEEN = {'at_rest': None, 'standing_unknown': 'odometry is silent'}


@pytest.mark.parametrize(('speed', 'facts'), [(0.5, {}), (0.0, NOT_SEEN)])
@pytest.mark.parametrize(
    ('goal', 'missing'),
    [
        ({'tool': 'move_stop'}, 'it is not known that the robot stands'),
        (
            {'tool': 'get_status', 'done_when': '{"where": {"at_rest": true}}'},
            'at_rest is not known',
        ),
    ],
)
def test_an_unknown_standstill_is_none(
    bench: MakeBench, speed: float, facts: dict[str, Any], goal: dict[str, Any], missing: str
) -> None:
    it = bench()
    it.robot.replies = dict(ADAPTER)
    began = it.now

    def seen() -> bool:
        it.inbox.put(PoseReceived(it.now, speed * (it.now - began), 0.0, 0.0, stamp=it.now))
        return bool(it.reporter.endings)

    it.status(mast_is_open=False, mast='closed', moving=False, **facts)
    it.until(lambda: seen() or it.now - began > 2.0)
    it.goal('stand', **goal)
    it.until(seen)
    ending = it.reporter.endings[0]
    assert (ending['outcome'], ending['missing']) == ('claimed', missing)


@pytest.mark.parametrize(('x', 'outcome'), [(8.0, 'reached'), (7.2, 'reached'), (3.0, 'claimed')])
def test_a_place_is_reached_by_being_there(bench: MakeBench, x: float, outcome: str) -> None:
    it = bench()
    it.status(mast_is_open=False, mast='closed', moving=False)

    def located() -> bool:
        it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=it.now))
        return bool(it.reporter.endings)

    located()
    it.goal('go', tool='navigate_to', arguments={'x': 8.0, 'y': 0.0})
    it.until(lambda: it.robot.sent)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.inbox.put(
        ServerCallUpdate(server_call_id, CallInput.SUCCEED, {'error_code': '', 'message': ''})
    )
    it.until(located)
    ending = it.reporter.endings[0]
    assert ending['outcome'] == outcome, ending
    assert ending['missing'] == ('' if outcome == 'reached' else 'the robot is 5 m from the place')


@pytest.mark.parametrize(
    ('where', 'missing'),
    [
        ('{"mast": "closed"}', ''),
        ('{"mast": "open"}', 'mast is closed, not open'),
        ('{"at_rest": true}', ''),
        ('{"battery_pct": {"at_least": 50}}', ''),
        ('{"battery_pct": {"at_least": 90}}', 'battery_pct is 80, not at least 90'),
        ('{"driven_m": {"at_least": 0.4}}', 'driven_m is not known'),
        ('{"is_good": true}', 'is_good is not known'),
    ],
)
@pytest.mark.parametrize('by_model', [True, False])
def test_what_is_to_be_measured_decides(
    bench: MakeBench, propose: Propose, where: str, missing: str, by_model: bool
) -> None:
    outputs: list[PlannerOutput] = [propose('move_forward', duration_s=99), SAID]
    it = bench(*outputs)
    it.inbox.put(BatteryReceived(it.now, 80.0))
    fields = {} if by_model else {'tool': 'get_status'}
    it.robot.replies = {**ADAPTER, '/adapter/get_status': {'success': True, 'message': '{}'}}
    ending = ended(it, done_when=f'{{"where": {where}}}', **fields)
    assert (ending['outcome'], ending['missing']) == ('claimed' if missing else 'reached', missing)


@pytest.mark.slow
def test_a_reading_that_is_old_is_none(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('wait', seconds=40), SAID)
    it.inbox.put(BatteryReceived(it.now, 80.0))
    assert claim(it, done_when='{"where": {"battery_pct": {"at_least": 50}}}') == (
        'battery_pct is not known'
    )


COMPOSITES = (
    'robot.tools.up={sequence: [mast_open, wait]}',
    'robot.tools.higher={sequence: [get_status, up]}',
    'robot.tools.up_and_down={sequence: [mast_open, mast_close]}',
)


@pytest.mark.parametrize('tool', ['mast_open', 'up', 'higher'])
@pytest.mark.slow
def test_what_the_last_act_brought_about_must_still_be_so(
    bench: MakeBench, propose: Propose, tool: str
) -> None:
    asks = propose(tool), propose('wait', seconds=3)
    it = bench(*asks, Answer('The mast is open.'), overrides=COMPOSITES)
    it.robot.replies = {**ADAPTER}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('raise the mast')
    it.until(lambda: '/adapter/mast_open' in it.robot.names)
    it.status(mast_is_open=True, mast='open')
    it.until(lambda: len(it.planner.results) == 1)
    it.status(mast_is_open=False, mast='closed')  # somebody lowers it again
    it.until(lambda: it.reporter.endings)
    (ending,) = it.reporter.endings
    assert ending['outcome'] == 'claimed'
    assert ending['missing'].startswith(f'{tool}: ')
    assert ending['missing'].endswith('mast is closed, mast_is_open is no')


@pytest.mark.slow
@pytest.mark.parametrize(
    'acts', [['mast_open', 'mast_close'], ['up_and_down']], ids=['acts', 'composite']
)
def test_what_a_later_act_or_member_has_undone_counts_no_more(
    acts: list[str], bench: MakeBench, propose: Propose
) -> None:
    it = bench(*map(propose, acts), Answer('Up and down.'), overrides=COMPOSITES)
    it.robot.replies = {**ADAPTER}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('up and down')
    it.until(lambda: '/adapter/mast_open' in it.robot.names)
    it.status(mast_is_open=True, mast='open')
    it.until(lambda: '/adapter/mast_close' in it.robot.names)
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'
