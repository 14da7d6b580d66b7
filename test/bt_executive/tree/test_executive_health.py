"""What the executive tells of itself on /diagnostics."""

from __future__ import annotations

import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.inputs import BatteryReceived, ParametersSet, SafetyEvent
from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.tree.executive_health import TROUBLE_S, ExecutiveHealth
from rover_common.diagnostic_status import Health, Level

PERIOD_S = 0.1


class Subject:
    """An executive on a bench, with what it tells of itself."""

    def __init__(self, bench: TreeBench) -> None:
        self.bench, self.ticks = bench, TickStatistics(PERIOD_S)
        health = ExecutiveHealth(bench.context, self.ticks, 'run.1', lambda: bench.now)
        self.parts = {part.name: part for part in health.parts()}
        bench.status()
        bench.tick()


@pytest.fixture
def subject(bench: MakeBench) -> Subject:
    return Subject(bench())


def test_an_idle_executive_is_well_and_names_its_run(subject: Subject) -> None:
    assert subject.parts['mode'].health() == Health(reason='IDLE')
    assert subject.parts['mode'].figures()['run'] == 'run.1'
    assert subject.parts['tick'].health() == Health()


def test_safe_is_an_error_and_charge_a_warning(subject: Subject) -> None:
    subject.bench.inbox.put(BatteryReceived(subject.bench.now, 5.0))
    subject.bench.tick()
    assert subject.parts['mode'].health().level is Level.WARN
    subject.bench.inbox.put(SafetyEvent('smoke', 'a test'))
    subject.bench.tick()
    told = subject.parts['mode'].health()
    assert told.level is Level.ERROR
    assert 'smoke' in told.reason


def test_an_adapter_that_falls_silent_makes_safe_which_is_told(subject: Subject) -> None:
    subject.bench.tick(after=10.0)
    told = subject.parts['mode'].health()
    assert (told.level, 'adapter is silent' in told.reason) == (Level.ERROR, True)


def test_an_adapter_that_never_spoke_is_missed(bench: MakeBench) -> None:
    made = bench()
    made.tick()
    part, *_ = ExecutiveHealth(made.context, TickStatistics(PERIOD_S), 'run.1').parts()
    assert part.health() == Health(Level.STALE, 'no status from the adapter')


def test_a_battery_that_falls_silent_is_told_with_the_age_of_its_reading(subject: Subject) -> None:
    part = subject.parts['battery']
    assert part.health() == Health(reason='no reading yet')
    subject.bench.inbox.put(BatteryReceived(subject.bench.now, 87.0))
    subject.bench.tick()
    assert part.health() == Health(reason='87 %')
    subject.bench.inbox.put(BatteryReceived(subject.bench.now, 7.0))
    subject.bench.tick()
    assert part.health() == Health(Level.WARN, 'low, 7 %')
    subject.bench.pass_time(6.0)
    assert part.health() == Health(Level.STALE, 'the reading is stale, 7 % was the last')
    assert part.figures()['age_s'] == pytest.approx(6.0)


def test_a_late_tick_is_told_for_a_while(subject: Subject) -> None:
    subject.ticks.count(0.0, 2 * PERIOD_S)
    assert subject.parts['tick'].health().level is Level.WARN
    subject.bench.now += TROUBLE_S / 2
    assert subject.parts['tick'].health().level is Level.WARN
    subject.bench.now += TROUBLE_S
    assert subject.parts['tick'].health() == Health()
    assert subject.parts['tick'].figures()['overruns'] == 1


def test_parameters_that_are_set_hold_from_the_next_tick_on_and_are_traced(
    subject: Subject,
) -> None:
    subject.bench.inbox.put(ParametersSet({'executive.battery.low_pct': 10.0}))
    subject.bench.inbox.put(ParametersSet({'executive.agent.max_iterations': 3}))
    subject.bench.tick()
    subject.bench.inbox.put(BatteryReceived(subject.bench.now, 15.0))
    subject.bench.tick()
    assert subject.parts['mode'].health() == Health(reason='IDLE')
    assert subject.bench.context.config.executive.agent.max_iterations == 3
    told = subject.bench.messages('OBSERVE')
    assert 'Settings changed: battery.low_pct is now 10' in told
    subject.bench.inbox.put(ParametersSet({'executive.approval.step': True}))
    subject.bench.tick()
    told = subject.bench.messages('OBSERVE')
    assert 'Settings changed: approval.step is now true' in told
