"""Policy `resolve`: guards that see to it themselves, through the whole tree."""

from __future__ import annotations

from driving_bench import (
    ARM,
    DONE,
    HURT,
    MOVE,
    STOP,
    STOW,
    STOWED_BY_AN_ACTION,
    STOWED_WITH_A_CODE,
)
import pytest
from tree_bench import MakeBench, Propose, TreeBench, configuration, registry

from bt_executive.core.approval_and_breakpoint_rules import helpers_of
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    Input,
    PauseRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode
from bt_executive.skills.tool_registry import resolvers_of


@pytest.fixture
def resolving(bench: MakeBench, propose: Propose) -> TreeBench:
    """A nudge is proposed with the mast open, and the tree has begun to close it."""
    policy = 'guards.policy={mast_closed: resolve}'
    it = bench(propose('move_nudge'), Answer('so be it'), overrides=[policy])
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('drive')
    it.until(lambda: STOW in it.robot.names)
    assert it.robot.names == [STOW]
    return it


HOP = 'robot.tools.hop={sequence: [get_status, look_there]}'
LOOK_THERE = (
    'robot.tools.look_there={service: {name: /look_there, type: std_srvs/srv/Trigger}, '
    'guards: [mast_closed]}'
)


@pytest.mark.parametrize('tool', ['move_nudge', 'look_there', 'hop'])
@pytest.mark.parametrize('policy', ['resolve', 'reject'])
@pytest.mark.slow
def test_what_a_human_must_approve_is_not_called_for_the_guard_of_another_without_one(
    bench: MakeBench, propose: Propose, tool: str, policy: str
) -> None:
    needs, resolves = 'tools.mast_close.approve=true', f'guards.policy={{mast_closed: {policy}}}'
    overrides = [needs, resolves, LOOK_THERE, HOP]
    it = bench(propose(tool), Answer('so be it'), overrides=overrides)
    it.robot.replies = {'/adapter/get_status': DONE}
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('go')
    it.pass_time(3.0)
    assert STOW not in it.robot.names
    waiting = it.context.approvals.waiting()
    assert len(waiting) == (policy == 'resolve')
    for request in waiting:
        assert 'mast_close may be called first' in request.risk
        it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
        it.until(lambda: STOW in it.robot.names)


@pytest.mark.parametrize('variant', ['A', 'B'])
def test_an_approval_counts_the_helpers_that_the_tree_may_call(variant: str) -> None:
    overrides = (
        f'variant={variant}',
        'robot.guards.lit={where: {mast_is_open: true}, reason: Dark, variants: [B]}',
        'robot.tools.light={service: {name: /light, type: std_srvs/srv/Trigger}, approve: true}',
        'robot.tools.peek={service: {name: /peek, type: std_srvs/srv/Trigger}, guards: [lit]}',
        'guards.policy={lit: resolve}',
        'guards.resolve_by={lit: light}',
    )
    config, tools = configuration(overrides), registry(overrides)
    called = resolvers_of(tools['peek'], tools, config.executive.guards).values()
    assert helpers_of(config, 'peek') == tuple(each.name for each in called)
    assert helpers_of(config, 'peek') == (('light',) if variant == 'B' else ())


@pytest.mark.slow
def test_policy_resolve_closes_the_mast_and_then_drives(resolving: TreeBench) -> None:
    it = resolving
    it.robot.answer(STOW, **DONE)
    it.pass_time(1.0)
    assert it.robot.names == [STOW], 'nothing drives before the mast is seen closed'
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [STOW, MOVE, STOP]
    assert it.planner.results[0].ok


@pytest.mark.slow
def test_policy_resolve_drives_when_the_mast_is_done_and_not_when_it_looks_closed(
    resolving: TreeBench,
) -> None:
    it = resolving
    it.status(mast_is_open=False, mast='closed')
    it.pass_time(1.0)
    assert it.robot.names == [STOW], 'the adapter would refuse: the mast still settles'
    it.robot.answer(STOW, **DONE)
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [STOW, MOVE, STOP]


@pytest.mark.slow
def test_policy_resolve_waits_for_a_server_as_long_as_a_tool_does(
    bench: MakeBench, propose: Propose
) -> None:
    policy = 'guards.policy={mast_closed: resolve}'
    it = bench(propose('move_nudge'), Answer('so be it'), overrides=[policy])
    it.robot.absent = {STOW}
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('drive')
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'Need to close mast'
    assert it.now == pytest.approx(100.0 + it.context.config.executive.guards.server_wait_s, abs=1)
    assert 'mast_close: its server is not there; waiting' in it.messages('ERROR')


@pytest.mark.parametrize('success', [True, False])
def test_policy_resolve_refuses_when_the_mast_stays_open(
    resolving: TreeBench, success: bool
) -> None:
    it = resolving
    it.robot.answer(STOW, success=success, message='stuck')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [STOW]
    assert it.planner.results[0].error_reason == 'Need to close mast'


def test_a_fatal_error_of_what_makes_a_precondition_true_makes_safe(
    bench: MakeBench, propose: Propose
) -> None:
    overrides = ('guards.policy={mast_closed: resolve}', *STOWED_WITH_A_CODE)
    it = bench(propose('move_nudge'), Answer('so be it'), overrides=overrides)
    it.robot.replies = {STOW: HURT}
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('drive')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert it.context.state.tasks.mode is Mode.SAFE
    assert it.robot.names.count(STOW) == 1
    assert MOVE not in it.robot.names


@pytest.mark.parametrize('accepted', [True, False])
@pytest.mark.parametrize(
    'event', [SafetyEvent('a person', 'a test'), StopRequested('me'), PauseRequested('me')]
)
def test_an_action_that_makes_a_precondition_true_is_ended_with_the_goal(
    bench: MakeBench, propose: Propose, event: Input, accepted: bool
) -> None:
    overrides = ('guards.policy={mast_closed: resolve}', *STOWED_BY_AN_ACTION)
    it = bench(propose('move_nudge'), Answer('so be it'), overrides=overrides)
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('drive')
    it.until(lambda: ARM in it.robot.names)
    server_call_id, _ = it.robot.sent[-1]
    if accepted:
        it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        it.tick()
    assert it.robot.cancelled == []
    it.inbox.put(event)
    it.tick(2)
    assert it.robot.cancelled == [server_call_id], 'at once'
    assert {*it.context.holders} == {'mast'}, 'until its last word'


LAMP = (
    'robot.state.lamp=boolean',
    'robot.resources=[base, mast, camera, lamp]',
    'robot.guards.lamp_lit={where: {lamp: true}, reason: "Lamp is off"}',
    'guards.policy={lamp_lit: resolve}',
    'guards.resolve_by={lamp_lit: lamp_on}',
    'robot.tools.lamp_on={service: {name: /lamp_on, type: demo/srv/Do}, '
    'resources_required: [lamp], result: {ok: ok, reason: why}}',
    'robot.tools.drill={service: {name: /drill, type: demo/srv/Do}, guards: [lamp_lit]}',
    'robot.tools.saw={service: {name: /saw, type: demo/srv/Do}, guards: [lamp_lit]}',
    'robot.tools.both={parallel: [ drill, saw ]}',
)

DOOR = (
    'robot.state.door=boolean',
    'robot.guards.door_shut={where: {door: true}, reason: "Door is open"}',
    'guards.policy={lamp_lit: resolve, door_shut: resolve}',
    'guards.resolve_by={lamp_lit: lamp_on, door_shut: shut}',
    'robot.tools.shut={service: {name: /shut, type: demo/srv/Do}}',
)


def test_what_makes_a_precondition_of_two_members_true_is_called_once(bench: MakeBench) -> None:
    it = bench(overrides=LAMP)
    it.status(lamp=False)
    it.goal('both', tool='both')
    it.until(lambda: it.robot.sent)
    it.pass_time(0.5)
    assert it.robot.names == ['/lamp_on']
    it.status(lamp=True)
    it.robot.answer('/lamp_on', ok=True, why='')
    it.until(lambda: len(it.robot.sent) > 2)
    assert sorted(it.robot.names) == ['/drill', '/lamp_on', '/saw']


@pytest.mark.slow
@pytest.mark.parametrize('lease', ['[lamp]', '[]'])
def test_no_member_begins_before_what_another_has_called_for_both_has_ended(
    bench: MakeBench, lease: str
) -> None:
    it = bench(overrides=[*LAMP, f'robot.tools.lamp_on.resources_required={lease}'])
    it.status(lamp=False)
    it.goal('both', tool='both')
    it.until(lambda: it.robot.sent)
    it.status(lamp=True)
    it.pass_time(0.5)
    assert it.robot.names == ['/lamp_on'], 'it looks lit, and may still settle'
    it.status(lamp=False)
    it.pass_time(0.2)
    it.robot.answer('/lamp_on', ok=True, why='')
    it.pass_time(0.5)
    assert it.robot.names == ['/lamp_on'], 'once for both'
    it.status(lamp=True)
    it.until(lambda: len(it.robot.sent) > 2)
    assert sorted(it.robot.names) == ['/drill', '/lamp_on', '/saw']


@pytest.mark.slow
@pytest.mark.parametrize('answers', [True, False])
def test_a_member_waits_for_a_resource_that_another_ones_precondition_has_taken(
    bench: MakeBench, answers: bool
) -> None:
    """Both are free when the members are checked."""
    tools = (
        'robot.tools.drill={service: {name: /drill, type: demo/srv/Do}, guards: [door_shut], '
        'resources_required: [lamp]}',
        'robot.tools.knock={service: {name: /knock, type: demo/srv/Do}}',
        'robot.tools.both={parallel: [ drill, { sequence: [ knock, saw ] } ]}',
    )
    it = bench(overrides=[*LAMP, *DOOR, *tools])
    it.status(lamp=False, door=False)
    it.goal('both', tool='both')
    it.until(lambda: len(it.robot.sent) == 2)
    it.robot.answer('/knock')
    it.until(lambda: '/lamp_on' in it.robot.names)
    it.robot.answer('/shut')
    it.status(door=True)
    it.pass_time(0.5)
    assert '/drill' not in it.robot.names
    assert it.context.state.tasks.mode is Mode.EXEC
    if answers:
        it.robot.answer('/lamp_on', ok=True, why='')
        it.status(lamp=True)
        it.until(lambda: {'/drill', '/saw'} <= {*it.robot.names}, bound=20)
    else:
        it.until(lambda: it.reporter.endings, step=1.0, bound=60)
        assert it.reporter.endings[0]['answer'] == 'drill: In use: lamp'


def test_what_was_called_and_interrupted_is_at_work_until_it_has_ended(bench: MakeBench) -> None:
    """The door opens meanwhile, so that the guard of the door, which stands first, interrupts."""
    drill = (
        'robot.tools.drill={service: {name: /drill, type: demo/srv/Do}, '
        'guards: [door_shut, lamp_lit], resources_required: [lamp]}'
    )
    it = bench(overrides=[*LAMP, *DOOR, drill])
    it.status(lamp=False, door=True)
    it.goal('drill', tool='drill')
    it.until(lambda: it.robot.names == ['/lamp_on'])
    it.status(lamp=True, door=False)
    it.until(lambda: it.robot.names == ['/lamp_on', '/shut'])
    it.robot.answer('/shut')
    it.status(door=True)
    it.pass_time(0.5)
    assert it.robot.names == ['/lamp_on', '/shut']
    it.robot.answer('/lamp_on', ok=True, why='')
    it.until(lambda: it.robot.names == ['/lamp_on', '/shut', '/drill'], bound=20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ('tool', 'names'), [('lamp_off', ['/lamp_off', '/lamp_on']), ('lamp_on', ['/lamp_on', '/saw'])]
)
def test_what_a_status_of_before_the_last_tool_shows_is_not_acted_on(
    bench: MakeBench, tool: str, names: list[str]
) -> None:
    """It shows the lamp as it was: lit although it is off, or off although it is lit."""
    tools = (
        'robot.moving_resources=[base, lamp]',
        'robot.tools.lamp_off={service: {name: /lamp_off, type: demo/srv/Do}, '
        'resources_required: [lamp]}',
        f'robot.tools.one_by_one={{sequence: [ {tool}, saw ]}}',
    )
    it = bench(overrides=[*LAMP, *tools])
    is_lit = tool == 'lamp_on'
    it.status(lamp=not is_lit)
    it.goal('work', tool='one_by_one')
    it.until(lambda: it.robot.sent)
    it.robot.answer(f'/{tool}', ok=True, why='')
    it.tick(5, after=0.1)
    assert it.robot.names == [f'/{tool}']
    it.status(lamp=is_lit)
    it.until(lambda: len(it.robot.sent) == 2, bound=20)
    assert it.robot.names == names


@pytest.mark.slow
def test_a_status_since_the_last_tool_is_not_waited_for_for_ever(bench: MakeBench) -> None:
    tools = (
        'robot.moving_resources=[base, lamp]',
        'robot.tools.one_by_one={sequence: [ lamp_on, saw ]}',
    )
    it = bench(overrides=[*LAMP, *tools])
    it.status(lamp=False)
    it.goal('work', tool='one_by_one')
    it.until(lambda: it.robot.sent)
    it.robot.answer('/lamp_on', ok=True, why='')
    heard = {'sender': it.robot.heartbeat.sender, 'sequence': it.robot.heartbeat.sequence}
    for _ in range(30):
        it.status(heartbeat=heard)
        it.tick(after=0.1)
    assert it.robot.names == ['/lamp_on', '/lamp_on']


def test_policy_resolve_does_not_mend_a_motion_that_runs(resolving: TreeBench) -> None:
    it = resolving
    it.robot.answer(STOW, **DONE)
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: MOVE in it.robot.names)
    it.tick(2)
    it.status(mast_is_open=True, mast='between')
    it.tick()
    assert it.robot.names == [STOW, MOVE, STOP]
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].error_reason == 'Need to close mast'
