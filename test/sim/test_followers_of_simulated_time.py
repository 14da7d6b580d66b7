"""Simulated time waits for the nodes that follow it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.rover.followers_of_simulated_time import AHEAD_S, PATIENCE_S, POLL_S, Followers
from curiosity_sim.rover.real_time_factor import STEP_S, RealTimeFactor

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
