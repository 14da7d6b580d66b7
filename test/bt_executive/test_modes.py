"""Modes, interrupts and the order of goals, through the whole tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bt_executive.core.inbox import (
    BatterySeen,
    PauseRequested,
    PoseSeen,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.ports import Answer
from bt_executive.core.state import Mode

MOVE, STOP = '/adapter/move_forward', '/adapter/move_stop'
STOW = '/adapter/mast_close'
DONE = {'success': True, 'message': ''}
INTERRUPTED = 'Interrupted before it was done'


@pytest.fixture
def driving(bench: Callable[..., Any], propose: Callable[..., Any]) -> Callable[..., Any]:
    """A bench in the middle of a nudge; the planner nudges again, then answers."""

    def make(*overrides: str, **goal: Any) -> Any:
        it = bench(
            propose('move_nudge'), propose('move_nudge'), Answer('there'), overrides=overrides
        )
        it.robot.replies = {MOVE: DONE, STOP: DONE, STOW: DONE}
        it.status(mast_is_open=False, mast='closed', moving=False)
        it.goal('drive', **goal)
        it.until(lambda: MOVE in it.robot.names)
        it.tick(2)
        assert it.robot.names == [MOVE]
        return it

    return make


def mode(it: Any) -> Mode:
    return it.brain.state.tasks.mode


def battery(it: Any, percent: float) -> None:
    it.inbox.put(BatterySeen(it.now, percent))
    it.tick()


def reset(it: Any) -> tuple[bool, str]:
    answers: list[tuple[bool, str]] = []
    it.inbox.put(ResetRequested('the operator', lambda ok, words: answers.append((ok, words))))
    it.tick()
    (answer,) = answers
    return answer


# --- CHARGE


def test_a_low_battery_stops_stows_waits_and_goes_on(driving: Callable[..., Any]) -> None:
    it = driving()
    battery(it, 15.0)
    assert mode(it) is Mode.CHARGE
    assert it.robot.names[1] == STOP, 'in the tick of the event'
    it.until(lambda: STOW in it.robot.names)
    for percent in (25.0, 59.0):
        battery(it, percent)
        assert mode(it) is Mode.CHARGE, 'LOW ends at resume_pct, not where it began'
    assert not it.reporter.endings
    assert it.planner.results == []
    battery(it, 60.0)
    assert mode(it) is Mode.EXEC
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert [each.error_reason for each in it.planner.results] == [INTERRUPTED]
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_a_robot_that_needs_no_tool_before_a_rest_calls_none(driving: Callable[..., Any]) -> None:
    it = driving('battery.before_rest=""')
    battery(it, 15.0)
    it.pass_time(5.0)
    assert mode(it) is Mode.CHARGE
    assert STOW not in it.robot.names


def test_a_rest_of_an_hour_does_not_count_against_the_goals_time(
    driving: Callable[..., Any],
) -> None:
    it = driving()
    battery(it, 15.0)
    it.until(lambda: STOW in it.robot.names)
    while it.now < 3700.0:
        it.now += 5.0
        it.status()
        battery(it, 16.0)
    battery(it, 60.0)
    it.until(lambda: it.reporter.endings)
    (end,) = it.reporter.endings
    assert (end['outcome'], end['answer']) == ('reached', 'there')
    assert end['wall_s'] > 3600.0


@pytest.fixture
def lost(driving: Callable[..., Any]) -> Any:
    """A rover whose battery's driver has died while it charged."""
    it = driving('battery.lost_after_s=20.0')
    battery(it, 15.0)
    it.pass_time(6.0)
    assert it.brain.state.robot.battery_stale
    assert mode(it) is Mode.CHARGE
    assert it.messages('ERROR') == ['No reading of the battery for 5 s: 15 % is stale']
    it.pass_time(15.0)
    return it


STALE = 'battery reading is stale: 15 %, which is low, was the last, and none came for 20 s'


def test_a_battery_that_is_lost_while_low_makes_safe_and_ends_the_goal(lost: Any) -> None:
    assert mode(lost) is Mode.SAFE
    assert lost.brain.state.world.safety_reason.startswith(STALE)
    (end,) = lost.reporter.endings
    assert end['outcome'] == 'failed'
    assert STALE in end['answer']
    assert lost.robot.names.count(MOVE) == 1


@pytest.mark.parametrize(('percent', 'after'), [(15.0, Mode.CHARGE), (90.0, Mode.IDLE)])
def test_a_driver_that_comes_back_does_not_end_safe_by_itself(
    lost: Any, percent: float, after: Mode
) -> None:
    battery(lost, percent)
    lost.pass_time(1.0)
    assert mode(lost) is Mode.SAFE
    battery(lost, percent)
    assert reset(lost) == (True, 'reset')
    assert mode(lost) is after


def test_a_reset_lets_the_operator_go_on_without_a_battery(lost: Any) -> None:
    said = 'reset; the charge of the battery is not known until a reading comes'
    assert reset(lost) == (True, said)
    assert mode(lost) is Mode.IDLE
    assert lost.brain.state.robot.battery_state == 'UNKNOWN'
    lost.pass_time(40.0)
    assert mode(lost) is Mode.IDLE, 'what is not known does not become stale'
    battery(lost, 15.0)
    assert mode(lost) is Mode.CHARGE


def test_a_lost_battery_is_told_with_the_reason_that_came_before(lost: Any) -> None:
    """A reset of the other reason is one for the battery as well, so it must have been told."""
    it = lost
    battery(it, 15.0)
    assert reset(it)[0]
    it.inbox.put(SafetyEvent('a cliff', 'a test'))
    it.pass_time(21.0)
    assert it.brain.state.world.safety_reason.startswith(f'a cliff; {STALE}')


def test_a_battery_that_must_not_be_stale_is_not_waived_by_a_reset(
    bench: Callable[..., Any],
) -> None:
    it = bench(overrides=['battery.lost_after_s=20.0', 'safety.required=[battery]'])
    battery(it, 15.0)
    it.pass_time(21.0)
    assert reset(it) == (False, 'Not reset: the battery state is stale')


def test_a_stale_reading_that_was_not_low_is_told_and_no_more(driving: Callable[..., Any]) -> None:
    it = driving()
    battery(it, 80.0)
    it.pass_time(40.0)
    assert it.brain.state.robot.battery_stale
    assert it.messages('ERROR') == ['No reading of the battery for 5 s: 80 % is stale']
    assert not it.brain.state.world.safety_reason


def test_time_in_which_a_goal_is_paused_does_not_count(driving: Callable[..., Any]) -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.until(lambda: it.now > 2000.0, step=5.0)
    assert it.brain.progress.usage(it.moment).elapsed_s < 5.0
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert it.brain.progress.usage(it.moment).elapsed_s < 10.0


def test_time_in_which_a_goal_is_parked_does_not_count(driving: Callable[..., Any]) -> None:
    it = driving()
    it.goal('better', priority=1, tool='ask_operator', arguments={'question': 'Anybody?'})
    it.until(lambda: it.reporter.endings)
    assert it.now > 200.0
    it.until(lambda: it.robot.names.count(MOVE) == 2)
    assert it.brain.progress.usage(it.moment).elapsed_s < 10.0


def test_a_battery_whose_reading_trembles_uses_nothing_up(driving: Callable[..., Any]) -> None:
    it = driving()
    for percent in [80.0, 80.4, 79.9, 80.3] * 100:
        battery(it, percent)
    assert it.brain.progress.energy_pct == pytest.approx(0.1)
    for percent in (85.0, 84.0):
        battery(it, percent)
    assert it.brain.progress.energy_pct == pytest.approx(1.1)


def test_a_stop_while_charging_ends_the_goals_and_charging_goes_on(
    driving: Callable[..., Any],
) -> None:
    it = driving()
    battery(it, 15.0)
    it.until(lambda: STOW in it.robot.names)
    stops = len([name for name in it.robot.names if name == STOP])
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert len([name for name in it.robot.names if name == STOP]) == stops + 1
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted']
    assert mode(it) is Mode.CHARGE


# --- the operator


def test_a_nudge_is_paused_and_goes_on(driving: Callable[..., Any]) -> None:
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


def test_a_tool_that_had_just_ended_is_not_told_as_interrupted(
    driving: Callable[..., Any],
) -> None:
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


def test_a_goal_that_is_taken_up_again_knows_what_was_interrupted(
    driving: Callable[..., Any],
) -> None:
    it = driving()
    it.goal('better', priority=1, tool='get_status')
    it.robot.replies |= {'/adapter/get_status': DONE | {'message': '{}'}}
    it.until(lambda: len(it.planner.started) == 2)
    told = it.planner.started[1][1].history
    assert [(proposal.tool, result.error_reason) for proposal, result in told] == [
        ('move_nudge', INTERRUPTED)
    ]


@pytest.fixture
def by_hand(bench: Callable[..., Any]) -> Callable[..., Any]:
    """A bench in the middle of a tool that the operator asked for."""

    def make(tool: str, request: str, **arguments: Any) -> Any:
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


def test_a_stop_in_safe_is_sent_too(driving: Callable[..., Any]) -> None:
    it = driving()
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    it.tick()
    sent = len(it.robot.names)
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert it.robot.names[sent:] == [STOP]
    assert mode(it) is Mode.SAFE


# --- SAFE


def test_tilt_makes_safe_and_a_reset_is_refused_while_it_stands(
    driving: Callable[..., Any],
) -> None:
    it = driving()
    it.inbox.put(PoseSeen(it.now, 0.0, 0.0, 0.0, tilt=0.7))
    it.tick()
    assert mode(it) is Mode.SAFE
    assert it.robot.names[1] == STOP
    accepted, words = reset(it)
    assert not accepted
    assert 'tilt 0.70 rad is over the limit of 0.6 rad' in words
    it.inbox.put(PoseSeen(it.now, 0.0, 0.0, 0.0, tilt=0.1))
    it.tick()
    assert mode(it) is Mode.SAFE, 'latched'
    assert reset(it)[0]
    assert mode(it) is Mode.IDLE


@pytest.mark.parametrize(
    ('required', 'event', 'reason'),
    [
        ('battery', BatterySeen(0.0, 90.0), 'the battery state is stale'),
        ('tf', PoseSeen(0.0, 0.0, 0.0, 0.0), 'the position is stale'),
    ],
)
def test_required_data_that_becomes_stale_makes_safe(
    bench: Callable[..., Any], required: str, event: Any, reason: str
) -> None:
    it = bench(overrides=[f'safety.required=[{required}]'])
    it.pass_time(8.0)
    assert mode(it) is Mode.IDLE, 'what has never come is no cause'
    it.inbox.put(replace(event, at=it.now))
    it.pass_time(1.0)
    assert mode(it) is Mode.IDLE
    it.pass_time(5.0)
    assert mode(it) is Mode.SAFE
    assert it.brain.state.world.safety_reason == reason


def test_a_reset_does_not_hide_an_event_that_came_with_it(driving: Callable[..., Any]) -> None:
    it = driving()
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    assert reset(it) == (False, 'Not reset: a safety event has just come')
    assert mode(it) is Mode.SAFE
    assert STOP in it.robot.names


def test_a_stop_goes_out_though_the_tree_is_broken_twice(driving: Callable[..., Any]) -> None:
    it = driving()

    def explode() -> None:
        raise RuntimeError('boom')

    for node in it.executive.root.iterate():
        if node.name in ('Mast closed?', 'Stop the base'):
            node.update = explode
    it.tick()
    assert it.robot.names[1:].count(STOP) >= 1


# --- goals


def test_a_better_goal_comes_first_and_the_first_one_goes_on(
    bench: Callable[..., Any], propose: Callable[..., Any]
) -> None:
    it = bench(
        propose('get_status'),
        propose('move_nudge'),
        Answer('looked'),
        Answer('driven'),
    )
    it.robot.replies = {MOVE: DONE, STOP: DONE, '/adapter/get_status': {**DONE, 'message': '{}'}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('drive')
    it.until(lambda: MOVE in it.robot.names)
    it.goal('look', priority=5)
    it.tick()
    assert it.robot.names[-1] == STOP
    assert it.brain.state.react.decision.type.value == 'SWITCH_TASK'
    it.until(lambda: len(it.reporter.endings) == 2)
    assert [each['goal'] for each in it.reporter.endings] == ['look', 'drive']
    assert [goal for goal, _ in it.planner.started] == ['drive', 'look', 'drive']
    history = it.planner.started[2][1].history
    assert history[0][0].tool == 'get_status'
    assert history[0][1].ok
    assert it.reporter.endings[1]['steps'] >= 1


def test_a_goal_that_must_not_be_preempted_is_ended_first(driving: Callable[..., Any]) -> None:
    it = driving(preemptible=False)
    it.goal('look', priority=5)
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'
    assert it.robot.names == [MOVE, STOP, MOVE, STOP]


def test_a_goal_of_equal_priority_waits(driving: Callable[..., Any]) -> None:
    it = driving()
    it.goal('look')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'


def test_a_deadline_ends_the_active_goal_and_a_waiting_one(driving: Callable[..., Any]) -> None:
    it = driving(deadline=103.0)
    it.goal('look', deadline=101.5)
    it.until(lambda: it.reporter.endings)
    assert it.now == pytest.approx(101.5, abs=0.2)
    assert it.robot.names == [MOVE], 'the active goal goes on'
    it.until(lambda: len(it.reporter.endings) == 2)
    assert it.now == pytest.approx(103.0, abs=0.2)
    assert [each['answer'] for each in it.reporter.endings] == ['The deadline has passed'] * 2
    assert it.robot.names == [MOVE, STOP]
