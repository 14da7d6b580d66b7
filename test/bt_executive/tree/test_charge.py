"""CHARGE: what a low, a lost and a trembling battery do, through the whole tree."""

from __future__ import annotations

from dataclasses import replace

from driving_bench import (
    ARM,
    HURT,
    INTERRUPTED,
    MOVE,
    STOP,
    STOW,
    STOWED_BY_AN_ACTION,
    STOWED_WITH_A_CODE,
    battery,
    driving,
    mode,
    reset,
)
from fakes.core import FakeStore
import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import (
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode
from rover_common.clocks import Standstill


@pytest.mark.slow
def test_a_low_battery_stops_stows_waits_and_goes_on() -> None:
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
    assert it.reporter.endings[0]['outcome'] == 'claimed'
    assert it.reporter.endings[0]['missing'] == (
        'move_nudge: how far the robot came was not measured'
    ), 'no pose came'


def test_what_is_run_before_the_rest_is_in_the_state_by_its_name() -> None:
    it = driving()
    it.robot.replies.pop(STOW)
    battery(it, 15.0)
    it.until(lambda: STOW in it.robot.names)
    it.pass_time(0.2)
    (running,) = it.context.state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('mast_close', ('mast',))


@pytest.mark.slow
def test_a_fatal_error_before_the_rest_makes_safe() -> None:
    it = driving(*STOWED_WITH_A_CODE)
    it.robot.replies[STOW] = HURT
    battery(it, 15.0)
    it.pass_time(10.0)
    assert mode(it) is Mode.SAFE
    assert it.context.state.world.safety_reason == (
        'mast_close: the mast hit something (SAFETY_VIOLATION)'
    )
    assert it.robot.names.count(STOW) == 1


def stowing_by_an_action(bench: MakeBench) -> tuple[TreeBench, str]:
    """A bench whose arm has just accepted the action before a rest, and the call's id."""
    it = bench(overrides=STOWED_BY_AN_ACTION)
    it.status(moving=False)
    battery(it, 10.0)
    it.until(lambda: ARM in it.robot.names)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    return it, server_call_id


def test_an_action_before_a_rest_is_ended_when_it_is_preempted(bench: MakeBench) -> None:
    it, server_call_id = stowing_by_an_action(bench)
    it.tick()
    it.inbox.put(SafetyEvent('a person', 'a test'))
    it.tick(2)
    assert mode(it) is Mode.SAFE
    assert it.robot.cancelled == [server_call_id], 'at once'
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.tick()
    assert ARM not in {each.label for each in it.context.running_calls()}
    assert it.context.holders == {}


def test_an_action_before_a_rest_is_ended_when_its_time_is_over(bench: MakeBench) -> None:
    it, server_call_id = stowing_by_an_action(bench)
    it.pass_time(it.context.registry['mast_close'].skill.timeout_s - 1.0)
    assert it.robot.cancelled == []
    it.pass_time(1.5)
    assert {*it.robot.cancelled} == {server_call_id}


@pytest.mark.slow
def test_a_rest_of_an_hour_does_not_count_against_the_goals_time() -> None:
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
    assert end['outcome'] == 'claimed', 'no pose came'
    assert end['answer'].startswith('there (')
    assert end['wall_s'] > 3600.0


@pytest.fixture
def lost() -> TreeBench:
    """A rover whose battery's driver has died while it charged."""
    it = driving('battery.lost_after_s=20.0')
    battery(it, 15.0)
    it.pass_time(6.0)
    assert it.context.state.robot.battery_stale
    assert mode(it) is Mode.CHARGE
    assert it.messages('ERROR') == ['No reading of the battery for 5 s: 15 % is stale']
    it.pass_time(15.0)
    return it


STALE = 'battery reading is stale: 15 %, which is low, was the last, and none came for 20 s'


@pytest.mark.slow
def test_a_battery_that_is_lost_while_low_makes_safe_and_ends_the_goal(lost: TreeBench) -> None:
    assert mode(lost) is Mode.SAFE
    assert lost.context.state.world.safety_reason.startswith(STALE)
    (end,) = lost.reporter.endings
    assert end['outcome'] == 'failed'
    assert STALE in end['answer']
    assert lost.robot.names.count(MOVE) == 1


@pytest.mark.parametrize(('percent', 'after'), [(15.0, Mode.CHARGE), (90.0, Mode.IDLE)])
@pytest.mark.slow
def test_a_driver_that_comes_back_does_not_end_safe_by_itself(
    lost: TreeBench, percent: float, after: Mode
) -> None:
    battery(lost, percent)
    lost.pass_time(1.0)
    assert mode(lost) is Mode.SAFE
    battery(lost, percent)
    assert reset(lost) == (True, 'reset')
    assert mode(lost) is after


@pytest.mark.slow
def test_an_executive_that_was_suspended_does_not_call_the_battery_lost() -> None:
    it = driving('battery.lost_after_s=20.0')
    battery(it, 15.0)
    it.now += 60.0
    it.status()
    it.executive.step(
        replace(it.moment, standstills=(Standstill(it.now, 60.0),))
    )  # readings may wait behind this tick
    assert mode(it) is Mode.CHARGE
    assert not it.messages('ERROR')
    assert not it.context.state.robot.battery_stale
    battery(it, 15.0)
    it.pass_time(21.0)
    assert mode(it) is Mode.SAFE, 'silence counts again'


@pytest.mark.slow
def test_a_battery_that_is_lost_again_is_told_once(lost: TreeBench) -> None:
    battery(lost, 15.0)
    lost.pass_time(21.0)
    assert mode(lost) is Mode.SAFE
    assert lost.context.state.world.safety_reason.count(STALE) == 1


@pytest.mark.slow
def test_a_reset_lets_the_operator_go_on_without_a_battery(lost: TreeBench) -> None:
    said = 'reset; the charge of the battery is not known until a reading comes'
    assert reset(lost) == (True, said)
    assert mode(lost) is Mode.IDLE
    assert lost.context.state.robot.battery_state == 'UNKNOWN'
    lost.pass_time(40.0)
    assert mode(lost) is Mode.IDLE, 'what is not known does not become stale'
    battery(lost, 15.0)
    assert mode(lost) is Mode.CHARGE


@pytest.mark.slow
def test_a_lost_battery_is_told_with_the_reason_that_came_before(lost: TreeBench) -> None:
    """A reset of the other reason is one for the battery as well, so it must have been told."""
    it = lost
    battery(it, 15.0)
    assert reset(it)[0]
    it.inbox.put(SafetyEvent('a cliff', 'a test'))
    it.pass_time(21.0)
    assert it.context.state.world.safety_reason.startswith(f'a cliff; {STALE}')


@pytest.mark.slow
def test_a_battery_that_must_not_be_stale_is_not_waived_by_a_reset(
    bench: MakeBench,
) -> None:
    it = bench(overrides=['battery.lost_after_s=20.0', 'safety.required=[battery]'])
    battery(it, 15.0)
    it.pass_time(21.0)
    assert reset(it) == (False, 'Not reset: the battery state is stale')


@pytest.mark.slow
def test_a_stale_reading_that_was_not_low_is_told_and_no_more() -> None:
    it = driving()
    battery(it, 80.0)
    it.pass_time(40.0)
    assert it.context.state.robot.battery_stale
    assert it.messages('ERROR')[:1] == ['No reading of the battery for 5 s: 80 % is stale']
    assert [each.split(':')[0] for each in it.messages('ERROR')[1:]] == ['Goal claimed']
    assert not it.context.state.world.safety_reason


@pytest.mark.slow
def test_a_battery_whose_reading_trembles_uses_nothing_up() -> None:
    it = driving()
    for percent in [80.0, 80.4, 79.9, 80.3] * 100:
        battery(it, percent)
    assert it.context.progress.energy_pct == pytest.approx(0.1)
    for percent in (85.0, 84.0):
        battery(it, percent)
    assert it.context.progress.energy_pct == pytest.approx(1.1)


def test_a_stop_while_charging_ends_the_goals_and_charging_goes_on() -> None:
    it = driving()
    battery(it, 15.0)
    it.until(lambda: STOW in it.robot.names)
    stops = len([name for name in it.robot.names if name == STOP])
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert len([name for name in it.robot.names if name == STOP]) == stops + 1
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted']
    assert mode(it) is Mode.CHARGE


def test_a_robot_that_needs_no_tool_before_a_rest_calls_none() -> None:
    it = driving('battery.before_rest=""')
    battery(it, 15.0)
    it.pass_time(5.0)
    assert mode(it) is Mode.CHARGE
    assert STOW not in it.robot.names


def test_nothing_is_stowed_before_the_robot_stands() -> None:
    it = driving()
    del it.robot.replies[STOP]
    it.status(moving=True)
    battery(it, 15.0)
    it.pass_time(1.0)
    assert STOP in it.robot.names
    assert STOW not in it.robot.names
    it.status(moving=False)
    it.pass_time(1.0)
    assert STOW in it.robot.names


def test_what_runs_before_the_rest_waits_if_the_robot_moves_while_the_journal_is_awaited() -> None:
    it = driving('tools.mast_close.idempotent=false')
    store = FakeStore(on_disk=0)
    it.recast(it.context.persistent, store=store)
    battery(it, 15.0)
    it.until(lambda: any(each.skill == 'mast_close' for each in it.context.calls.running()))
    it.status(moving=True, at_rest=False)
    it.tick()
    store.commit()
    it.pass_time(1.0)
    assert STOW not in it.robot.names, 'its guard refuses it now'
    it.status(moving=False, at_rest=True)
    it.until(lambda: STOW in it.robot.names)


def test_what_runs_before_the_rest_is_not_begun_while_a_pause_holds() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    battery(it, 15.0)
    assert mode(it) is Mode.CHARGE
    it.pass_time(5.0)
    assert STOW not in it.robot.names, 'a paused robot moves nothing by itself'
    it.inbox.put(ResumeRequested('the operator'))
    it.until(lambda: STOW in it.robot.names)
    assert mode(it) is Mode.CHARGE
