"""Composite tools through the whole tree: what is called, when, and what is said of it."""

from __future__ import annotations

from typing import Any

from known import known
from lives import Lives
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.picture_in_trace_event import judged_picture_of
from bt_executive.core.state import Mode

SHELF, PICK, DIM = '/nav/goto', '/arm/pick', '/lamp/dim'
LOOK = '/look'
TOOLS = (
    f'robot.tools.navigate={{action: {{name: {SHELF}, type: demo/action/Go}}, args: {{place: '
    '{type: string, enum: [shelf, door]}}, resources_required: [mast], guards: [adapter_alive], '
    'timeout_s: 20.0, idempotent: true}',
    f'robot.tools.pick={{action: {{name: {PICK}, type: demo/action/Pick}}, args: {{object: '
    '{type: string, minLength: 1}}, resources_required: [camera], guards: [mast_open], '
    'timeout_s: 20.0, approve: false}',
    f'robot.tools.look={{service: {{name: {LOOK}, type: demo/srv/Look}}, reads_only: true, '
    'timeout_s: 5.0, idempotent: true, result: {ok: ok, reason: why}}',
    f'robot.tools.dim={{topic: {{name: {DIM}, type: std_msgs/msg/UInt8}}, set: {{data: 1}}}}',
)
LOOK_AND_PICK = 'sequence: [ look, { pick: { object: "${object}" } } ]'
FETCH = 'sequence: [ { navigate: { place: shelf } }, { pick: { object: "${object}" } } ]'


class Fetching:
    """A robot of which the tool `fetch` is asked."""

    def __init__(
        self,
        bench: MakeBench,
        propose: Propose,
        plan: str,
        others: tuple[str, ...] = (),
        **arguments: Any,
    ) -> None:
        self.it: TreeBench = bench(
            propose('fetch', **arguments),
            Answer('done'),
            overrides=[*TOOLS, *others, f'robot.tools.fetch={{{plan}}}'],
        )
        self.it.status(mast='open', mast_is_open=True, moving=False)
        self.it.goal('fetch it')

    @property
    def names(self) -> list[str]:
        return self.it.robot.names

    def until_called(self, *names: str) -> None:
        self.it.until(lambda: tuple(self.names) == names)

    def end(self, name: str, happened: CallInput = CallInput.SUCCEED, **fields: Any) -> None:
        """The server accepts what was sent last to it, and ends it."""
        server_call_id = next(each for each, sent in reversed(self.it.robot.sent) if sent == name)
        if name in (SHELF, PICK):
            self.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        self.it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))

    def result(self) -> Any:
        """What the planner was told."""
        self.it.until(lambda: self.it.planner.results)
        return self.it.planner.results[0]

    def ending(self) -> dict[str, Any]:
        self.it.until(lambda: self.it.reporter.endings)
        return self.it.reporter.endings[0]


@pytest.fixture
def fetching(bench: MakeBench, propose: Propose) -> Any:
    def make(plan: str = FETCH, **arguments: Any) -> Fetching:
        return Fetching(bench, propose, plan, **arguments)

    return make


@pytest.mark.slow
def test_the_members_are_called_one_after_the_other(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    that.it.pass_time(1.0)
    assert that.names == [SHELF], 'the second waits for the end of the first'
    that.end(SHELF)
    that.until_called(SHELF, PICK)
    that.end(PICK, id=7)
    result = that.result()
    assert result.ok
    assert result.data['done'] == ['navigate', 'pick']
    assert result.data['pick'] == {'id': 7}
    assert that.ending()['outcome'] == 'reached'
    sent = {each.skill: dict(each.arguments) for each in that.it.context.calls.all()}
    assert sent in ({}, {'navigate': {'place': 'shelf'}, 'pick': {'object': 'cup'}})


def test_each_member_is_a_call_of_its_own(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    call = that.it.context.calls.all()[-1]
    assert (call.skill, call.arguments) == ('navigate', {'place': 'shelf'})
    assert call.call_id == f'{that.it.context.round.call_id}/1'
    assert dict(that.it.context.holders) == {'mast': call.call_id}


def test_an_argument_that_is_not_allowed_is_refused_before_anything_is_called(
    fetching: Any,
) -> None:
    that = fetching(object='')
    assert not that.result().ok
    assert that.names == []


def test_a_member_that_fails_is_named_and_ends_it(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    that.end(SHELF, CallInput.FAIL)
    result = that.result()
    assert (result.ok, result.data) == (False, {'done': []})
    assert result.error_reason.startswith('navigate: ')
    assert that.names == [SHELF]
    assert that.ending()['succeeded'] is False


def test_the_guards_of_a_member_hold_while_it_runs(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    that.it.status(mast='half', mast_is_open=False)  # of no matter to the first one
    that.it.pass_time(0.5)
    that.end(SHELF)
    result = that.result()
    assert that.names == [SHELF]
    assert 'pick: ' in result.error_reason
    assert result.data['done'] == ['navigate']


def test_a_guard_that_breaks_ends_the_member_under_way(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    that.end(SHELF)
    that.until_called(SHELF, PICK)
    that.it.inbox.put(ServerCallUpdate(that.it.robot.sent[-1][0], CallInput.ACCEPT))
    that.it.tick()
    that.it.status(mast='half', mast_is_open=False)
    assert not that.result().ok
    that.it.until(lambda: that.it.robot.cancelled == [that.it.robot.sent[1][0]])


@pytest.mark.parametrize(
    ('event', 'mode'),
    [
        (StopRequested('operator'), Mode.IDLE),
        (PauseRequested('operator'), Mode.IDLE),
        (SafetyEvent('smoke', 'test'), Mode.SAFE),
    ],
)
@pytest.mark.parametrize('under_way', [SHELF, PICK])
def test_a_stop_a_pause_and_safe_end_all_of_it(
    fetching: Any, event: Any, mode: Mode, under_way: str
) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    if under_way == PICK:
        that.end(SHELF)
        that.until_called(SHELF, PICK)
    called = list(that.names)
    server_call_id = that.it.robot.sent[-1][0]
    that.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    that.it.tick()
    that.it.inbox.put(event)
    that.it.until(lambda: server_call_id in that.it.robot.cancelled)
    that.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    that.it.pass_time(2.0)
    assert [each for each in that.names if each in (SHELF, PICK)] == called
    assert not that.it.context.holders
    if mode is Mode.SAFE:
        assert that.it.context.state.tasks.mode is Mode.SAFE


def test_an_interrupted_one_says_what_was_done(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)
    that.end(SHELF)
    that.until_called(SHELF, PICK)
    that.it.inbox.put(PauseRequested('operator'))
    that.it.tick(2, after=0.1)
    done = that.it.context.progress.history or [(None, that.it.context.round.outcome)]
    assert done[-1][1].data['done'] == ['navigate']
    assert 'done by then: navigate' in done[-1][1].error_reason


def test_an_interrupted_one_by_hand_has_not_failed(bench: MakeBench) -> None:
    it = bench(overrides=[*TOOLS, f'robot.tools.fetch={{{LOOK_AND_PICK}}}'])
    it.status(mast='open', mast_is_open=True, moving=False)
    it.goal('by hand', tool='fetch', arguments={'object': 'cup'})
    it.until(lambda: it.robot.names == [LOOK])
    it.robot.answer(LOOK, ok=True)
    it.until(lambda: it.robot.names == [LOOK, PICK])
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.reporter.endings)
    (end,) = it.reporter.endings
    assert end['outcome'] == 'interrupted'
    assert end['answer'].endswith('done by then: look')
    assert it.robot.names.count(PICK) == 1


def test_results_are_arguments_of_the_next(fetching: Any) -> None:
    plan = 'sequence: [ look, { pick: { object: "${look.result.best.name}" } } ]'
    that = fetching(plan)
    that.until_called(LOOK)
    that.end(LOOK, ok=True, best={'name': 'red cup'})
    that.until_called(LOOK, PICK)
    assert that.it.context.calls.all()[-1].arguments == {'object': 'red cup'}


@pytest.mark.parametrize('fields', [{'ok': True}, {'ok': True, 'best': {'name': ''}}])
def test_a_result_that_is_not_known_is_no_argument(fetching: Any, fields: Any) -> None:
    that = fetching('sequence: [ look, { pick: { object: "${look.result.best.name}" } } ]')
    that.until_called(LOOK)
    that.end(LOOK, **fields)
    assert 'pick: ' in that.result().error_reason
    assert that.names == [LOOK]


def test_a_fallback_goes_on_behind_what_fails(fetching: Any) -> None:
    that = fetching('fallback: [ { navigate: { place: shelf } }, look, dim ]')
    that.until_called(SHELF)
    that.end(SHELF, CallInput.FAIL)
    that.until_called(SHELF, LOOK)
    that.end(LOOK, ok=True)
    result = that.result()
    assert (result.ok, result.data['done']) == (True, ['look'])
    assert that.names == [SHELF, LOOK]


@pytest.mark.slow
def test_a_parallel_calls_all_at_once_and_each_once(fetching: Any) -> None:
    that = fetching('parallel: [ { navigate: { place: shelf } }, look, dim ]')
    that.until_called(SHELF, LOOK, DIM)
    that.end(DIM)
    that.it.pass_time(1.0)
    that.end(LOOK, ok=True)
    that.it.pass_time(1.0)
    assert not that.it.planner.results
    that.end(SHELF)
    assert that.result().data['done'] == ['dim', 'look', 'navigate']
    assert that.names == [SHELF, LOOK, DIM]


def test_a_parallel_ends_with_the_first_that_fails(fetching: Any) -> None:
    that = fetching('parallel: [ { navigate: { place: shelf } }, look ]')
    that.until_called(SHELF, LOOK)
    server_call_id = that.it.robot.sent[0][0]
    that.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    that.end(LOOK, ok=False, why='too dark')
    assert that.result().error_reason == 'look: too dark'
    that.it.until(lambda: server_call_id in that.it.robot.cancelled)


def test_a_retry_calls_again_and_not_too_often(fetching: Any) -> None:
    that = fetching('retry: { times: 2, do: look }')
    that.until_called(LOOK)
    that.end(LOOK, ok=False, why='too dark')
    that.until_called(LOOK, LOOK)
    that.end(LOOK, ok=False, why='still too dark')
    assert that.result().error_reason == 'look: still too dark'
    assert that.names == [LOOK, LOOK]


@pytest.mark.slow
def test_a_timeout_ends_what_is_under_way(fetching: Any) -> None:
    that = fetching('timeout: { seconds: 3.0, do: { navigate: { place: shelf } } }')
    that.until_called(SHELF)
    server_call_id = that.it.robot.sent[0][0]
    that.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    result = that.result()
    assert result.error_reason == 'Not done within 3 s'
    that.it.until(lambda: server_call_id in that.it.robot.cancelled)
    assert 102.5 < that.it.now < 104.5


def test_a_guard_of_some_members_is_asked_all_the_time(fetching: Any) -> None:
    plan = (
        'fallback: [ { guard: { that: [mast_open], do: { navigate: { place: shelf } } } }, look ]'
    )
    that = fetching(plan)
    that.until_called(SHELF)
    that.it.inbox.put(ServerCallUpdate(that.it.robot.sent[0][0], CallInput.ACCEPT))
    that.it.tick()
    that.it.status(mast='half', mast_is_open=False)
    that.until_called(SHELF, LOOK)
    that.end(LOOK, ok=True)
    assert that.result().ok, 'what the guard refused is not what the tool came to'


@pytest.mark.parametrize(
    'second',
    ['{ pick: { object: cup } }', '{ guard: { that: [mast_open], do: look } }'],
)
@pytest.mark.parametrize('opened', [True, False])
def test_guards_are_asked_of_a_status_that_is_younger_than_the_member_before(
    fetching: Any, second: str, opened: bool
) -> None:
    that = fetching(f'sequence: [ {{ navigate: {{ place: shelf }} }}, {second} ]')
    that.it.status(mast='closed', mast_is_open=False)
    that.until_called(SHELF)
    that.end(SHELF)
    that.it.tick(5, after=0.1)  # the adapter has not spoken since
    assert not that.it.planner.results
    assert that.names == [SHELF]
    if opened:
        that.it.status(mast='open', mast_is_open=True)
        that.it.until(lambda: len(that.names) == 2)
    else:
        assert that.result().error_reason.endswith('Mast is closed')
        assert that.names == [SHELF]


MAST_OPEN_FIRST = (
    'robot.guards.open_first={where: {mast: open}, at: start, reason: "It is not open"}'
)


@pytest.mark.parametrize('mast', ['open', 'closed'])
def test_a_guard_of_some_members_at_the_start_is_asked_when_they_begin(
    bench: MakeBench, propose: Propose, mast: str
) -> None:
    do = 'sequence: [ { navigate: { place: shelf } }, look ]'
    plan = f'guard: {{ that: [open_first], do: {{ {do} }} }}'
    that = Fetching(bench, propose, plan, (MAST_OPEN_FIRST,))
    that.it.status(mast=mast, mast_is_open=mast == 'open')
    if mast == 'closed':
        assert that.result().error_reason == 'It is not open'
        assert that.names == []
        return
    that.until_called(SHELF)
    that.it.status(mast='closed', mast_is_open=False)
    that.end(SHELF)
    that.until_called(SHELF, LOOK)


def test_what_nothing_measures_makes_a_claim_of_all(fetching: Any) -> None:
    that = fetching('sequence: [ look, dim ]')
    that.until_called(LOOK)
    that.end(LOOK, ok=True)
    that.until_called(LOOK, DIM)
    that.end(DIM)
    ending = that.ending()
    assert ending['outcome'] == 'claimed'
    assert 'dim: it was published' in ending['missing']


@pytest.mark.parametrize('plan', ['capture_and_score, wait', 'wait, capture_and_score'])
@pytest.mark.slow
def test_a_better_goal_waits_for_a_member_that_is_not_preemptible(
    bench: MakeBench, propose: Propose, plan: str
) -> None:
    photo = f'robot.tools.photo={{sequence: [{plan}]}}'
    overrides = [photo, 'tools.capture_and_score.preemptible=false']
    it = bench(propose('photo'), Answer('x'), Answer('y'), overrides=overrides)
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('a picture')
    it.until(lambda: CAPTURE in it.robot.names)
    it.goal('better', priority=1)
    it.pass_time(1.0)
    assert known(it.context.task).goal == 'a picture'
    it.robot.answer(CAPTURE, ok=True, debug='', **BRIGHT)
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'better', 'the other members are preemptible'


@pytest.mark.parametrize(
    'members',
    [
        ('preemptible: false', 'sequence: [capture_and_score, {wait: {seconds: 2}}]'),
        ('preemptible: true', 'sequence: [capture_and_score, hold]'),
    ],
    ids=['a composite', 'a wait within it'],
)
@pytest.mark.slow
def test_a_better_goal_waits_for_a_member_that_calls_no_server(
    bench: MakeBench, propose: Propose, members: tuple[str, str]
) -> None:
    overrides = [
        'robot.tools.hold={sequence: [{wait: {seconds: 2}}], preemptible: false}',
        f'robot.tools.inner={{{", ".join(members)}}}',
        'robot.tools.photo={sequence: [inner, {wait: {seconds: 60}}]}',
    ]
    it = bench(propose('photo'), Answer('x'), Answer('y'), overrides=overrides)
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('a picture')
    it.until(lambda: CAPTURE in it.robot.names)
    it.robot.answer(CAPTURE, ok=True, debug='', **BRIGHT)
    it.pass_time(0.5)
    it.goal('better', priority=1)
    it.pass_time(1.0)
    assert known(it.context.task).goal == 'a picture'
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'better', 'the other members are preemptible'


CAPTURE = '/capture_and_score'
DARK, BRIGHT = {'score': 0.1, 'is_good': False}, {'score': 0.9, 'is_good': True}


@pytest.mark.parametrize(
    ('pictures', 'outcome'), [((BRIGHT, DARK), 'claimed'), ((DARK, BRIGHT), 'reached')]
)
@pytest.mark.slow
def test_the_latest_picture_of_a_goal_counts_whatever_has_taken_it(
    bench: MakeBench, propose: Propose, pictures: tuple[Any, ...], outcome: str
) -> None:
    photo = 'robot.tools.photo={sequence: [capture_and_score, wait]}'
    asks = propose('capture_and_score'), propose('photo')
    it = bench(*asks, Answer('It is bright'), overrides=[photo])
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('a picture', done_when='{"where": {"is_good": true}}')
    for count, picture in enumerate(pictures, 1):
        it.until(lambda count=count: it.robot.names.count(CAPTURE) == count)  # type: ignore[misc]
        it.robot.answer(CAPTURE, ok=True, debug='', stamp=float(count), **picture)
    it.until(lambda: it.reporter.endings)
    shown = [each for each in map(judged_picture_of, it.events) if each is not None]
    assert [(each.stamp, each.score) for each in shown] == [
        (float(count), picture['score']) for count, picture in enumerate(pictures, 1)
    ]
    assert it.planner.results[1].ok
    assert it.reporter.endings[0]['outcome'] == outcome
    assert it.reporter.endings[0]['last_score'] == pictures[-1]['score']
    assert it.context.state.world.last_score == pictures[-1]['score']


@pytest.mark.slow
def test_one_approval_counts_for_the_whole(fetching: Any) -> None:
    that = fetching(f'{FETCH}, approve: true', object='cup')
    it = that.it
    it.until(lambda: it.context.approvals.waiting())
    assert that.names == []
    (request,) = it.context.approvals.waiting()
    assert (request.tool, dict(request.arguments)) == ('fetch', {'object': 'cup'})
    it.inbox.put(ApprovalGiven(request.request_id, 'approve', source='test'))
    that.until_called(SHELF)
    that.end(SHELF)
    that.until_called(SHELF, PICK)
    that.end(PICK)
    assert that.result().ok
    assert not it.context.approvals.waiting()


@pytest.mark.slow
@pytest.mark.parametrize(
    'plan',
    [
        'sequence: [ look ], guards: [lamp_dimmed]',
        'sequence: [ { retry: { times: 1, do: saw } }, look ], guards: [lamp_known]',
        'sequence: [ dim_it, look ], guards: [lamp_known]',
    ],
    ids=['the tree for it', 'the tree for a member', 'a member'],
)
def test_what_an_approved_tool_brings_about_does_not_make_its_approval_old(
    bench: MakeBench, propose: Propose, plan: str
) -> None:
    lamp = (
        'robot.state.lamp=[bright, dimmed]',
        'robot.guards.lamp_dimmed={where: {lamp: dimmed}, reason: "Lamp is bright"}',
        'robot.guards.lamp_known={where: {lamp: [bright, dimmed]}, reason: "Lamp is broken"}',
        'guards.policy={lamp_dimmed: resolve}',
        'guards.resolve_by={lamp_dimmed: dim_it}',
        'robot.tools.dim_it={service: {name: /dim_it, type: demo/srv/Do}, '
        'postcondition: {lamp: dimmed}}',
        'robot.tools.saw={service: {name: /saw, type: demo/srv/Do}, idempotent: true, '
        'guards: [lamp_dimmed]}',
        f'robot.tools.work={{{plan}, approve: true}}',
    )
    it = bench(propose('work'), Answer('done'), overrides=[*TOOLS, *lamp])
    it.robot.replies = {'/saw': {}, LOOK: {'ok': True, 'why': ''}}
    it.status(lamp='bright')
    it.goal('work')
    it.until(lambda: it.context.approvals.waiting())
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'approve', source='test'))
    it.until(lambda: '/dim_it' in it.robot.names)
    it.robot.answer('/dim_it')
    it.status(lamp='dimmed')
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].ok, it.planner.results[0].error_reason
    assert LOOK in it.robot.names


@pytest.mark.slow
def test_what_cannot_be_known_after_a_restart_ends_it_and_it_is_told_what_was_done() -> None:
    lives = Lives(*TOOLS, f'robot.tools.fetch={{{FETCH}}}')
    lives.it.goal('fetch it')
    for _ in range(3):
        lives.all_is_well()
        lives.tick()
    lives.propose('fetch', object='cup')
    lives.it.until(lambda: lives.it.robot.sent)
    lives.answer(CallInput.ACCEPT)
    lives.answer(CallInput.SUCCEED)
    lives.it.facts |= {'mast': 'open', 'mast_is_open': True}
    lives.it.until(lambda: lives.it.robot.names == [SHELF, PICK])
    lives.answer(CallInput.ACCEPT)
    lives.tick()
    lives.crash()
    lives.it.facts |= {'mast': 'open', 'mast_is_open': True}
    lives.it.until(lambda: lives.it.planner.started)
    _, context = lives.it.planner.started[-1]
    ((call, result),) = context.history
    assert (call.tool, result.ok) == ('fetch', False)
    assert 'The executive was restarted while fetch was under way' in result.error_reason
    assert 'navigate: done, pick: its result is lost' in result.error_reason
    assert result.data['done'] == ['navigate']
    assert not {SHELF, PICK} & {*lives.it.robot.names}
    assert not lives.it.context.holders


def test_the_tree_has_a_members_subtree_while_it_runs(fetching: Any) -> None:
    that = fetching(object='cup')
    that.until_called(SHELF)

    def live() -> list[str]:
        return [node.name for node in that.it.executive.root.iterate()]

    assert {'One after the other', f'Call {SHELF}'} <= {*live()}
    assert f'Call {PICK}' not in live()
    that.end(SHELF)
    that.until_called(SHELF, PICK)
    assert f'Call {PICK}' in live()
    assert len(live()) <= 80


@pytest.mark.parametrize(
    'plan',
    [
        'fallback: [ { navigate: { place: shelf } }, { pick: { object: cup } } ]',
        'fallback: [ { navigate: { place: shelf } }, look ]',
        'parallel: [ { navigate: { place: shelf } }, { sequence: [ look, dim ] } ]',
    ],
)
def test_nothing_is_called_after_an_error_that_makes_safe(
    bench: MakeBench, propose: Propose, plan: str
) -> None:
    fatal = 'robot.tools.navigate.error_map={FAILED: ABORT}'
    that = Fetching(bench, propose, plan, others=(fatal,))
    that.it.until(lambda: SHELF in that.names)
    if LOOK in that.names:
        that.end(LOOK, ok=True)
    before = [*that.names]
    that.end(SHELF, CallInput.FAIL)
    assert that.it.tick().mode == 'EXEC'
    assert that.it.tick().mode == 'SAFE'
    new = that.names[len(before) :]
    assert new == ['/adapter/move_stop']


@pytest.mark.parametrize('asked', ['come', 'come edited', 'outer'])
def test_a_place_from_the_result_of_a_member_is_not_driven_to_unless_somebody_named_it(
    bench: MakeBench, propose: Propose, asked: str
) -> None:
    tool, _, edited = asked.partition(' ')
    it = bench(
        propose(tool, why='a'),
        Answer('done'),
        overrides=[
            'guards.places=always',
            'robot.tools.hint={service: {name: /hint, type: demo/srv/Hint}, '
            'args: {why: {type: string}}, reads_only: true, result: {ok: ok}}',
            'robot.tools.come={approve: true, args: {why: {type: string}}, sequence: [ '
            '{ hint: { why: "${why}" } }, '
            '{ navigate_to: { x: "${hint.result.x}", y: "${hint.result.y}" } } ]}',
            'robot.tools.outer={args: {why: {type: string}}, '
            'sequence: [ { come: { why: same } } ]}',
        ],
    )
    it.robot.replies = {'/hint': {'ok': True, 'x': 9.0, 'y': 0.0}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('come here')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    why = {'why': 'b'} if edited else None
    it.inbox.put(ApprovalGiven(request.request_id, 'edit' if edited else 'approve', why))
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == ['/hint']
    assert 'Nobody named the place x 9, y 0' in it.planner.results[0].error_reason
