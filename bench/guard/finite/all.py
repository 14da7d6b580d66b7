"""The explorations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from bench.guard.finite.approvals import Approvals
from bench.guard.finite.calls import OneCall
from bench.guard.finite.explore import Exploration, Machine, explore
from bench.guard.finite.goals_at_a_gate import Goals, MeasuredGoals
from bench.guard.finite.modes import Modes
from bench.guard.finite.permits import Link
from bench.guard.finite.velocities_at_a_gate import Velocities
from rover_common.process.parallel_work import parallel_map

MACHINES: Mapping[str, Callable[[], Machine]] = {
    'modes, interrupts, battery, SAFE': Modes,
    'one call and its lease': OneCall,
    'approvals': Approvals,
    'one permit, motion, stop and its confirmation': partial(Link, 1),
    'two permits, the same': Link,
    'velocities at a gate': Velocities,
    'one goal at a gate': partial(Goals, permits=1),
    'two goals at a gate, one heartbeat under way': partial(Goals, heartbeats=1),
    'one goal at a gate, with a measurement': partial(MeasuredGoals, permits=1),
}
# Those in which a removed rule is looked for; a motion under way is near their begin.
WITH_SEEDS: Mapping[str, Callable[[], Machine]] = {
    'modes': Modes,
    'one call and its lease': OneCall,
    'approvals': Approvals,
    'permit and stop': Link,
    'permit and stop, driving': Link.driving,
    'velocities at a gate': Velocities,
    'velocities at a gate, standing': Velocities.standstill,
    'goals at a gate': Goals,
    'goals at a gate, stopped': Goals.stopped,
    'goals at a gate, with a measurement': MeasuredGoals,
}


def explore_all(workers: int = 1, ray: str | None = None) -> list[Exploration]:
    """Explore each machine to its end, or to `MOST_STATES`."""
    return parallel_map(_explore, list(MACHINES), workers, ray)


def _explore(name: str) -> Exploration:
    return explore(name, MACHINES[name]())
