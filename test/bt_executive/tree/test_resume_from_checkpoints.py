"""Killed and started again: what the next life finds, finds out, and never does again."""

from __future__ import annotations

from typing import Any

from known import known
from lives import Lives, saved_of
import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import AGENT
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    PauseRequested,
    PoseReceived,
    ReadinessReceived,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.modes import interrupted_by
from bt_executive.core.state import Mode, UserInterruptType
from bt_executive.core.store_port import GOAL, PROGRESS
from bt_executive.skills.tool_registry import Registry
from rover_common.clocks import Now


@pytest.fixture
def lives() -> Lives:
    return Lives()


def go(lives: Lives, ticks: int = 1, x: float = 0.0) -> None:
    for _ in range(ticks):
        lives.all_is_well(x)
        lives.tick()


def under_way(lives: Lives, tool: str, **arguments: Any) -> None:
    """A goal is active, and the tool's call is out."""
    lives.it.goal('look around')
    go(lives, 2)
    lives.propose(tool, **arguments)
    lives.it.until(lambda: lives.it.robot.sent)


def history(lives: Lives) -> list[tuple[str, bool, str]]:
    """What the planner of this life was told at its start."""
    lives.it.until(lambda: lives.it.planner.started)
    _, context = lives.it.planner.started[-1]
    return [(call.tool, result.ok, result.error_reason) for call, result in context.history]


def test_a_drive_is_not_driven_again_and_what_was_seen_of_it_is_told(lives: Lives) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.crash()
    go(lives, 3, x=1.3)
    assert lives.it.robot.names == ['/adapter/move_stop']
    reason = (
        'The executive was restarted while move_forward was under way; the robot moved 1.3 m, '
        'turned 0.00 rad, and stands'
    )
    assert history(lives) == [('move_forward', False, reason)]
    assert lives.it.context.progress.steps == 1
    assert lives.it.context.progress.distance_m == pytest.approx(1.3)
    assert lives.sent == {'proposal-1': 1}
    assert not lives.it.context.holders


def test_a_goal_that_ends_before_that_was_seen_has_what_is_known_by_then(lives: Lives) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.crash()
    lives.it.inbox.put(StopRequested('the operator'))
    go(lives, x=0.5)
    (end,) = lives.it.reporter.endings
    assert (end['distance_m'], end['outcome']) == (0.5, 'interrupted')
    (result,) = [each for each in lives.it.events if each.tool_name == 'move_forward']
    assert result.error_reason is not None
    assert 'restarted while move_forward was under way; the robot moved 0.5 m' in (
        result.error_reason
    )
    assert known(result.data)['error_code'] == 'RESTARTED'


def test_a_better_goal_does_not_make_an_unknown_outcome_an_interruption(lives: Lives) -> None:
    under_way(lives, 'mast_close')
    lives.crash()
    lives.it.goal('better', priority=9)
    go(lives)
    assert lives.it.context.state.tasks.active_task_id != 'goal-look around'
    ((_, result),) = lives.it.context.parked['goal-look around'].history
    lost = 'The executive was restarted while mast_close was under way; its result is lost'
    assert result.error_reason == lost


@pytest.mark.parametrize('after_s', [0.0, 2.0])
@pytest.mark.parametrize('x', [-9.0, 9.0, 1000.0])
def test_a_pose_that_began_anew_is_no_drive(lives: Lives, x: float, after_s: float) -> None:
    """The robot was restarted, too: as far as its pose jumped it was not driven."""
    under_way(lives, 'move_forward', duration_s=3.0)
    for step in range(round(after_s / 0.1)):
        go(lives, x=0.048 * step)
    lives.crash()
    go(lives, 3, x=x)
    ((_, ok, reason),) = history(lives)
    assert not ok
    assert f'it is {abs(x):.1f} m away, further than it can have been driven' in reason
    assert 0.048 * after_s / 0.1 <= lives.it.context.progress.distance_m < 2.0


@pytest.mark.parametrize('speed_m_s', [0.3, 0.5])
@pytest.mark.parametrize('after_s', [0.5, 3.0, 12.0])
@pytest.mark.parametrize('gone', [True, False], ids=['gone', 'without a speed'])
@pytest.mark.slow
def test_metres_count_though_neither_pose_nor_speed_tells_them(
    lives: Lives, monkeypatch: pytest.MonkeyPatch, speed_m_s: float, after_s: float, gone: bool
) -> None:
    """The robot was restarted, too, and its tool is gone, or a drive to a place."""
    lives.it.inbox.put(PoseReceived(lives.it.now, 0.0, 0.0, 0.0, stamp=lives.it.now))
    under_way(lives, 'navigate_to', x=20.0, y=0.0)
    lives.answer(CallInput.ACCEPT)
    began = lives.it.now
    while lives.it.now - began < after_s:
        go(lives, x=speed_m_s * (lives.it.now - began))
    driven_m = speed_m_s * (lives.it.now - began)
    lives.crash()
    if gone:
        get = Registry.get
        monkeypatch.setattr(
            Registry, 'get', lambda self, name: None if name == 'navigate_to' else get(self, name)
        )
    go(lives, 3, x=900.0)
    history(lives)
    counted_m = lives.it.context.progress.distance_m
    assert driven_m - 0.1 <= counted_m <= driven_m + 11.0


@pytest.mark.slow
@pytest.mark.parametrize('at_rest', [False, None])
def test_a_robot_that_is_not_seen_to_stand_may_still_move(
    lives: Lives, at_rest: bool | None
) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.crash()
    lives.it.facts |= {'at_rest': at_rest}  # right after its start the adapter owes a stop
    lives.it.until(lambda: lives.it.planner.started)
    ((_, _, reason),) = history(lives)
    assert reason.endswith('may still move')


def test_metres_count_though_the_tool_is_gone_from_the_configuration(
    lives: Lives, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.crash()
    get = Registry.get
    monkeypatch.setattr(
        Registry, 'get', lambda self, name: None if name == 'move_forward' else get(self, name)
    )
    go(lives, 3, x=1.3)
    ((_, ok, reason),) = history(lives)
    assert not ok
    assert 'the robot moved 1.3 m' in reason
    assert reason.endswith('there is no tool move_forward any more')
    assert lives.it.context.progress.distance_m == pytest.approx(1.3)


@pytest.mark.parametrize(
    ('mast', 'is_open', 'done'), [('closed', False, True), ('open', True, False)]
)
@pytest.mark.slow
def test_an_effect_that_can_be_seen_is_judged_by_it(
    lives: Lives, mast: str, is_open: bool, done: bool
) -> None:
    under_way(lives, 'mast_close')
    lives.crash()
    lives.it.facts |= {'mast': mast, 'mast_is_open': is_open}
    ((tool, ok, reason),) = history(lives)
    assert (tool, ok) == ('mast_close', done)
    assert ('mast is open' in reason) is not done
    assert lives.it.robot.names == []


def test_an_answer_that_had_come_is_the_result(lives: Lives) -> None:
    under_way(lives, 'mast_close')
    lives.answer(success=True, message='closed')
    lives.tick()  # a status that is younger than the answer is waited for
    assert lives.store.checkpoints('round')[-1].result.ok
    lives.crash()
    lives.it.facts |= {'mast': 'between', 'mast_is_open': True}
    assert history(lives) == [('mast_close', True, '')]


def test_an_answer_that_had_come_in_a_pause_is_the_result() -> None:
    lives = Lives('tools.get_status.idempotent=false')
    under_way(lives, 'get_status')
    lives.it.inbox.put(PauseRequested('me'))
    go(lives)
    lives.it.robot.answer('/adapter/get_status', success=True, message='{}')
    go(lives, 3)
    kept = {each.skill for each in lives.it.context.calls.all()}
    assert 'get_status' not in kept, 'its call was cleared'
    lives.crash()
    lives.it.inbox.put(ResumeRequested('me'))
    assert history(lives) == [('get_status', True, '')]
    assert lives.it.robot.names == []


@pytest.mark.slow
def test_a_message_that_was_published_is_judged_by_what_is_seen() -> None:
    shut = 'topic: {name: /shut, type: std_msgs/msg/UInt8}, postcondition: {mast: closed}'
    lives = Lives(f'robot.tools.shut={{{shut}, timeout_s: 30.0}}')
    lives.it.robot.replies['/shut'] = {'published_on': '/shut'}
    lives.it.goal('look around')
    go(lives, 2)
    lives.propose('shut')
    lives.it.facts |= {'mast': 'open', 'mast_is_open': True}
    lives.it.until(lambda: lives.it.context.round.last_word)
    lives.crash()
    lives.it.facts |= {'mast': 'open', 'mast_is_open': True}
    ((tool, ok, reason),) = history(lives)
    assert (tool, ok) == ('shut', False)
    assert 'mast is open' in reason


def test_a_motion_whose_start_was_answered_is_not_done_by_that(lives: Lives) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.answer(success=True, message='moving')
    go(lives, 2)
    lives.crash()
    go(lives, 3, x=0.6)
    ((tool, ok, reason),) = history(lives)
    assert (tool, ok) == ('move_forward', False)
    assert 'was restarted while move_forward was under way; the robot moved 0.6 m' in reason


@pytest.mark.slow
def test_nothing_is_read_before_a_cancelled_tool_of_the_previous_run_has_ended() -> None:
    lives = Lives(
        'robot.state.door=[open, closed]',
        'robot.guards.door_shut={where: {door: closed}, reason: "Door is open"}',
        'robot.tools.door_open={action: {name: /door_open, type: demo/action/Do}, '
        'postcondition: {door: open}, approve: false}',
        'robot.tools.heat={service: {name: /heat, type: demo/srv/Do}, guards: [door_shut], '
        'approve: false}',
    )
    lives.it.goal('open', tool='door_open')
    lives.it.until(lambda: lives.it.robot.sent)
    ((server_call_id, goal_id),) = lives.it.robot.goals.items()
    lives.answer(CallInput.ACCEPT)
    lives.it.inbox.put(GoalCancelled('goal-open', 'a client'))
    go(lives, 2)
    lives.has.add(goal_id)
    lives.crash()
    lives.it.facts |= {'door': 'closed'}
    lives.it.goal('heat', tool='heat')
    go(lives, 10)
    assert lives.it.robot.adopted == [(server_call_id, goal_id)]
    assert '/heat' not in lives.it.robot.names
    lives.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    go(lives, 5)
    assert '/heat' in lives.it.robot.names


NAVIGATE = '/adapter/navigate_to_pose'
TO_A_PLACE = ('tools.navigate_to.approve=false', 'tools.navigate_to.guards=[]')


def ask_for_a_drive(lives: Lives) -> None:
    """The planner wants to drive somewhere else; there is time for it, and nobody answers."""
    lives.it.goal('drive on')
    lives.it.until(lambda: lives.it.planner.started, step=0.5, bound=200)
    lives.propose('navigate_to', x=3.0, y=2.0)
    go(lives, 10)


@pytest.mark.slow
def test_a_server_that_did_not_end_a_goal_of_the_previous_run_gets_no_other() -> None:
    lives = Lives(*TO_A_PLACE)
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    lives.answer(CallInput.ACCEPT)
    go(lives)
    lives.it.robot.silent = {NAVIGATE}
    lives.it.inbox.put(GoalCancelled('goal-look around', 'a client'))
    lives.it.until(lambda: lives.it.context.calls.silent.all())
    goal = lives.it.robot.cancelled_again[-1:] or [*lives.it.robot.goals.items()]
    for _ in range(2):
        lives.crash()
        lives.it.robot.silent = {NAVIGATE}
        go(lives)
        assert lives.it.robot.cancelled_again == goal, 'its end is asked for at once'
    ask_for_a_drive(lives)
    assert NAVIGATE not in lives.it.robot.names
    lives.it.robot.silent.clear()
    lives.it.until(lambda: NAVIGATE in lives.it.robot.names, bound=20)
    lives.crash()
    assert not lives.it.context.calls.silent.all()


@pytest.mark.slow
def test_a_server_that_says_nothing_of_an_interrupted_goal_gets_no_other() -> None:
    """It is suspended: it goes on with the goal later."""
    lives = Lives(*TO_A_PLACE)
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    ((server_call_id, goal_id),) = lives.it.robot.goals.items()
    lives.crash()
    lives.it.robot.adopt = lambda *_: None  # type: ignore[method-assign]
    lives.it.robot.silent = {NAVIGATE}
    go(lives, 2)
    lives.it.until(lambda: lives.it.planner.started, step=0.5, bound=200)
    ((_, ok, _),) = history(lives)
    assert not ok
    lives.propose('navigate_to', x=3.0, y=2.0)
    go(lives, 10)
    assert NAVIGATE not in lives.it.robot.names
    assert (server_call_id, goal_id) in lives.it.robot.cancelled_again
    lives.it.robot.silent.clear()
    lives.it.until(lambda: NAVIGATE in lives.it.robot.names, bound=20)


@pytest.mark.slow
def test_a_cancelled_goal_of_the_previous_run_holds_its_resources_for_a_while_only() -> None:
    lives = Lives(*TO_A_PLACE)
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    lives.answer(CallInput.ACCEPT)
    go(lives)
    lives.it.inbox.put(GoalCancelled('goal-look around', 'a client'))
    go(lives)
    lives.crash()
    lives.it.robot.adopt = lambda *_: None  # type: ignore[method-assign]
    lives.it.robot.silent = {NAVIGATE}
    go(lives, 5)
    assert {*lives.it.context.holders} == {'base'}
    start, patience = lives.it.now, lives.it.context.config.executive.guards.server_wait_s
    lives.it.until(lambda: not lives.it.context.holders, step=0.5, bound=100)
    assert lives.it.now - start < patience + 1.0
    assert lives.it.context.calls.silent.all(), 'it may still run the goal'


def test_an_action_is_adopted_where_its_server_has_it(lives: Lives) -> None:
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    ((server_call_id, goal_id),) = lives.it.robot.goals.items()
    lives.answer(CallInput.ACCEPT)
    go(lives)
    lives.has.add(goal_id)
    lives.crash()
    go(lives, 3)
    assert lives.it.robot.adopted == [(server_call_id, goal_id)]
    assert not lives.it.planner.started, 'its result is waited for'
    lives.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, {'success': True}))
    assert history(lives) == [('navigate_to', True, '')]
    assert '/adapter/navigate_to_pose' not in lives.it.robot.names


def test_an_action_that_its_server_does_not_know_is_told_as_lost(lives: Lives) -> None:
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    lives.crash()
    go(lives, 3, x=0.5)
    ((_, ok, reason),) = history(lives)
    assert not ok
    assert 'restarted while navigate_to was under way; the robot moved 0.5 m' in reason


def test_an_action_nobody_wants_any_more_is_ended(lives: Lives) -> None:
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    ((server_call_id, goal_id),) = lives.it.robot.goals.items()
    lives.has.add(goal_id)
    lives.it.inbox.put(PauseRequested('me'))
    lives.tick()
    lives.crash()
    lives.it.until(lambda: lives.it.robot.cancelled)
    assert lives.it.robot.cancelled[0] == server_call_id


def test_a_proposal_that_had_not_started_stands_and_is_asked_for_again() -> None:
    lives = Lives('approval.mode=always')
    lives.it.goal('look around')
    go(lives, 2)
    lives.propose('mast_close')
    go(lives, 2)
    (request,) = lives.it.context.approvals.waiting()
    lives.crash()
    go(lives, 2)
    (again,) = lives.it.context.approvals.waiting()
    assert again.request_id != request.request_id
    assert (again.tool, again.arguments) == (request.tool, request.arguments)
    told: list[tuple[bool, str]] = []
    lives.it.inbox.put(
        ApprovalGiven(request.request_id, 'approve', reply=lambda ok, why: told.append((ok, why)))
    )
    go(lives)
    ((accepted, why),) = told
    assert not accepted
    assert 'the executive was restarted' in why
    assert lives.it.robot.names == []


def test_safe_stays_safe_with_its_reason(lives: Lives) -> None:
    lives.it.inbox.put(SafetyEvent('cliff ahead', 'me'))
    lives.tick()
    lives.crash()
    go(lives)
    assert lives.it.context.state.world.safety_reason == 'cliff ahead'
    assert lives.it.context.state.tasks.mode is Mode.SAFE


def test_a_pause_stays(lives: Lives) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.it.inbox.put(PauseRequested('me'))
    lives.tick()
    lives.crash()
    go(lives, 9)
    assert lives.it.context.state.hci.user_interrupt is UserInterruptType.PAUSE
    assert not lives.it.planner.started
    lives.it.inbox.put(ResumeRequested('me'))
    assert len(history(lives)) == 1


@pytest.mark.parametrize('crashes', [1, 2])
def test_a_pause_of_an_agent_stays_one_of_an_agent(lives: Lives, crashes: int) -> None:
    lives.it.inbox.put(PauseRequested(AGENT))
    lives.tick()
    for _ in range(crashes):
        lives.crash()
        go(lives)
    assert interrupted_by(lives.it.context.state) == 'an agent, before the restart'


def test_goals_come_back_in_order_with_what_they_have_used(lives: Lives) -> None:
    lives.it.goal('first', priority=1)
    go(lives, 2)
    lives.propose('get_status')
    lives.it.until(lambda: lives.it.robot.sent)
    lives.answer(success=True, message='{}')
    go(lives, 2)
    lives.it.goal('second')
    lives.it.goal('better', priority=9, deadline=lives.it.now + 60.0)
    go(lives, 3)
    queue = [task.task_id for task in lives.it.context.state.tasks.queue]
    lives.crash()
    go(lives)
    tasks = lives.it.context.state.tasks
    assert [task.task_id for task in tasks.queue] == queue
    assert tasks.active_task_id == 'goal-better'
    assert lives.it.context.parked['goal-first'].steps == 1
    assert len(lives.it.context.parked['goal-first'].history) == 1


def test_a_deadline_that_has_passed_has_passed(lives: Lives) -> None:
    lives.it.goal('in time', deadline=lives.it.now + 3.0)
    go(lives, 2)
    lives.crash()
    go(lives)
    ((ending),) = lives.it.reporter.endings
    assert (ending['outcome'], ending['answer']) == ('gave_up', 'The deadline has passed')


@pytest.mark.parametrize('name', ['goal-active', 'goal-waiting'])
def test_of_a_goal_that_ends_in_the_first_tick_nothing_stays_open(lives: Lives, name: str) -> None:
    for words in ('active', 'waiting'):
        lives.it.goal(words)
    go(lives, 3)
    lives.crash()
    lives.it.inbox.put(GoalCancelled(name, 'no more'))
    go(lives, 2)
    assert lives.ends() == {name: 1}
    parts = known(saved_of(lives.store.puts)).parts
    assert name not in {part.partition('/')[2] for part in parts}


def test_parts_of_a_goal_that_is_in_no_queue_are_deleted(lives: Lives) -> None:
    lives.it.goal('waiting')
    go(lives, 3)
    left = known(saved_of(lives.store.puts)).parts
    names = (GOAL, PROGRESS)
    orphans = {f'{each}gone': left[f'{each}goal-waiting'] for each in names}
    lives.store.put(Now.at(lives.it.now), orphans)
    lives.crash()
    go(lives)
    parts = known(saved_of(lives.store.puts)).parts
    assert {each for each in parts if each.startswith(names)} == {
        f'{each}goal-waiting' for each in names
    }


def test_a_deadline_is_carried_over_where_the_clock_begins_anew(lives: Lives) -> None:
    lives.it.goal('in time', deadline=lives.it.now + 30.0)
    go(lives, 2)
    lives.crash()
    lives.it.run_clock(1.0, jump=-90.0)
    go(lives)
    (task,) = lives.it.context.state.tasks.queue
    assert task.deadline == pytest.approx(lives.it.moment.ros + 30.0, abs=1.0)


def test_the_operators_tool_ends_its_goal_with_what_is_known(lives: Lives) -> None:
    lives.all_is_well()
    lives.it.goal('by hand', tool='move_forward', arguments={'duration_s': 2.0})
    lives.it.until(lambda: lives.it.robot.sent)
    lives.crash()
    go(lives, 3, x=0.4)
    lives.it.until(lambda: lives.it.reporter.endings)
    (ending,) = lives.it.reporter.endings
    assert ending['outcome'] == 'failed'
    assert 'the robot moved 0.4 m' in ending['answer']
    assert lives.ends() == {'goal-by hand': 1}


def test_a_clean_stop_leaves_the_goals_to_the_next_start(lives: Lives) -> None:
    under_way(lives, 'move_forward', duration_s=3.0)
    lives.it.goal('later')
    lives.tick()
    reporter = lives.it.reporter
    lives.shut_down()
    assert [each['outcome'] for each in reporter.endings] == ['interrupted'] * 2
    assert 'its next start resumes' in reporter.endings[0]['answer']
    assert lives.saved_goals() == ['look around', 'later']
    assert history(lives) == [('move_forward', False, 'Interrupted before it was done')]
    lives.it.planner.say(Answer('Seen.'))
    lives.it.until(lambda: lives.it.reporter.endings)
    assert lives.ends() == {'goal-look around': 1}


def test_a_goal_waits_again_for_what_its_tools_need(lives: Lives) -> None:
    lives.it.goal('look around')
    go(lives, 2)
    lives.crash()
    lives.it.inbox.put(ReadinessReceived({'environment_simulator: capture': 'no picture yet'}))
    go(lives, 3)
    assert not lives.it.planner.started
    lives.it.inbox.put(ReadinessReceived({}))
    assert history(lives) == []


@pytest.mark.slow
def test_a_server_that_says_nothing_of_an_action_is_not_waited_for_for_long(lives: Lives) -> None:
    under_way(lives, 'navigate_to', x=1.0, y=2.0)
    lives.crash()
    lives.it.robot.adopt = lambda *_: None  # type: ignore[method-assign]
    began = lives.it.now
    assert not history(lives)[0][1]
    assert lives.it.now - began < 20.0
