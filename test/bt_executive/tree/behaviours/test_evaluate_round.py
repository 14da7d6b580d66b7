"""Rounds that are evaluated: without progress, by error codes, with a younger status."""

from __future__ import annotations

from typing import Any

from driving_bench import DONE, MOVE, STOP
from hypothesis import given
from hypothesis import strategies as st
from known import known
import pytest
from statuses import status_of
from tree_bench import MakeBench, Propose, TreeBench, make_bench, propose

from bt_executive.core.call_states import CallInput
from bt_executive.core.error_codes import ERROR_MAP, code_of_refusal, decision_after
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    GoalCancelled,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    TopicReceived,
)
from bt_executive.core.reading_ages import MAY_BE_SILENT_S, LatestEnd
from bt_executive.core.robot_state import ReceivedHeartbeat, RobotState
from bt_executive.core.state import DecisionType, Mode
from rover_common.permit import Heartbeat

CAPTURE = '/capture_and_score'


def ask_and_answer(it: TreeBench, words: str) -> None:
    it.until(lambda: it.context.state.hci.question)
    it.goal(words)
    it.tick()


def test_the_same_refusal_again_and_again_asks_the_operator(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(*(propose('move_nudge') for _ in range(3)), Answer('as you say'))
    it.status(mast_is_open=True, mast='open')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert 'The same proposal was refused 3 times in a row' in it.context.state.hci.question
    ask_and_answer(it, 'stow the mast')
    it.until(lambda: it.reporter.endings and len(it.reporter.endings) == 2)
    assert it.planner.results[-1].error_reason == 'Need to close mast'
    assert it.planner.results[-1].data['operator_says'] == 'stow the mast'


@pytest.mark.slow
@pytest.mark.parametrize(
    ('tools', 'max_failures', 'words'),
    [
        (['move_nudge', 'fly'] * 3, 50, 'Going back and forth'),
        (['a', 'b', 'c', 'd', 'e'], 5, '5 rounds in a row failed'),
    ],
)
def test_an_operator_who_is_silent_ends_a_goal_that_leads_nowhere(
    bench: MakeBench,
    propose: Propose,
    tools: list[str],
    max_failures: int,
    words: str,
) -> None:
    it = bench(*map(propose, tools), overrides=[f'decisions.max_failures={max_failures}'])
    it.status(mast_is_open=True, mast='open')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert words in it.context.state.hci.question
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'gave_up'
    assert 'The operator gave no answer within 120 s' in it.reporter.endings[0]['answer']


def test_an_idempotent_tool_that_timed_out_is_repeated_once(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('bright'))
    it.status()
    it.goal('look')
    it.until(lambda: it.robot.names.count(CAPTURE) == 2)
    assert it.planner.results == [], 'the planner waits'
    it.robot.answer(CAPTURE, ok=True, score=0.9, is_good=True, debug='')
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok
    assert it.reporter.endings[0]['outcome'] == 'reached'


@pytest.mark.parametrize(
    ('tool', 'arguments', 'service'),
    [
        ('recall', {'text': 'rock'}, '/memory/recall'),
        ('look_for_place', {'id': 'a1'}, '/memory/look'),
    ],
)
def test_what_is_asked_of_the_memory_is_asked_again_after_its_restart(
    bench: MakeBench, tool: str, arguments: dict[str, str], service: str
) -> None:
    it = bench()
    it.status()
    it.goal('where', tool=tool, arguments=arguments)
    it.until(lambda: it.robot.names == [service])
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.LOSE, reason='replaced'))
    it.until(lambda: it.robot.names == [service, service])
    it.robot.answer(service, ok=True, reason='one place', error_code='')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_a_motion_that_timed_out_is_not_repeated(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('stuck'))
    it.robot.replies = {STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [MOVE, STOP]


NAVIGATE = '/adapter/navigate_to_pose'
CLOSED = {'mast_is_open': False, 'mast': 'closed', 'moving': False}


@pytest.fixture
def navigating(bench: MakeBench, propose: Propose) -> TreeBench:
    it = bench(propose('navigate_to', x=6.0, y=0.0), Answer('so be it'))
    it.status(**CLOSED)
    it.goal('go there')
    it.until(lambda: NAVIGATE in it.robot.names)
    return it


def fail(it: TreeBench, code: str) -> None:
    """The latest call ends with an error code."""
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    fields = {'error_code': code, 'message': f'because of {code}'}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.FAIL, fields))
    it.until(lambda: it.context.state.react.decision)


def decision(it: TreeBench) -> str:
    return str(known(it.context.state.react.decision).type.value)


@pytest.mark.parametrize('code', list(ERROR_MAP))
def test_the_table_holds_for_a_skill_that_says_nothing_else(
    navigating: TreeBench, code: str
) -> None:
    fail(navigating, code)
    assert decision(navigating) == ERROR_MAP[code].value
    assert known(navigating.context.state.skills.last_result).error_code == code


def test_a_skill_may_say_otherwise() -> None:
    assert decision_after('NAV_BLOCKED', {'NAV_BLOCKED': 'ASK_HUMAN'}) is DecisionType.ASK_HUMAN
    assert decision_after('OTHER', {}) is None


def test_a_drive_that_took_too_long_is_tried_once_more(navigating: TreeBench) -> None:
    it = navigating
    fail(it, 'NAV_TIMEOUT')
    it.until(lambda: it.robot.names.count(NAVIGATE) == 2)
    it.context.replace(react=type(it.context.state.react)())
    fail(it, 'NAV_TIMEOUT')
    assert decision(it) == 'REPLAN'


@pytest.mark.parametrize('code', ['SAFETY_VIOLATION', 'BATTERY_CRITICAL'])
def test_a_fatal_error_ends_the_goal_and_makes_safe(navigating: TreeBench, code: str) -> None:
    it = navigating
    fail(it, code)
    it.until(lambda: it.reporter.endings)
    it.tick()
    (end,) = it.reporter.endings
    assert (end['outcome'], end['answer']) == ('failed', f'because of {code}')
    assert it.context.state.tasks.mode is Mode.SAFE
    assert it.context.state.world.safety_reason == f'navigate_to: because of {code} ({code})'
    assert it.robot.names[-1] == '/adapter/move_stop'


def test_a_fatal_error_of_a_tool_by_hand_makes_safe_too(bench: MakeBench) -> None:
    it = bench()
    it.status(**CLOSED)
    it.goal('go', tool='navigate_to', arguments={'x': 6.0, 'y': 0.0})
    it.until(lambda: NAVIGATE in it.robot.names)
    fail(it, 'SAFETY_VIOLATION')
    it.tick()
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert it.context.state.tasks.mode is Mode.SAFE


def test_a_number_that_no_code_names_is_a_failure(bench: MakeBench, propose: Propose) -> None:
    numbers = [
        'tools.navigate_to.result={reason: message, code: error, codes: {2: NAV_BLOCKED}}',
        'tools.navigate_to.error_map={NAV_BLOCKED: REPLAN}',
    ]
    it = bench(propose('navigate_to', x=6.0, y=0.0), Answer('so be it'), overrides=numbers)
    it.status(**CLOSED)
    it.goal('go there')
    it.until(lambda: NAVIGATE in it.robot.names)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    fields = {'error': 3, 'message': 'the wheels slip'}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, fields))
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'the wheels slip'
    assert known(it.context.state.skills.last_result).error_code == 'FAILED'


def test_a_safety_event_is_an_abort_with_its_code(navigating: TreeBench) -> None:
    it = navigating
    it.inbox.put(SafetyEvent('a cliff', 'a test'))
    it.tick()
    assert decision(it) == 'ABORT'
    last = known(it.context.state.skills.last_result)
    assert (last.status, last.error_code) == ('CANCELLED', 'SAFETY_VIOLATION')
    assert 'a cliff' in last.error_msg


@pytest.mark.parametrize(
    ('tool', 'arguments', 'code'),
    [
        ('fly', {}, 'SKILL_NOT_FOUND'),
        ('navigate_to', {'x': 'here'}, 'PARAM_INVALID'),
        ('capture_and_score', {}, 'MAST_OPEN'),
    ],
)
def test_a_refusal_has_a_code_and_goes_to_the_planner(
    bench: MakeBench,
    propose: Propose,
    tool: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    it = bench(propose(tool, **arguments), Answer('so be it'))
    it.status(**CLOSED)
    it.goal('try')
    it.until(lambda: it.planner.results)
    (refused,) = [event for event in it.events if event.kind == 'DECIDE' and event.ok is False]
    assert known(refused.data)['error_code'] == code
    assert not it.planner.results[0].ok
    assert not it.context.state.world.safety_reason


def test_a_resource_in_use_has_its_code() -> None:
    assert code_of_refusal('resources') == 'RESOURCE_CONFLICT'


OPEN = '/adapter/mast_open'
AT_REST = {'mast': 'closed', 'mast_is_open': False, 'moving': False, 'at_rest': True}


def late_status(it: TreeBench, sequence: int, **facts: Any) -> None:
    """A status arrives now that was made when the adapter knew of that heartbeat."""
    heard = {'heartbeat': {'sender': it.robot.heartbeat.sender, 'sequence': sequence}}
    it.inbox.put(StatusReceived(it.now, status_of({**AT_REST, **heard, **facts})))


@pytest.fixture
def opened() -> TreeBench:
    """The mast has just been opened, and the next tool is to drive."""
    it = make_bench(propose('mast_open'), propose('move_nudge'), Answer('done'))
    it.robot.replies = {name: {'success': True, 'message': ''} for name in (OPEN, MOVE, STOP)}
    it.status(mast='closed', mast_is_open=False, moving=False)
    it.goal()
    before = it.robot.heartbeat.sequence
    for _ in range(30):
        it.tick(after=0.1)
        late_status(it, before)
        if OPEN in it.robot.names:
            break
    assert OPEN in it.robot.names
    return it


def test_a_status_of_before_that_comes_late_allows_nothing(opened: TreeBench) -> None:
    """It says that the mast is closed; it was, when it was made."""
    it, before = opened, 0
    for _ in range(40):
        it.tick(after=0.1)
        late_status(it, before)
    assert MOVE not in it.robot.names
    it.until(lambda: it.planner.results, step=0.1)
    it.facts |= {'mast': 'open', 'mast_is_open': True}
    it.until(lambda: len(it.planner.results) == 2)
    assert MOVE not in it.robot.names
    assert it.planner.results[1].error_reason == 'Need to close mast'


def test_a_status_of_afterwards_does(opened: TreeBench) -> None:
    it = opened
    it.tick(after=0.1)
    it.status(mast='closed', mast_is_open=False)
    it.until(lambda: MOVE in it.robot.names)


@pytest.mark.slow
def test_what_is_waited_for_is_told(opened: TreeBench) -> None:
    it = opened
    for _ in range(200):
        it.tick(after=0.1)
        late_status(it, 0)
        if len(it.planner.results) == 2:
            break
    assert (
        it.planner.results[1].error_reason
        == 'No status from the adapter since the last tool ended'
    )


DOOR = (
    'robot.state.door=[open, closed]',
    'robot.guards.door_shut={where: {door: closed}, reason: "Door is open"}',
    'robot.tools.door_open={action: {name: /door_open, type: demo/action/Do}, '
    'resources_required: [camera], postcondition: {door: open}, approve: false}',
    'robot.tools.heat={service: {name: /heat, type: demo/srv/Do}, '
    'guards: [adapter_alive, door_shut], approve: false}',
)
SHUT = {'mast': 'closed', 'mast_is_open': False, 'moving': False, 'door': 'closed'}


@pytest.mark.parametrize(
    'happened', [None, CallInput.CANCEL_ACCEPTED, CallInput.CANCELLED, CallInput.LOSE]
)
def test_a_status_of_before_a_cancelled_tool_has_ended_allows_nothing(
    happened: CallInput | None,
) -> None:
    """The door goes on to open until its server has ended the goal, and no status shows it yet."""
    it = make_bench(overrides=DOOR)
    it.status(**SHUT)
    it.goal('open', tool='door_open')
    it.until(lambda: it.robot.sent)
    server_call_id, _ = it.robot.sent[0]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.tick(after=0.1)
    it.inbox.put(GoalCancelled('goal-open', 'a client'))
    it.tick(after=0.1)
    if happened is not None:
        it.inbox.put(ServerCallUpdate(server_call_id, happened))
    heard = it.robot.heartbeat.sequence
    it.goal('heat', tool='heat')
    for _ in range(5):
        late_status(it, heard, **SHUT)
        it.tick(after=0.1)
    assert '/heat' not in it.robot.names
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.until(lambda: '/heat' in it.robot.names, bound=20)


@given(
    end=st.integers(0, 100),
    heard=st.none() | st.tuples(st.sampled_from(['we', 'others']), st.integers(0, 100)),
    arrived=st.none() | st.floats(0.0, 20.0),
)
def test_only_a_beat_of_afterwards_or_no_beats_at_all_and_a_later_arrival_count(
    end: int, heard: tuple[str, int] | None, arrived: float | None
) -> None:
    robot = RobotState(heard_beat=ReceivedHeartbeat(*heard) if heard else None, status_at=arrived)
    shown = LatestEnd('call', Heartbeat('we', end, 0.0), at=10.0).is_shown_by(robot)
    if heard:
        assert shown is (heard[0] == 'we' and heard[1] >= end)
    else:
        assert shown is (arrived is not None and arrived > 10.0)


# --- another robot, whose parts are known from a topic -------------------------------------------

ROBOT_STATE = '/robot/robot_state'


def hand(it: TreeBench, holding: bool, at: float) -> None:
    values: dict[str, Any] = {'holding': holding, 'place': 'desk', 'charge': 90.0, 'busy': False}
    it.inbox.put(TopicReceived(at, ROBOT_STATE, values))


@pytest.fixture
def picked() -> TreeBench:
    """Something was just picked up, which the topic does not say yet; then comes the next pick."""
    return pick_one()


def pick_one(*overrides: str) -> TreeBench:
    it = TreeBench(
        [*(propose('pick', object=each) for each in ('apple', 'banana')), Answer('done')],
        ['tools.pick.approve=false', 'tools.pick.postcondition={}', *overrides],
        'pyrobosim',
    )
    hand(it, False, it.now)
    it.status(moving=False)
    it.goal('pick up both')
    it.until(lambda: it.robot.sent)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    told = {'execution_result': {'status': 0, 'message': ''}}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, told))
    it.until(lambda: it.planner.results)
    return it


def test_a_value_of_a_topic_of_before_allows_nothing(picked: TreeBench) -> None:
    it, before = picked, len(picked.robot.sent)
    ended = it.now
    while it.now < ended + MAY_BE_SILENT_S / 2.0:
        hand(it, False, ended - 1.0)  # it comes now, and was so before
        it.tick(after=0.1)
        it.status(moving=False)
    assert len(it.robot.sent) == before
    hand(it, True, it.now)
    it.until(lambda: len(it.planner.results) == 2)
    assert len(it.robot.sent) == before
    assert it.planner.results[1].error_reason == 'The hand holds something'


def test_a_value_of_a_topic_of_afterwards_does(picked: TreeBench) -> None:
    it, before = picked, len(picked.robot.sent)
    hand(it, False, it.now + 0.01)
    it.until(lambda: len(it.robot.sent) > before)


def test_a_topic_that_may_be_silent_is_not_waited_for_for_ever() -> None:
    """It says once that the hand is empty, and that this holds for an hour."""
    it = pick_one('state.holding.max_age_s=3600.0')
    ended, before = it.now, len(it.robot.sent)
    it.until(lambda: len(it.robot.sent) > before)
    assert it.now >= ended + MAY_BE_SILENT_S - 1.0
