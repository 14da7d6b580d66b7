"""CHARGE with `charge: { by: … }`: the one tool that drives there, as a goal of the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driving_bench import STOP, STOW, battery, driving, mode, reset
from lives import Lives
import pytest
from tree_bench import TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    PauseRequested,
    PoseReceived,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.errors import ConfigError

DOCK = '/dock'
TOOL = (
    'robot.tools.dock={{action: {{name: /dock, type: demo/action/Dock}}, '
    'resources_required: [base], guards: [adapter_alive, standing_still], timeout_s: 30.0, '
    'idempotent: {again}, error_map: {{BUMPED: ABORT}}, result: {{code: code, reason: message}}, '
    'args: {{id: {{type: string, default: home}}}}}}'
)
ONCE, AGAIN = TOOL.format(again='false'), TOOL.format(again='true')
BY = 'robot.charge={by: dock, args: {id: yard}}'


def docks(it: TreeBench) -> int:
    return it.robot.names.count(DOCK)


def low(it: TreeBench, percent: float = 15.0) -> None:
    """Ticks until the tool is called, with readings of the battery that stay young."""
    passing(it, lambda: docks(it), percent)


def passing(
    it: TreeBench, done: Callable[[], Any], percent: float = 15.0, step: float = 0.1
) -> None:
    def tick() -> Any:
        it.inbox.put(BatteryReceived(it.now, percent))
        return done()

    it.until(tick, step)


def rest(it: TreeBench, seconds: float, percent: float = 15.0) -> None:
    end = it.now + seconds
    passing(it, lambda: it.now >= end, percent, step=0.5 if seconds > 5.0 else 0.1)


def answer(it: TreeBench, happened: CallInput = CallInput.SUCCEED, **fields: object) -> None:
    server_call_id = next(one for one, name in reversed(it.robot.sent) if name == DOCK)
    if happened is not CallInput.REJECT:
        it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))


def endings(it: TreeBench) -> list[tuple[str, str]]:
    return [(each['goal'], each['outcome']) for each in it.reporter.endings]


def docking(*overrides: str, tool: str = ONCE) -> TreeBench:
    """A goal was being driven when the battery became low, and the dock is being driven to."""
    it = driving(tool, BY, *overrides)
    low(it)
    return it


CHARGE = 'charge the battery by dock'
NOTHING_BEFORE = 'battery.before_rest=""'


@pytest.mark.slow
def test_it_stops_stows_drives_to_the_dock_waits_and_goes_on() -> None:
    it = docking()
    order = [name for name in it.robot.names if name in (STOP, STOW, DOCK)]
    assert order.index(STOP) < order.index(STOW) < order.index(DOCK)
    assert mode(it) is Mode.CHARGE
    assert it.robot.heartbeat.permit.motion == 'dock', 'it drives under a permit of its own'
    assert it.context.holders.get('base') == it.context.round.call_id
    answer(it, code='')
    rest(it, 60.0)
    assert endings(it) == [(CHARGE, 'reached')]
    assert (mode(it), docks(it)) == (Mode.CHARGE, 1)
    assert not it.robot.heartbeat.permit.motion
    rest(it, 1.0, 61.0)
    assert mode(it) is Mode.EXEC
    it.until(lambda: len(endings(it)) == 2)
    assert endings(it)[1][0] == 'drive', 'the goal that had waited goes on'


@pytest.mark.slow
def test_the_drive_there_counts_against_no_budget_of_the_goal_that_waits() -> None:
    it = docking()
    for x in (0.0, 0.1, 0.2, 0.3):
        it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=it.now))
        rest(it, 0.5)
    answer(it, code='')
    passing(it, lambda: it.reporter.endings)
    assert it.reporter.endings[0]['distance_m'] == pytest.approx(0.3)
    (waiting,) = it.context.parked.values()
    assert waiting.distance_m == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ('happened', 'fields', 'words'),
    [
        (CallInput.FAIL, {'message': 'no dock is seen', 'code': 'BLIND'}, 'no dock is seen'),
        (CallInput.REJECT, {}, 'rejected'),
        (CallInput.LOSE, {}, ''),
        (CallInput.CANCELLED, {}, ''),
    ],
)
def test_a_failure_is_told_once_and_not_tried_again_in_this_rest(
    happened: CallInput, fields: dict[str, str], words: str
) -> None:
    it = docking()
    answer(it, happened, **fields)
    rest(it, 150.0)
    assert endings(it) == [(CHARGE, 'failed')]
    assert [each for each in it.messages('ERROR') if each.startswith('Goal ')] == [
        f'Goal failed: {it.reporter.endings[0]["answer"]}'
    ]
    assert words in it.reporter.endings[0]['answer']
    assert (docks(it), mode(it)) == (1, Mode.CHARGE)
    rest(it, 1.0, 90.0)
    rest(it, 5.0, 15.0)
    assert docks(it) == 2, 'another rest is another try'


@pytest.mark.slow
def test_a_dock_that_nobody_confirms_is_no_success() -> None:
    lamp = 'robot.tools.dock.postcondition={mast: open}'
    it = docking(lamp)
    answer(it, code='')
    rest(it, 30.0)
    (end,) = it.reporter.endings
    assert (end['outcome'], docks(it)) == ('claimed', 1)
    assert end['missing'] == 'mast is closed'


@pytest.mark.slow
def test_a_fatal_error_makes_safe_and_a_reset_drives_nowhere() -> None:
    it = docking()
    answer(it, CallInput.FAIL, message='bumped', code='BUMPED')
    it.until(lambda: mode(it) is Mode.SAFE)
    assert 'bumped' in it.context.state.world.safety_reason
    assert reset(it)[0]
    rest(it, 60.0)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 1)


@pytest.mark.parametrize(
    ('cause', 'outcome'),
    [(StopRequested('the operator'), 'interrupted'), (SafetyEvent('a cliff', 'test'), 'failed')],
)
@pytest.mark.slow
def test_a_stop_or_safe_ends_it_and_nobody_but_the_operator_sends_it_again(
    cause: Any, outcome: str
) -> None:
    it = docking(tool=AGAIN)
    stops = it.robot.names.count(STOP)
    it.inbox.put(cause)
    it.tick(2)
    assert it.robot.names.count(STOP) > stops
    assert it.robot.cancelled
    assert not it.robot.heartbeat.permit.motion
    answer(it, CallInput.CANCELLED)
    it.tick(2)
    assert endings(it)[0] == (CHARGE, outcome)
    reset(it)
    rest(it, 60.0)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 1)
    it.goal('dock', tool='dock')
    rest(it, 3.0)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 2)


@pytest.mark.slow
@pytest.mark.parametrize(('tool', 'again'), [(ONCE, 1), (AGAIN, 2)])
def test_a_pause_holds_it_and_it_goes_on_only_if_it_may_be_called_twice(
    tool: str, again: int
) -> None:
    it = docking(tool=tool)
    it.inbox.put(PauseRequested('the operator'))
    it.tick(2)
    assert it.robot.cancelled
    assert not it.robot.heartbeat.permit.motion
    answer(it, CallInput.CANCELLED)
    rest(it, 60.0)
    assert (docks(it), endings(it)) == (1, [])
    it.inbox.put(ResumeRequested('the operator'))
    rest(it, 5.0)
    assert docks(it) == again
    assert endings(it) == ([] if again == 2 else [(CHARGE, 'interrupted')])
    rest(it, 60.0)
    assert docks(it) == again


@pytest.mark.slow
def test_nothing_is_sent_while_a_pause_holds_or_the_reading_is_old() -> None:
    it = driving(ONCE, BY)
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    rest(it, 30.0)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 0)
    it.pass_time(6.0)  # nothing is read
    it.inbox.put(ResumeRequested('the operator'))
    it.pass_time(6.0)
    assert it.context.state.robot.battery_stale
    assert (mode(it), docks(it)) == (Mode.CHARGE, 0)
    low(it)


@pytest.mark.slow
def test_a_battery_that_falls_silent_on_the_way_ends_in_safe() -> None:
    it = docking('battery.lost_after_s=20.0')
    it.pass_time(10.0)
    assert (mode(it), it.robot.cancelled) == (Mode.CHARGE, []), 'old, and not lost yet'
    it.pass_time(15.0)
    assert mode(it) is Mode.SAFE
    assert it.robot.cancelled
    assert not it.robot.heartbeat.permit.motion


def test_a_charge_that_comes_on_the_way_ends_it() -> None:
    it = docking()
    rest(it, 0.5, 80.0)
    assert mode(it) is Mode.EXEC
    assert endings(it) == [(CHARGE, 'interrupted')]
    assert it.reporter.endings[0]['answer'] == 'Charged: 80 %'
    assert it.robot.cancelled


@pytest.mark.slow
def test_its_guards_refuse_it_as_any_other_tool() -> None:
    shut = 'robot.tools.dock.guards=[adapter_alive, standing_still, mast_open]'
    it = driving(ONCE, BY, shut, 'robot.guards.mast_open={where: {mast: open}, reason: "No eye"}')
    battery(it, 15.0)
    rest(it, 60.0)
    assert (docks(it), endings(it)) == (0, [(CHARGE, 'failed')])
    assert it.reporter.endings[0]['answer'] == 'No eye'


def test_an_adapter_that_falls_silent_on_the_way_ends_in_safe() -> None:
    it = docking()
    for _ in range(40):
        it.now += 0.1
        it.executive.step(it.moment)
    assert mode(it) is Mode.SAFE
    assert it.robot.cancelled


@pytest.mark.parametrize(
    ('overrides', 'action', 'sent'),
    [
        (('robot.tools.dock.approve=true',), 'approve', 1),
        (('robot.tools.dock.approve=true',), 'reject', 0),
    ],
)
@pytest.mark.slow
def test_a_tool_that_needs_an_approval_needs_it_here_too(
    overrides: tuple[str, ...], action: Any, sent: int
) -> None:
    it = driving(ONCE, BY, *overrides)
    passing(it, it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    assert (request.tool, request.arguments, docks(it)) == ('dock', {'id': 'yard'}, 0)
    assert mode(it) is Mode.CHARGE
    it.inbox.put(ApprovalGiven(request.request_id, action, source='test'))
    rest(it, 5.0)
    assert docks(it) == sent
    assert not it.context.approvals.waiting()


@pytest.mark.parametrize(
    ('goal', 'waits'),
    [
        ({'tool': 'move_nudge', 'priority': 9}, True),
        ({'tool': 'dock', 'sender': 'agent', 'priority': 9}, True),
        ({'priority': 9}, True),
        ({'tool': 'dock'}, False),
    ],
)
@pytest.mark.slow
def test_nothing_else_begins_in_charge(goal: dict[str, Any], waits: bool) -> None:
    it = docking()
    answer(it, code='')
    rest(it, 2.0)
    before = list(it.robot.names)
    it.goal('another', **goal)
    rest(it, 30.0)
    assert (it.robot.names == before) is waits
    assert mode(it) is Mode.CHARGE


@pytest.mark.slow
def test_a_tool_made_of_others_may_call_its_members_in_charge() -> None:
    whole = 'robot.tools.go_home={sequence: [mast_close, {dock: {id: yard}}]}'
    it = driving(ONCE, whole, 'robot.charge={by: go_home}')
    low(it)
    answer(it, code='')
    passing(it, lambda: it.reporter.endings)
    assert endings(it) == [('charge the battery by go_home', 'reached')]
    assert it.robot.names.count(STOW) == 2, 'before the rest, and as a member'


@pytest.mark.parametrize('tool', [ONCE, AGAIN])
@pytest.mark.parametrize('has', [True, False])
@pytest.mark.slow
def test_after_a_kill_it_is_not_driven_again_by_itself(tool: str, has: bool) -> None:
    """What it was doing is found out; the operator sends it again."""
    lives = Lives(tool, BY, NOTHING_BEFORE)
    lives.it.status(mast='closed', mast_is_open=False, moving=False)
    low(lives.it)
    sent = lives.it.robot.goals.values()
    lives.has = {*sent} if has else set()
    lives.crash()
    it = lives.it
    it.robot.reply = {'success': True}
    assert it.context.state.robot.sent_to_charge
    it.status(mast='closed', mast_is_open=False, moving=False)
    it.tick(5, after=0.1)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 0)
    if has:
        ((server_call_id, _),) = it.robot.adopted
        it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    rest(it, 60.0)
    assert endings(it) == [(CHARGE, 'failed')]
    assert docks(it) == 0
    it.goal('dock', tool='dock')
    rest(it, 3.0)
    assert docks(it) == 1


@pytest.mark.parametrize(('tool', 'again'), [(ONCE, 0), (AGAIN, 1)])
@pytest.mark.slow
def test_after_a_kill_it_is_driven_again_if_its_entry_says_so(tool: str, again: int) -> None:
    lives = Lives(tool, BY, NOTHING_BEFORE, 'robot.tools.dock.error_map={RESTARTED: RETRY}')
    lives.it.status(mast='closed', mast_is_open=False, moving=False)
    low(lives.it)
    lives.crash()
    it = lives.it
    it.robot.reply = {'success': True}
    it.status(mast='closed', mast_is_open=False, moving=False)
    rest(it, 60.0)
    assert docks(it) == again


def test_after_a_kill_before_the_call_it_is_sent_by_the_next_run() -> None:
    lives = Lives(ONCE, BY, NOTHING_BEFORE)
    lives.it.robot.absent.add(DOCK)
    lives.it.status(mast='closed', mast_is_open=False, moving=False)
    passing(lives.it, lambda: lives.it.context.state.robot.sent_to_charge)
    lives.crash()
    lives.it.robot.reply = {'success': True}
    lives.it.status(mast='closed', mast_is_open=False, moving=False)
    low(lives.it)
    assert docks(lives.it) == 1


@pytest.mark.slow
def test_after_a_kill_in_a_rest_nothing_is_sent_before_the_battery_is_read() -> None:
    lives = Lives(ONCE, BY, NOTHING_BEFORE)
    lives.it.inbox.put(BatteryReceived(lives.it.now, 15.0))
    lives.it.inbox.put(PauseRequested('the operator'))
    lives.it.tick(2, after=0.1)
    lives.crash()
    it = lives.it
    it.inbox.put(ResumeRequested('the operator'))
    it.robot.reply = {'success': True}
    it.status(mast='closed', mast_is_open=False, moving=False)
    it.pass_time(10.0)
    assert (mode(it), docks(it)) == (Mode.CHARGE, 0)
    assert it.context.state.robot.battery_stale
    low(it)


@pytest.mark.slow
def test_a_goal_of_the_planner_has_no_say_in_it() -> None:
    """The planner is released, and what it says late reaches nothing."""
    it = docking()
    it.planner.say(Answer('there'))
    rest(it, 5.0)
    assert not it.reporter.endings
    assert docks(it) == 1


@pytest.mark.parametrize(
    ('overrides', 'sentence'),
    [
        (['robot.charge={by: dok}'], "charge.by: tool 'dok' is not known; did you mean 'dock'?"),
        (
            ['robot.charge={by: speak, args: {text: hm}}'],
            "charge.by is 'speak', which calls no server.",
        ),
        (
            ['robot.charge={by: navigate_to}'],
            'charge: navigate_to needs x, y: write them as `args`.',
        ),
        (['robot.charge={by: navigate_to, args: {x: 1.0}}'], "navigate_to needs 'y'"),
        (
            ['robot.charge={by: dock, args: {id: 7}}'],
            'charge: dock.id is 7, which its args do not',
        ),
        (
            ['robot.charge={by: dock, args: {ids: a}}'],
            "argument 'ids' is not known; did you mean 'id'",
        ),
        (['robot.charge={by: dock, args: {id: "${id}"}}'], 'dock.id is ${id}: write a value'),
        (['robot.charge={by: [dock]}'], "'charge.by' is ['dock']: write a text"),
        (['robot.charge={}'], "key 'charge.by' is missing; add it."),
        (['robot.charge={by: dock, times: 3}'], "unknown key 'charge.times'"),
    ],
)
def test_a_slip_is_said_at_the_start(overrides: list[str], sentence: str) -> None:
    with pytest.raises(ConfigError) as error:
        Registry(load_config(None, [ONCE, *overrides]))
    assert sentence in str(error.value)
