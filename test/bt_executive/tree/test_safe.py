"""SAFE: what leads to it and what ends it, through the whole tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from driving_bench import STOP, driving, mode, reset
from fakes.core import ROVER_STOP
from lives import Lives
import pytest
from tree_bench import MakeBench

from bt_executive.core.inputs import BatteryReceived, PoseReceived, SafetyEvent, StopRequested
from bt_executive.core.state import Mode
from bt_executive.tree.subtrees_on_demand import fully_planted


def test_a_stop_in_safe_is_sent_too() -> None:
    it = driving()
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    it.tick()
    sent = len(it.robot.names)
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert it.robot.names[sent:] == [STOP]
    assert mode(it) is Mode.SAFE


def test_tilt_makes_safe_and_a_reset_is_refused_while_it_stands() -> None:
    it = driving()
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, tilt=0.7))
    it.tick()
    assert mode(it) is Mode.SAFE
    assert it.robot.names[1] == STOP
    accepted, words = reset(it)
    assert not accepted
    assert 'tilt 0.70 rad is over the limit of 0.6 rad' in words
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, tilt=0.1))
    it.tick()
    assert mode(it) is Mode.SAFE, 'latched'
    assert reset(it)[0]
    assert mode(it) is Mode.IDLE


@pytest.mark.slow
@pytest.mark.parametrize(
    ('required', 'event', 'reason'),
    [
        ('battery', BatteryReceived(0.0, 90.0), 'the battery state is stale'),
        ('tf', PoseReceived(0.0, 0.0, 0.0, 0.0), 'the position is stale'),
    ],
)
def test_required_data_that_becomes_stale_makes_safe(
    bench: MakeBench, required: str, event: Any, reason: str
) -> None:
    it = bench(overrides=[f'safety.required=[{required}]'])
    it.pass_time(8.0)
    assert mode(it) is Mode.IDLE, 'what has never come is no cause'
    it.inbox.put(replace(event, at=it.now))
    it.pass_time(1.0)
    assert mode(it) is Mode.IDLE
    it.pass_time(5.0)
    assert mode(it) is Mode.SAFE
    assert it.context.state.world.safety_reason == reason


def test_a_reset_does_not_hide_an_event_that_came_with_it() -> None:
    it = driving()
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    assert reset(it) == (False, 'Not reset: a safety event has just come')
    assert mode(it) is Mode.SAFE
    assert STOP in it.robot.names


def test_a_stop_goes_out_though_the_tree_is_broken_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it = driving()

    def explode() -> None:
        raise RuntimeError('boom')

    with fully_planted(it.executive.root) as root:
        nodes = list(root.iterate())
    for node in nodes:
        if node.name in ('Mast closed?', 'Stop the base'):
            monkeypatch.setattr(node, 'update', explode)
    it.tick()
    assert it.robot.names[1:].count(STOP) >= 1


@pytest.mark.slow
def test_an_hour_of_unconfirmed_stops_does_not_fill_the_journal() -> None:
    lives = Lives()
    lives.it.inbox.put(SafetyEvent('cliff', 'a test'))
    lives.tick()
    for _ in range(30):
        lives.tick(after=2.0)
    minute, sent = len(lives.store.puts), len(lives.it.robot.names)
    for _ in range(1800):
        lives.tick(after=2.0)
    assert len(lives.it.robot.names) > sent + 3000, 'it is repeated all the same'
    assert len(lives.store.puts) == minute
    changes = [each['happened'] for each in lives.store.of('CALL')]
    assert changes == ['open', 'send', 'accept', 'time out']
    lives.crash()
    assert lives.saved is not None
    assert lives.saved.parts['calls'] == []
    lives.tick()
    assert lives.it.context.state.world.safety_reason == 'cliff'
    assert lives.it.robot.names == [ROVER_STOP] * 2, 'the stop that is owed, and the one of SAFE'
