"""Simulated time: as fast as wanted where the machine can; it waits for the slowest follower."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.rover.real_time_factor import (
    AHEAD_S,
    CATCH_UP_S,
    PATIENCE_S,
    POLL_S,
    STEP_S,
    Followers,
    RealTimeFactor,
)


def run(pace: RealTimeFactor, gaps: Iterable[float]) -> tuple[float, float]:
    """Steady and simulated time after asking again and again."""
    steady, steps = 0.0, 0
    for gap in gaps:
        steady += gap
        steps += pace.steps_due(steady)
    return steady, steps * STEP_S


@pytest.mark.parametrize(
    ('wanted', 'gap'), [(0.5, 0.01), (1.0, 0.01), (4.0, 0.0025), (20.0, 0.002), (20.0, 0.009)]
)
def test_time_passes_as_fast_as_wanted(wanted: float, gap: float) -> None:
    pace = RealTimeFactor(wanted, 0.0)
    steady, simulated = run(pace, [gap] * round(3.0 / gap))
    assert simulated == pytest.approx(wanted * steady, abs=2 * STEP_S)
    assert pace.reached == pytest.approx(wanted, rel=0.02)
    assert pace.too_slow is None


def test_on_a_busy_machine_it_slows_down_and_says_how_much() -> None:
    pace = RealTimeFactor(20.0, 0.0)
    run(pace, [0.025] * 100)  # in 25 ms half a second was due
    assert pace.reached == pytest.approx(CATCH_UP_S / 0.025, rel=0.01)
    assert pace.too_slow is not None
    assert pace.too_slow.startswith('simulated time passes 8.0 times as fast as real time instead')


def test_it_is_as_fast_as_wanted_again_once_the_machine_is_free() -> None:
    pace = RealTimeFactor(20.0, 0.0)
    steady = 0.0
    for gap in [0.5] * 4 + [0.002] * 1200:
        steady += gap
        pace.steps_due(steady)
    assert pace.too_slow is None


@given(wanted=st.floats(0.1, 100.0), gaps=st.lists(st.floats(0.0, 3.0), max_size=50))
def test_it_is_never_faster_and_nothing_piles_up(wanted: float, gaps: list[float]) -> None:
    pace, steady, steps = RealTimeFactor(wanted, 0.0), 0.0, 0
    for gap in gaps:
        steady += gap
        due = pace.steps_due(steady)
        assert 0 <= due <= round(CATCH_UP_S / STEP_S)
        steps += due
    assert steps * STEP_S <= wanted * steady + 1e-6
    assert pace.steps_due(steady) <= 1


TICK_S = 0.004


class World:
    """A simulation and its nodes on steady time of the test."""

    def __init__(self, speed: float) -> None:
        self.steady = self.simulated = 0.0
        self.followers = Followers()
        self._pace = RealTimeFactor(speed, 0.0)

    def tick(self, seconds: float = TICK_S) -> None:
        self.steady += seconds
        room = self.followers.room(self.simulated, self.steady)
        self.simulated += STEP_S * self._pace.steps_due(self.steady, room)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK_S)):
            self.tick()

    def acknowledge(self, name: str) -> None:
        self.followers.acknowledge(name, self.simulated)


def test_time_runs_freely_where_nobody_follows() -> None:
    world = World(20.0)
    world.run(1.0)
    assert world.simulated == pytest.approx(20.0, abs=0.1)


def test_time_passes_as_fast_as_wanted_if_everybody_keeps_pace() -> None:
    world = World(20.0)
    for _ in range(250):
        world.acknowledge('executive')
        world.acknowledge('adapter')
        world.tick()
    assert world.simulated == pytest.approx(20.0, abs=0.1)


def test_time_waits_for_the_slowest() -> None:
    world = World(20.0)
    for name in ('executive', 'adapter'):
        world.acknowledge(name)
    for _ in range(100):  # 0.4 s in which only one of them comes along
        world.tick()
        world.acknowledge('executive')
    assert world.simulated == pytest.approx(AHEAD_S, abs=STEP_S)
    world.acknowledge('adapter')
    world.tick()
    assert world.simulated > AHEAD_S


def test_a_dead_follower_holds_nobody_up_for_longer_than_our_patience() -> None:
    world = World(20.0)
    world.acknowledge('executive')
    world.run(PATIENCE_S - 0.1)
    assert world.simulated <= AHEAD_S
    world.run(0.2)
    assert world.simulated > 1.0
    world.acknowledge('executive')  # it was frozen, and is back
    now = world.simulated
    world.run(0.5)
    assert world.simulated <= now + AHEAD_S + STEP_S


def test_who_has_come_along_is_not_forgotten_with_the_dead_one() -> None:
    world = World(20.0)
    for name in ('executive', 'adapter'):
        world.acknowledge(name)
    world.run(0.1)
    world.acknowledge('adapter')  # all that there is to acknowledge
    now = world.simulated
    world.run(PATIENCE_S + 0.1)
    assert now < world.simulated <= now + AHEAD_S + STEP_S


def test_a_pause_of_the_simulation_is_no_silence_of_its_followers() -> None:
    world = World(20.0)
    world.acknowledge('executive')
    world.tick(30.0)
    world.run(PATIENCE_S - POLL_S - 0.1)
    assert world.simulated <= AHEAD_S


@given(
    speed=st.floats(1.0, 100.0),
    moments=st.lists(st.tuples(st.floats(0.0, PATIENCE_S - 0.1), st.booleans()), max_size=40),
)
def test_never_more_than_the_lead_passes_between_two_acknowledgements(
    speed: float, moments: list[tuple[float, bool]]
) -> None:
    """However long the node takes (less than our patience), and however we are woken."""
    world = World(speed)
    followed = 0.0
    world.acknowledge('executive')
    for seconds, often in moments:
        if often:
            world.run(seconds)
        else:
            world.tick(seconds)
        assert world.simulated <= followed + AHEAD_S + 1e-6
        followed = world.simulated
        world.acknowledge('executive')
