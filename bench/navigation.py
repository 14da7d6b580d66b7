"""Goals in the shipped worlds, over the real nodes: reached, or refused with the right code.

Rover stand-in, control nodes, adapter and navigator are processes; time runs `SPEED` times as
fast. Which goals can be reached is decided by a plan that knows every rock, zone and slope, from
where the rover stands. How near it came to rocks and zones is measured on the track of its
odometry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
import math
import os
from pathlib import Path
import tempfile
import time

import numpy as np
import rclpy

from bench._figures import report, trials
from bench._navigation_traveller import Traveller
from bench._navigation_truth import Truth
from bench._warm_parent import warm_parent
from bt_executive.launching.supervisor import Supervisor
from bt_executive.launching.system_processes import node_named
from rover_common.config.load import load_config
from rover_common.config.settings import Config

WORLDS = ('default', 'dunes', 'crater')
GOALS = trials(20)
SPEED = 8.0
REACHED_M = 0.5
TARGET = 0.95  # of the goals that can be reached
TRIES = 200  # random places until one can be reached
LONGEST_S = 600.0  # of steady time, for one goal
REFUSALS = ('NAV_GOAL_REJECTED', 'NAV_BLOCKED')
NODES = ('rover', 'curiosity_control', 'curiosity_adapter', 'curiosity_navigation')


@dataclass
class Account:
    """How the goals of one world ended."""

    world: str
    ends: Counter[str] = field(default_factory=Counter)  # of reachable goals, by error code
    errors_m: list[float] = field(
        default_factory=list
    )  # of the place where the rover reported its arrival
    hopeless: Counter[str] = field(default_factory=Counter)
    refused_in_s: list[float] = field(default_factory=list)  # steady time
    rocks_m: float = math.inf
    zones_m: float = math.inf
    gaps: int = 0  # drives that were stopped since the navigator was late, and begun again

    @property
    def good(self) -> bool:
        """Whether it is as it should be."""
        reached = sum(error <= REACHED_M for error in self.errors_m)
        return (
            reached >= TARGET * self.ends.total()
            and len(self.errors_m) == reached
            and set(self.hopeless) <= set(REFUSALS)
            and self.rocks_m > 0.0
            and self.zones_m > 0.0
        )

    def __str__(self) -> str:
        reached, asked = len(self.errors_m), self.ends.total()
        codes = ', '.join(f'{code} {count}' for code, count in self.ends.items() if code)
        hopeless = ', '.join(f'{code or "reached"} {n}' for code, n in self.hopeless.items())
        return (
            f'{self.world}: reached {reached} of {asked}{codes and f" ({codes})"}, off by '
            f'{np.mean(self.errors_m or [math.nan]):.2f} m (worst '
            f'{max(self.errors_m, default=math.nan):.2f}); hopeless: {hopeless}, told within '
            f'{max(self.refused_in_s, default=0.0):.1f} s; outline to rocks {self.rocks_m:.2f} m, '
            f'to zones {self.zones_m:.2f} m'
        )


def run() -> bool:
    """All worlds; True if every one is as it should be."""
    accounts = [course(world, GOALS) for world in WORLDS]
    reports = [_report(account) for account in accounts]
    return all(reports)


def _report(account: Account) -> bool:
    print(account)
    share = len(account.errors_m) / max(account.ends.total(), 1)
    met = report(f'{account.world}: reached', share * 100.0, '%', at_least=TARGET * 100.0)
    worst = max(account.errors_m, default=math.nan)
    met &= report(f'{account.world}: off by, worst', worst, 'm', at_most=REACHED_M)
    report(f'{account.world}: begun again after a gap of the navigator', account.gaps)
    for what, clearance_m in (('rocks', account.rocks_m), ('zones', account.zones_m)):
        if math.isfinite(clearance_m):
            met &= report(f'{account.world}: outline to {what}', clearance_m, 'm', at_least=0.0)
    return met and account.good


def course(
    world: str, goals: int, *overrides: str, speed: float = SPEED, seed: int = 1
) -> Account:
    """So many goals that can be reached, then those that cannot."""
    config, options = _options(world, speed, overrides)
    truth, rng, account = Truth(config), np.random.default_rng(seed), Account(world)
    while account.ends.total() < goals:
        with _running(config, options) as traveller:
            while account.ends.total() < goals:
                place = _reachable_place(truth, traveller, rng)
                if place is None or not _go(account, truth, traveller, place):
                    break  # a dead end, most likely: from the start again
    with _running(config, options) as traveller:
        for name, place in truth.hopeless_places().items():
            _fail_to_go(account, truth, traveller, name, place)
    return account


def _reachable_place(
    truth: Truth, traveller: Traveller, rng: np.random.Generator
) -> tuple[float, float] | None:
    here = traveller.track[-1]
    places = (truth.random_place(rng) for _ in range(TRIES))
    return next((place for place in places if truth.reachable(here, *place)), None)


def _go(account: Account, truth: Truth, traveller: Traveller, place: tuple[float, float]) -> bool:
    began, here, gaps = traveller.stamp, traveller.track[-1], traveller.gaps
    traveller.track[:-1] = []
    result = traveller.go(*place, LONGEST_S)
    account.gaps += traveller.gaps - gaps
    account.ends[result.error_code] += 1
    off = traveller.track[-1].distance(*place)
    if not result.error_code:
        account.errors_m.append(off)
    _note_clearance(account, truth, traveller)
    print(
        f'  {account.world} ({here.x:.1f}, {here.y:.1f}) -> ({place[0]:.1f}, {place[1]:.1f}): '
        f'{result.error_code or "reached"}, {off:.2f} m off at '
        f'({traveller.track[-1].x:.1f}, {traveller.track[-1].y:.1f}) after '
        f'{traveller.stamp - began:.0f} s: {result.message}',
        flush=True,
    )
    return not result.error_code


def _fail_to_go(
    account: Account,
    truth: Truth,
    traveller: Traveller,
    name: str,
    place: tuple[float, float],
) -> None:
    traveller.track[:-1] = []
    here, began = traveller.track[-1], time.monotonic()
    result = traveller.go(*place, LONGEST_S)
    account.hopeless[result.error_code] += 1
    stood = traveller.track[-1].distance(here.x, here.y) < 0.1
    if stood:
        account.refused_in_s.append(time.monotonic() - began)
    _note_clearance(account, truth, traveller)
    drove = '' if stood else ', on the way'
    print(f'  {account.world} {name}: {result.error_code}{drove}: {result.message}', flush=True)


def _note_clearance(account: Account, truth: Truth, traveller: Traveller) -> None:
    rocks_m, zones_m = truth.clearance(traveller.track)
    account.rocks_m = min(account.rocks_m, rocks_m)
    account.zones_m = min(account.zones_m, zones_m)


def _options(world: str, speed: float, more: tuple[str, ...]) -> tuple[Config, list[str]]:
    settings = (
        f'rover.world={world}',
        f'rover.speed_factor={speed}',
        'rover.battery.drive_per_s=0.0',  # the course is longer than a charge lasts
        'use_sim_time=true',
        'deadman.manual_mode=true',
        *more,
    )
    return load_config(None, settings), [
        argument for each in settings for argument in ('--set', each)
    ]


@contextmanager
def _running(config: Config, options: list[str]) -> Iterator[Traveller]:
    with tempfile.TemporaryDirectory() as folder:
        nodes = [node_named(name) for name in NODES]
        supervisor = Supervisor(nodes, options, Path(folder), os.environ, warm_parent())
        supervisor.start()
        rclpy.init()
        traveller = Traveller(config.topics)
        try:
            traveller.get_ready()
            yield traveller
        finally:
            traveller.close()
            rclpy.shutdown()
            supervisor.end()
