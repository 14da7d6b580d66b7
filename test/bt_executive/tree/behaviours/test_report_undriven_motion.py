"""A robot that is not known to stand is reported, as is what goals and tools wait for."""

from __future__ import annotations

from typing import Any

from driving_bench import driving, reset
import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    BatteryReceived,
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.tree.behaviours.safety.report_undriven_motion import NOT_STANDING_S, UNDRIVEN
from bt_executive.tree.clock_and_deadlines import CLOCK_GOES_ON, CLOCK_STANDS

UNKNOWN = 'It is not known whether the rover stands: no transform has come'
STANDS = 'The robot stands'


@pytest.fixture
def it(bench: MakeBench) -> TreeBench:
    made = bench(Answer('done'))
    made.status(moving=False)
    made.tick()
    return made


@pytest.mark.parametrize(
    ('facts', 'why'),
    [
        ({'at_rest': False}, UNDRIVEN),
        ({'at_rest': None, 'standing_unknown': UNKNOWN}, UNKNOWN),
    ],
)
def test_it_is_reported_once_when_it_lasts_and_once_when_it_is_over(
    it: TreeBench, facts: dict[str, object], why: str
) -> None:
    it.status(**facts)
    it.pass_time(NOT_STANDING_S - 0.2)
    assert it.messages('ERROR') == []
    it.pass_time(5.0)
    assert it.messages('ERROR') == [why]
    assert STANDS not in it.messages('OBSERVE')
    it.status(at_rest=True, standing_unknown=None)
    it.pass_time(1.0)
    assert it.messages('ERROR') == [why]
    assert it.messages('OBSERVE').count(STANDS) == 1


def test_a_moment_is_not_reported(it: TreeBench) -> None:
    for _ in range(5):
        it.status(at_rest=False)
        it.pass_time(NOT_STANDING_S / 2)
        it.status(at_rest=True)
        it.pass_time(NOT_STANDING_S / 2)
    assert it.messages('ERROR') == []


@pytest.mark.slow
@pytest.mark.parametrize(('still_s', 'reports'), [(1.5, 0), (2.5, 1), (60.0, 1)])
def test_a_clock_that_stands_still_is_reported_once_and_that_it_goes_on(
    bench: MakeBench, still_s: float, reports: int
) -> None:
    it = bench(Answer('done'), overrides=['executive.use_sim_time=true'])
    it.run_clock(1.0, jump=100.0)
    it.pass_time(1.0)
    for jump in (0.0, -30.0):  # it goes on, or was set while it stood
        it.run_clock(0.0)
        it.pass_time(still_s)
        it.run_clock(1.0, jump)
        it.pass_time(1.0)
    assert it.messages('ERROR') == 2 * reports * [CLOCK_STANDS]
    assert it.messages('OBSERVE').count(CLOCK_GOES_ON) == 2 * reports


def test_the_time_of_people_is_no_clock_that_stands(bench: MakeBench) -> None:
    it = bench(Answer('done'))
    it.run_clock(0.0)
    it.pass_time(5.0)
    assert it.messages('ERROR') == []


HOLDS = [
    (PauseRequested('the operator'), 'pause by the operator; the operator must resume'),
    (SafetyEvent('cliff', 'a test'), 'safety event: cliff; the operator must reset'),
    (BatteryReceived(100.0, 5.0), 'battery low: 5 %; it goes on when the battery is charged'),
]


def waits(it: TreeBench) -> list[str]:
    return [each for each in it.messages('OBSERVE') if each.startswith('Goal waits')]


@pytest.mark.parametrize(('cause', 'why'), HOLDS)
@pytest.mark.parametrize('tool', ['', 'get_status'])
def test_what_a_goal_waits_for_is_reported_in_the_tick_that_takes_it(
    bench: MakeBench, cause: object, why: str, tool: str
) -> None:
    it = bench(Answer('Looked.'))
    it.status()
    it.inbox.put(cause)  # type: ignore[arg-type]
    it.tick()
    it.goal('look', tool=tool)
    it.tick()
    assert waits(it) == [f'Goal waits: look ({why})']
    assert it.reporter.steps == [f': waits: {why}']
    it.tick(5, after=0.1)
    assert len(waits(it)) == 1, 'once per cause'


def test_a_pause_that_outlives_a_stop_is_named_to_the_next_goal() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.goal('look up')
    it.inbox.put(StopRequested('the operator'))
    it.tick(3, after=0.1)
    assert not waits(it), 'a stop ends it in the same tick'
    it.goal('look left')
    it.goal('look right')
    it.tick()
    why = 'pause by the operator; the operator must resume'
    assert waits(it) == [f'Goal waits: look left ({why})', f'Goal waits: look right ({why})']


def test_another_cause_is_reported_again_and_the_active_goal_is_not() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.goal('next')
    it.tick()
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    it.tick()
    assert waits(it)[1:] == ['Goal waits: next (safety event: cliff; the operator must reset)']


def test_a_goal_that_may_begin_says_nothing(bench: MakeBench) -> None:
    it = bench(Answer('Looked.'), Answer('Looked.'))
    it.status()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(ResumeRequested('the operator'))
    it.goal('look')
    it.until(lambda: it.reporter.endings)
    assert not waits(it)
    assert reset(it)[0]


PASSING: dict[str, dict[str, Any]] = {
    'Move in progress': {'moving': False, 'at_rest': False},
    'odometry is silent': {
        'moving': None,
        'at_rest': None,
        'standing_unknown': 'odometry is silent',
    },
}


@pytest.mark.parametrize('why', PASSING)
@pytest.mark.parametrize('sender', ['operator', 'agent'])
@pytest.mark.slow
def test_what_holds_up_a_tool_is_reported_while_it_lasts(
    bench: MakeBench, why: str, sender: str
) -> None:
    """Once, in the trace and to the client; what passes within a second is not reported."""
    it = bench()
    standing = {'moving': False, 'at_rest': True, 'mast': 'closed', 'mast_is_open': False}
    it.status(**{**standing, **PASSING[why]})
    it.goal('open it', tool='mast_open', sender=sender)
    it.pass_time(0.8)
    assert not it.reporter.steps
    it.pass_time(5.0)
    assert it.messages('OBSERVE').count(f'mast_open waits: {why}') == 1
    assert it.reporter.steps == [f': waits: {why}']
    it.facts.pop('standing_unknown', None)
    it.status(**standing)
    it.until(lambda: '/adapter/mast_open' in it.robot.names)


def test_an_adapter_that_never_reported_is_waited_for_aloud(bench: MakeBench) -> None:
    it = bench()
    it.goal('open it', tool='mast_open')
    it.tick(50, after=0.1)
    assert it.reporter.steps == [': waits: No status from the adapter yet']
