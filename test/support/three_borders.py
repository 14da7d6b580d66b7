"""The world of two_borders.py with a navigator: its setpoints and its statuses suffer the same.

The navigator's part is its real client of the adapter, with a driver that begins and ends motions
at moments of chance. It stands still for a while, and is killed and started again. What it was
sent lives on in the network meanwhile.
"""

from __future__ import annotations

from collections.abc import Coroutine
import math
import random
from typing import Any

from any_adapter import let_go
from fakes.common import FakeFuture
from hypothesis import strategies as st
from hypothesis.stateful import rule
from two_borders import (
    AFTER_S,
    BEFORE_S,
    CONFIG,
    MOTIONS,
    STANDSTILLS_S,
    STEP_S,
    YOUNG_S,
    TwoBorders,
)

from curiosity_adapter.status_report import report_of
from curiosity_navigation.adapter_client import SETPOINT_PERIOD_S, AdapterClient
from curiosity_navigation.adapter_status_monitor import read_status
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Now
from rover_common.condition_waiter import ConditionWaiter
from rover_common.setpoint import NAVIGATE, Setpoint

SETPOINT_STEPS = round(SETPOINT_PERIOD_S / STEP_S)
MOST_MOTIONS = 4  # of one goal


class ThreeBorders(TwoBorders):
    """Goals are pursued under permits, whatever becomes of the navigator and its messages."""

    def __init__(self) -> None:
        self.lives = 0
        self.navigator_sleeps = 0.0  # until then
        self.navigator_slept_at = 0.0
        self.goals: list[Coroutine[Any, None, object]] = []
        self.last: Setpoint | None = None  # of the navigator that lives now
        self.unwanted_at: dict[tuple[str, int], float] = {}  # life and number of a motion → when
        self.begun: set[tuple[str, int]] = set()
        self.navigation_goals: dict[
            int, set[tuple[str, int]]
        ] = {}  # permit → navigation goals under it
        self.withdrawn: dict[int, float] = {}  # permit → when
        self.given_at = 0.0  # the permit of the latest goal; until then others may have driven
        super().__init__()
        self.waiting = ConditionWaiter(lambda: self.now, FakeFuture)
        self.start_navigator()

    def teardown(self) -> None:
        super().teardown()
        for goal in self.goals:
            goal.close()

    # --- the navigator ---------------------------------------------------------------------------

    def start_navigator(self) -> None:
        """A new life of it; what the last one was doing is lost."""
        self.note_unwanted()
        for goal in self.goals:
            goal.close()
        self.lives += 1
        self.goals, self.last, self.navigator_sleeps = [], None, 0.0
        self.cancelled = False
        self.waiting = ConditionWaiter(lambda: self.now, FakeFuture)
        self.client = AdapterClient(
            f'navigator {self.lives}',
            self.give,
            self.waiting,
            lambda: Now.at(self.now),
            lambda: self.now,
            CONFIG,
        )

    def give(self, setpoint: Setpoint) -> None:
        """A setpoint flies to the adapter."""
        if not setpoint.motion or (self.last and setpoint.number != self.last.number):
            self.note_unwanted()
        self.last = setpoint
        self.to_the_adapter(2.0, lambda: self.take_setpoint(setpoint))

    def take_setpoint(self, setpoint: Setpoint) -> None:
        """What was wrong with it is not looked at."""
        self.parts.receive_setpoint(setpoint, self.now)

    def note_unwanted(self) -> None:
        if self.last and self.last.motion:
            key = self.last.sender, self.last.number
            self.unwanted_at.setdefault(key, self.now)

    def to_the_navigator(self, latest_s: float, arrive: Any) -> None:
        """What reaches a navigator that does not run is lost; it may come twice or late, too."""
        life = self.lives
        for at in self.fates(latest_s):
            self.network.send(
                at, lambda: arrive() if self.awake() and life == self.lives else None
            )

    def awake(self) -> bool:
        return self.now >= self.navigator_sleeps

    async def pursue(self, chance: random.Random) -> None:
        client = self.client
        if not await client.begin_navigation(lambda: False):
            for _ in range(chance.randint(1, MOST_MOTIONS)):
                over = self.now + chance.choice((0.0, 0.1, 0.5, 2.0))
                reason = await client.start(chance.choice(MOTIONS), lambda: self.cancelled)
                if not reason:
                    await self.waiting.until(
                        lambda over=over: (  # type: ignore[misc]
                            self.now >= over or self.cancelled or client.ended_by is not None
                        ),
                        math.inf,
                    )
                stopped = await client.pause()
                if reason or stopped or self.cancelled or client.ended_by:
                    break
        await client.end_navigation()

    def take_goal(self, seed: int) -> None:
        if not self.goals:
            self.cancelled = False
            self.goals.append(self.pursue(random.Random(seed)))

    def take_cancel(self) -> None:
        self.cancelled = True

    def navigator_steps(self) -> None:
        if self.steps % SETPOINT_STEPS == 0:
            self.client.repeat_setpoint()
        self.waiting.evaluate()
        let_go(self.goals)

    # --- the others ------------------------------------------------------------------------------

    def status_flies(self) -> None:
        super().status_flies()
        status = report_of(self.parts.status(None, None), self.parts.measurements())
        self.to_the_navigator(1.0, lambda: self.see_status(status))

    def see_status(self, status: AdapterStatus) -> None:
        self.client.update_status(read_status(status, self.client.run_id))

    def adapter_steps(self) -> None:
        before = self.parts.navigation_goals.report
        super().adapter_steps()
        if self.parts.navigation_goals.report != before:
            self.status_flies()

    def note_start(self) -> None:
        """The adapter begins a motion: was it wanted and permitted, and only once?"""
        if self.parts.exclusivity.navigation_goal is None:
            super().note_start()
            return
        report, holder = self.parts.navigation_goals.report, self.parts.permission.holder
        assert report is not None
        assert holder is not None
        key = report.sender, report.motion
        assert key not in self.begun, 'a number started two motions'
        self.begun.add(key)
        navigation_goals = self.navigation_goals.setdefault(holder[1], set())
        navigation_goals.add((report.sender, report.number))
        assert len(navigation_goals) == 1, 'a permit started two navigation goals'
        for ended_at in (self.withdrawn.get(holder[1]), self.unwanted_at.get(key)):
            late = ended_at is not None and self.now - ended_at > YOUNG_S
            assert not late, 'what was withdrawn started a motion'

    def ended_at(self) -> float | None:
        """Since when nothing is permitted by the executive, or wanted by the navigator."""
        ends = [super().ended_at()]
        if self.permits.current.motion == NAVIGATE:
            ended_at = self.navigator_ended_at()
            ends.append(None if ended_at is None else max(ended_at, self.given_at))
        return min((each for each in ends if each is not None), default=None)

    def navigator_ended_at(self) -> float | None:
        if self.last is None or not self.last.motion:
            return max(self.unwanted_at.values(), default=0.0)
        return None if self.awake() else self.navigator_slept_at

    # --- what happens ----------------------------------------------------------------------------

    @rule(
        seed=st.integers(0, 2**16),
        before_s=st.sampled_from(BEFORE_S),
        after_s=st.sampled_from(AFTER_S),
        called_off=st.booleans(),
    )
    def navigate(self, seed: int, before_s: float, after_s: float, called_off: bool) -> None:
        """A goal as the tree asks for one, unless the last stop is not confirmed yet."""
        if self.now < self.executive_sleeps or self.stops.pending:
            self.pass_time(0.5)
            return
        self.note_withdrawal()
        self.permits.give(NAVIGATE)
        self.withdrawn_at, self.given_at = None, self.now
        self.to_the_navigator(4.0, lambda: self.take_goal(seed))
        self.pass_time(before_s + 0.5)
        if called_off:
            self.call_off()
        self.pass_time(after_s)

    def note_withdrawal(self) -> None:
        if self.permits.current.number:
            self.withdrawn[self.permits.current.number] = self.now

    def send_stop(self) -> None:
        self.note_withdrawal()
        super().send_stop()
        self.to_the_navigator(4.0, self.take_cancel)

    @rule(seconds=st.sampled_from(STANDSTILLS_S))
    def the_navigator_stands_still(self, seconds: float) -> None:
        if self.awake():
            self.navigator_slept_at = self.now
        self.navigator_sleeps = self.now + seconds

    @rule()
    def the_navigator_is_killed(self) -> None:
        self.start_navigator()

    def look_at_the_truth(self) -> None:
        """The navigator takes its turn at each step, before the truth is looked at."""
        if self.awake():
            self.navigator_steps()
        super().look_at_the_truth()


def live_through(seed: int, events: int = 25) -> int:
    """One life of the four, all of it drawn from the seed; how many motions were begun."""
    world, chance = ThreeBorders(), random.Random(seed)
    try:
        world.begin(seed)
        for _ in range(events):
            happens = chance.choice(
                ['navigate', 'navigate', 'drive', 'call off', 'frozen', 'killed', 'others', 'time']
            )
            before, after = chance.choice(BEFORE_S), chance.choice(AFTER_S)
            called_off = chance.random() < 0.5
            if happens == 'navigate':
                world.navigate(chance.randrange(2**16), before, after, called_off)
            elif happens == 'drive':
                world.drive(chance.choice(MOTIONS), before, after, called_off)
            elif happens == 'call off':
                world.call_off()
            elif happens == 'frozen':
                world.the_navigator_stands_still(chance.choice(STANDSTILLS_S))
            elif happens == 'killed':
                world.the_navigator_is_killed()
            elif happens == 'others':
                world.the_adapter_stands_still(chance.choice(STANDSTILLS_S))
            else:
                world.pass_time(chance.uniform(0.0, 2.0))
        return len(world.begun)
    finally:
        world.teardown()


def live_through_many(lives: int, first: int = 0) -> int:
    """So many lives, each from another seed; how many motions were begun in all.

    `first`: what comes of this one is known.
    """
    return sum(live_through(seed) for seed in (first, *range(lives)))
